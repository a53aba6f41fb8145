import type { Artifact, Task } from '#protocol';

/** gRPC clients refuse messages above 4 MiB unless told otherwise; a little room is left for the envelope. */
const FRAME_LIMIT_BYTES = 4 * 1024 * 1024 - 64 * 1024;

/** Names, in a Task frame's metadata, the artifacts that were left out of it and can be read with GetTask. */
export const OMITTED_ARTIFACTS = 'chorus/omittedArtifacts';

/** `task` as a frame that every official client can read: the largest artifacts leave first, and metadata says which. */
export function fitFrame(task: Task): Task {
  if (Buffer.byteLength(JSON.stringify(task)) <= FRAME_LIMIT_BYTES || !task.artifacts) return task;
  const bySize = [...task.artifacts].sort((a, b) => sizeOf(b) - sizeOf(a));
  const omitted: string[] = [];
  let fitted = task;
  for (const artifact of bySize) {
    omitted.push(artifact.artifactId);
    fitted = {
      ...task,
      artifacts: task.artifacts.filter(({ artifactId }) => !omitted.includes(artifactId)),
      metadata: { ...task.metadata, [OMITTED_ARTIFACTS]: [...omitted] },
    };
    if (Buffer.byteLength(JSON.stringify(fitted)) <= FRAME_LIMIT_BYTES) break;
  }
  return fitted;
}

const sizeOf = (artifact: Artifact): number => JSON.stringify(artifact).length;
