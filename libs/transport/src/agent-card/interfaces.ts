import type { AgentInterface } from '#protocol';

/** How clients reach an agent, besides its id. */
export interface Reach {
  /** Scheme, host and prefix, without a trailing slash. */
  readonly origin: string;
  readonly serveV03: boolean;
  /** Host and port of gRPC; absent: it is not served there. */
  readonly grpcAddress?: string | undefined;
  /** Does the agent answer where none is named? gRPC of 0.3 cannot name one. */
  readonly isDefault: boolean;
}

/**
 * Every way to reach an agent, in the order of preference: one entry for each version and binding, 0.3 after 1.0. A 0.3 client
 * puts `/v1` behind the URL of its HTTP+JSON interface itself.
 */
export function interfacesOf(agentId: string, reach: Reach): AgentInterface[] {
  return reach.serveV03
    ? [...interfacesOfV1(agentId, reach), ...interfacesOfV03(agentId, reach)]
    : interfacesOfV1(agentId, reach);
}

/** gRPC has no path: clients say which agent they mean by repeating the tenant. */
function interfacesOfV1(agentId: string, { origin, grpcAddress }: Reach): AgentInterface[] {
  const grpc = grpcAddress && { url: grpcAddress, protocolBinding: 'GRPC', tenant: agentId, protocolVersion: '1.0' };
  return [...overHttp(agentId, origin, '1.0'), ...(grpc ? [grpc] : [])];
}

function interfacesOfV03(agentId: string, { origin, grpcAddress, isDefault }: Reach): AgentInterface[] {
  const grpc = isDefault && grpcAddress && { url: grpcAddress, protocolBinding: 'GRPC', protocolVersion: '0.3' };
  return [...overHttp(agentId, origin, '0.3'), ...(grpc ? [grpc] : [])];
}

function overHttp(agentId: string, origin: string, protocolVersion: string): AgentInterface[] {
  const url = `${origin}/agents/${agentId}`;
  return ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({ url, protocolBinding, protocolVersion }));
}
