import { join } from 'node:path';
import { fromBinary, toJson } from '@bufbuild/protobuf';
import { FRAME_LIMIT_BYTES } from '#core';
import { PROTO_FORM, type Artifact, type Task } from '#protocol';
import { loadDescriptors } from './descriptors.js';
import { FrameCodec } from './frame-codec.js';
import { SERVICE_V03, SERVICE_V1, type GrpcService } from './grpc-service.js';
import { WireCodec } from './wire-codec.js';

const descriptors = loadDescriptors(join(import.meta.dirname, '../../../../proto'));

/** Numbers take two bytes each as text, and eleven as protobuf. */
const artifact = (artifactId: string, numbers: number): Artifact => ({
  artifactId,
  parts: [{ data: { list: Array.from({ length: numbers }, () => 1) } }],
});
const task = (...artifacts: Artifact[]): Task => ({
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_WORKING' },
  artifacts,
});

describe.each<[string, GrpcService, (task: Task) => object]>([
  ['1.0', SERVICE_V1, (task) => ({ task })],
  ['0.3', SERVICE_V03, (task) => PROTO_FORM.streamResponse({ task }, false)],
])('FrameCodec, for %s', (_, service, formed) => {
  const codec = WireCodec.all(descriptors, service).find(({ operation }) => operation === 'subscribeToTask') as WireCodec;
  const frames = new FrameCodec(codec);
  const output = descriptors.registry.getMessage(`${service.package}.StreamResponse`);
  const read = (bytes: Buffer) => toJson(output as never, fromBinary(output as never, bytes)) as unknown as { task: Task };

  it('leaves out of a Task what makes it too large as protobuf, and names it', () => {
    const text = JSON.stringify(formed(task(artifact('small', 10), artifact('large', 500_000))));
    expect(Buffer.byteLength(text)).toBeLessThan(FRAME_LIMIT_BYTES);
    expect(codec.encode(text).length).toBeGreaterThan(FRAME_LIMIT_BYTES);
    const bytes = frames.encode(text);
    expect(bytes.length).toBeLessThanOrEqual(FRAME_LIMIT_BYTES);
    const { artifacts, metadata } = read(bytes).task;
    expect(artifacts?.map(({ artifactId }) => artifactId)).toEqual(['small']);
    expect(metadata).toEqual({ 'chorus/omittedArtifacts': ['large'] });
  });

  it('leaves alone what fits, and encodes it once while it comes again', () => {
    const text = JSON.stringify(formed(task(artifact('a', 3))));
    const bytes = frames.encode(text);
    expect(read(bytes).task.artifacts).toHaveLength(1);
    expect(frames.encode(`${text}`)).toBe(bytes);
  });
});
