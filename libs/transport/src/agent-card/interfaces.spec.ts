import { interfacesOf } from './interfaces.js';

const url = 'https://h.test/p/agents/a';
const grpc = 'h.test:50051';
const reach = { origin: 'https://h.test/p', serveV03: true, grpcAddress: grpc, isDefault: true };
const told = (changes: Partial<typeof reach>): string[] =>
  interfacesOf('a', { ...reach, ...changes }).map((one) =>
    [one.protocolVersion, one.protocolBinding, one.url, one.tenant ?? ''].join(' ').trim(),
  );

const HTTP_V1 = [`1.0 JSONRPC ${url}`, `1.0 HTTP+JSON ${url}`];
const HTTP_V03 = [`0.3 JSONRPC ${url}`, `0.3 HTTP+JSON ${url}`];

describe('interfacesOf', () => {
  it.each<[string, Partial<Record<keyof typeof reach, unknown>>, string[]]>([
    ['everything, for the default agent', {}, [...HTTP_V1, `1.0 GRPC ${grpc} a`, ...HTTP_V03, `0.3 GRPC ${grpc}`]],
    ['no gRPC of 0.3 for an agent that it cannot name', { isDefault: false }, [...HTTP_V1, `1.0 GRPC ${grpc} a`, ...HTTP_V03]],
    ['no gRPC where it is not served', { grpcAddress: undefined }, [...HTTP_V1, ...HTTP_V03]],
    ['1.0 alone', { serveV03: false }, [...HTTP_V1, `1.0 GRPC ${grpc} a`]],
  ])('names %s', (_, changes, expected) => {
    expect(told(changes as Partial<typeof reach>)).toEqual(expected);
  });
});
