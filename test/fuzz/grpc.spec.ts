import { fromBinary, fromJson, toBinary, type DescMethod } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import * as fc from 'fast-check';
import { ERROR_TABLE, OPERATIONS } from '#protocol';
import { protoDirectory } from '#platform';
import { loadDescriptors } from '#transport';
import { ErrorLog, fuzz, HANGS_AFTER_MS } from '../support/fuzzing.js';
import { GrpcClient } from '../support/grpc-client.js';
import { GrpcError } from '../support/grpc-status.js';
import { AGENT } from '../support/in-memory-host.js';
import { MirrorHost } from '../support/mirror-host.js';
import { anyHeaders, anyOperation, REQUESTS } from '../support/request-arbitraries.js';

const methods = loadDescriptors(protoDirectory).registry.getService('lf.a2a.v1.A2AService')?.methods ?? [];

function methodOf(name: string): DescMethod {
  const method = methods.find((one) => one.name === name);
  if (!method) throw new Error(`no method ${name}`);
  return method;
}

const randomBytes = fc.uint8Array({ maxLength: 200 });
/** Bytes with some of them replaced, so that they are nearly what they were. */
const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.uint8Array({ maxLength: 3 })), { maxLength: 3 });

interface Case {
  readonly name: string;
  /** In ProtoJSON; what protobuf cannot say makes it the bytes alone. */
  readonly request: Record<string, unknown>;
  readonly bytes: Uint8Array | undefined;
  readonly damage: readonly (readonly [number, number, Uint8Array])[];
  readonly metadata: Record<string, string>;
}

const anyCase: fc.Arbitrary<Case> = anyOperation.chain((operation) =>
  fc
    .record({
      request: REQUESTS[operation],
      bytes: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: randomBytes }),
      damage: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: damage }),
      headers: anyHeaders,
    })
    .map(({ request, bytes, damage: damages, headers: { 'last-event-id': last, ...headers } }) => ({
      name: OPERATIONS[operation].method,
      request,
      bytes,
      damage: damages,
      metadata: last === undefined ? headers : { ...headers, 'a2a-last-event-id': last },
    })),
);

/** As JSON text has it. Protobuf cannot say it. */
const UNPAIRED_SURROGATE = /\\ud[89a-f][0-9a-f]{2}/g;

const OURS = new Map(Object.values(ERROR_TABLE).map(({ reason, grpc }) => [reason, grpc]));

describe('gRPC, whatever is sent', () => {
  const log = new ErrorLog();
  let host: MirrorHost;
  let client: GrpcClient;

  beforeAll(async () => {
    host = await MirrorHost.start(log.logger);
    client = new GrpcClient(host.grpcAddress);
  });
  afterAll(async () => {
    client.close();
    await host.close();
  });

  const bytesOf = ({ name, request, bytes, damage: damages }: Case): Buffer => {
    let whole = Buffer.from(bytes ?? encoded(name, request));
    for (const [at, length, piece] of damages) {
      const start = whole.length === 0 ? 0 : at % whole.length;
      whole = Buffer.concat([whole.subarray(0, start), piece, whole.subarray(start + length)]);
    }
    return whole;
  };
  const encoded = (name: string, { tenant, ...request }: Record<string, unknown>): Uint8Array => {
    const { input } = methodOf(name);
    const text = JSON.stringify(tenant === undefined ? request : { ...request, tenant: AGENT });
    const json = JSON.parse(host.known(text.replace(UNPAIRED_SURROGATE, '?')));
    try {
      return toBinary(input, fromJson(input, json, { ignoreUnknownFields: true }));
    } catch {
      return Buffer.from(JSON.stringify(request));
    }
  };

  it('answers with a message, or with an error of the table', async () => {
    let accepted = 0;
    await fuzz(16_000, anyCase, async (one) => {
      const method = methodOf(one.name);
      const options = { metadata: one.metadata, deadlineMs: HANGS_AFTER_MS };
      const path = `/${method.parent.typeName}/${method.name}`;
      try {
        for await (const bytes of client.answers(path, bytesOf(one), options)) fromBinary(method.output, bytes);
        accepted += 1;
      } catch (error) {
        if (!(error instanceof GrpcError)) throw error;
        const reason = String(error.details[0]?.['reason']);
        if (reason === 'INTERNAL' || OURS.get(reason) !== status[error.code]) {
          throw new Error(`was answered with ${status[error.code]}: ${error.message}`, { cause: error });
        }
      }
    });
    // Else it would prove nothing but that everything is refused.
    expect(accepted).toBeGreaterThan(250);
    expect(log.errors).toEqual([]);
  });
});
