import { createServer, type AddressInfo } from 'node:net';

/** A TCP port of the loopback address that nobody listens on now. */
export async function freePort(): Promise<number> {
  const port = await tryListen(0);
  if (port === undefined) throw new Error('No free port on 127.0.0.1');
  return port;
}

/** Whether a process could listen there now. */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  return (await tryListen(port, host)) !== undefined;
}

/** The port, once bound and released again; undefined when it is taken. Other faults reject. */
function tryListen(port: number, host = '127.0.0.1'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen({ port, host, exclusive: true }, () => {
      const taken = (server.address() as AddressInfo).port;
      server.close(() => resolve(taken));
    });
  });
}
