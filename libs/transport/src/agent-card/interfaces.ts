import type { AgentInterface } from '#protocol';

/** What an agent is reached over, besides its id: the same for all agents of a host. */
export interface Reach {
  /** Scheme, host and prefix, without a trailing slash. */
  readonly origin: string;
  readonly serveV03: boolean;
  /** Host and port of gRPC; absent: it is not served there. */
  readonly grpcAddress?: string | undefined;
}

/**
 * Every way to reach an agent, in the order of preference: one entry for each version and binding, 0.3 after 1.0. A 0.3 client
 * puts `/v1` behind the URL of its HTTP+JSON interface itself.
 */
export function interfacesOf(agentId: string, { origin, serveV03, grpcAddress }: Reach): AgentInterface[] {
  const url = `${origin}/agents/${agentId}`;
  const bindings = [
    { url, protocolBinding: 'JSONRPC' },
    { url, protocolBinding: 'HTTP+JSON' },
  ];
  const versions = serveV03 ? ['1.0', '0.3'] : ['1.0'];
  const all = versions.flatMap((protocolVersion) => bindings.map((binding) => ({ ...binding, protocolVersion })));
  if (grpcAddress === undefined) return all;
  // It has no path: clients say which agent they mean by repeating the tenant.
  const grpc = { url: grpcAddress, protocolBinding: 'GRPC', tenant: agentId, protocolVersion: '1.0' };
  return [...all.slice(0, bindings.length), grpc, ...all.slice(bindings.length)];
}
