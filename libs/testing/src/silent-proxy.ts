import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SilentProxy {
  /** `url` with this proxy in place of its server. */
  through(url: string): string;
  /** From now on the connections that are open carry nothing, in neither direction, and do not end; new ones work. */
  silence(): void;
  close(): void;
}

/** A loopback proxy in front of the server of `url`, for the fault that no error tells of: a peer that vanished. */
export async function startSilentProxy(url: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(url);
  const pairs = new Set<{ silent: boolean; readonly sockets: readonly Socket[] }>();
  // Half-open: a peer that vanished does not answer a goodbye either.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const pair = { silent: false, sockets: [client, upstream] };
    pairs.add(pair);
    const join = (from: Socket, to: Socket): void => {
      from.on('data', (chunk) => pair.silent || to.write(chunk));
      from.on('end', () => pair.silent || to.end());
      from.on('error', () => undefined);
      from.on('close', () => pair.silent || to.destroy());
    };
    join(client, upstream);
    join(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    through(original) {
      const proxied = new URL(original);
      proxied.host = `127.0.0.1:${address.port}`;
      return proxied.href;
    },
    silence() {
      for (const pair of pairs) pair.silent = true;
    },
    close() {
      server.close();
      for (const { sockets } of pairs) for (const socket of sockets) socket.destroy();
    },
  };
}
