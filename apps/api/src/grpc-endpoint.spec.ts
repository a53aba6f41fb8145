import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT, type RequestHandler } from '#core';
import { DEFAULT_LIMITS } from '#protocol';
import { Cors, ServedCards } from '#transport';
import { agent } from './api-fixture.spec-support.js';
import { GrpcEndpoint } from './grpc-endpoint.js';
import { HealthChecks } from './health-checks.js';

describe('GrpcEndpoint', () => {
  const find = async () => agent('echo');
  const host = {
    handler: {} as RequestHandler,
    agents: { find, findDefault: find, list: async () => [] },
    limits: DEFAULT_LIMITS,
    cors: new Cors(['*']),
    serveV03: false,
    cards: new ServedCards({ serveV03: false, logger: SILENT }),
    logger: SILENT,
  };
  const parts = { host, health: new HealthChecks({}, async () => []) };
  const config = {
    host: '127.0.0.1',
    grpcPort: 0,
    publicUrl: undefined,
    publicGrpcAddress: undefined,
    grpcCertificateFile: undefined,
    grpcKeyFile: undefined,
    bodyLimit: 1_000_000,
  };
  const direct = { url: 'http://a.example:3000', forwarded: false };

  it.each([
    ['the host by which the client came, and its own port', {}, direct, (port: number) => `a.example:${port}`],
    ['an IPv6 address too', {}, { url: 'http://[::1]:3000', forwarded: false }, (port: number) => `[::1]:${port}`],
    ['nothing behind a proxy', {}, { url: 'http://a.example', forwarded: true }, () => undefined],
    [
      'nothing for a configured URL',
      { publicUrl: 'https://a.example' },
      { url: 'https://a.example', forwarded: false },
      () => undefined,
    ],
    ['what is configured', { publicUrl: 'https://a.example', publicGrpcAddress: 'g.example:443' }, direct, () => 'g.example:443'],
  ])('is found at %s', async (_what, values, origin, address) => {
    const endpoint = await GrpcEndpoint.open({ ...config, ...values }, parts);
    try {
      expect(endpoint?.addressFor(origin)).toBe(address(endpoint?.port as number));
    } finally {
      await endpoint?.close(0);
    }
  });

  it('is not there when it is switched off', async () => {
    expect(await GrpcEndpoint.open({ ...config, grpcPort: undefined }, parts)).toBeUndefined();
  });

  it('tells of a taken port as Node does, and of what chooses it', async () => {
    const first = await GrpcEndpoint.open(config, parts);
    try {
      await expect(GrpcEndpoint.open({ ...config, grpcPort: first?.port }, parts)).rejects.toMatchObject({
        code: 'EADDRINUSE',
        syscall: 'listen',
        address: '127.0.0.1',
        port: first?.port,
        setting: 'GRPC_PORT',
      });
    } finally {
      await first?.close(0);
    }
  });

  it('says in one line which file of TLS cannot be used', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chorus-tls-'));
    try {
      const text = join(folder, 'text');
      await writeFile(text, 'no certificate');
      const opened = (grpcCertificateFile: string) =>
        GrpcEndpoint.open({ ...config, grpcCertificateFile, grpcKeyFile: text }, parts);
      await expect(opened(join(folder, 'none'))).rejects.toThrow(
        /^GRPC_TLS_CERT_FILE names .*none, which cannot be read \(ENOENT\)$/,
      );
      await expect(opened(text)).rejects.toThrow(/^GRPC_TLS_CERT_FILE and GRPC_TLS_KEY_FILE hold no certificate and its key/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
