import { createServer, type AddressInfo } from 'node:net';

/** A TCP port of the loopback address that nobody listens on now. */
export async function freePort(): Promise<number> {
  const tried = await tryListen('127.0.0.1', 0);
  if (tried.port === undefined) throw new Error(`No free port on 127.0.0.1 (${tried.fault})`);
  return tried.port;
}

/** The code of the error that listening there would meet now; undefined when it would work. */
export const canListen = async (host: string, port: number): Promise<string | undefined> => (await tryListen(host, port)).fault;

/** The port, once bound and released again, or why it cannot be. */
function tryListen(host: string, port: number): Promise<{ readonly port?: number; readonly fault?: string }> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve({ fault: error.code ?? error.message }));
    server.listen({ port, host, exclusive: true }, () => {
      const taken = (server.address() as AddressInfo).port;
      server.close(() => resolve({ port: taken }));
    });
  });
}
