import type { Artifact, Message, Struct, Task, WireText } from '#protocol';

/** gRPC clients refuse messages above 4 MiB unless told otherwise; a little room is left for the envelope. */
export const FRAME_LIMIT_BYTES = 4 * 1024 * 1024 - 64 * 1024;
/** What each list of names may take of it. */
const NAMES_LIMIT_BYTES = 64 * 1024;
/** No UTF-16 unit takes more in UTF-8: text this short needs no counting. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * Name, in a Task frame's metadata, what was left out of it and can be read with GetTask: artifacts, and messages of the
 * history and the status. The largest come first; a list stops where it would become large itself.
 */
export const OMITTED_ARTIFACTS = 'chorus/omittedArtifacts';
export const OMITTED_MESSAGES = 'chorus/omittedMessages';

type Piece = Artifact | Message;

/**
 * `task` as the text of a frame that every official client can read: the largest artifacts and messages leave first, and
 * metadata says which. One pass over the task, and two more when something has to leave, however many pieces do. `limit` is in
 * bytes of that text, at least 256 KiB.
 */
export function fitFrame(task: Task, limit = FRAME_LIMIT_BYTES): WireText<Task> {
  const text = JSON.stringify(task);
  if (text.length * MOST_BYTES_PER_UNIT <= limit) return text;
  const bytes = Buffer.byteLength(text);
  return bytes <= limit ? text : JSON.stringify(without(task, tooMuchOf(task, bytes, limit)));
}

/** The largest pieces of `task`, largest first, as many as have to leave. */
function tooMuchOf({ artifacts = [], history = [], status }: Task, bytes: number, limit: number): ReadonlySet<Piece> {
  const pieces: Piece[] = [...artifacts, ...history, ...(status.message ? [status.message] : [])];
  const sized = pieces.map((piece) => ({ piece, size: Buffer.byteLength(JSON.stringify(piece)) + 1 }));
  sized.sort((a, b) => b.size - a.size);
  const room = limit - 2 * NAMES_LIMIT_BYTES;
  const leaving = new Set<Piece>();
  let rest = bytes;
  for (const { piece, size } of sized) {
    if (rest <= room) break;
    leaving.add(piece);
    rest -= size;
  }
  return leaving;
}

function without({ artifacts = [], history = [], status, metadata, ...rest }: Task, leaving: ReadonlySet<Piece>): Task {
  const stays = (piece: Piece): boolean => !leaving.has(piece);
  const { message, ...silent } = status;
  const kept = { artifacts: artifacts.filter(stays), history: history.filter(stays) };
  return {
    ...rest,
    status: message && stays(message) ? status : silent,
    ...(kept.artifacts.length > 0 ? { artifacts: kept.artifacts } : {}),
    ...(kept.history.length > 0 ? { history: kept.history } : {}),
    metadata: {
      ...metadata,
      ...named(OMITTED_ARTIFACTS, leaving, (piece) => ('artifactId' in piece ? piece.artifactId : undefined)),
      ...named(OMITTED_MESSAGES, leaving, (piece) => ('messageId' in piece ? piece.messageId : undefined)),
    },
  };
}

function named(key: string, leaving: ReadonlySet<Piece>, idOf: (piece: Piece) => string | undefined): Struct {
  const ids = new Set<string>();
  let bytes = 0;
  for (const piece of leaving) {
    const id = idOf(piece);
    if (id === undefined || ids.has(id)) continue;
    bytes += Buffer.byteLength(JSON.stringify(id)) + 1;
    if (bytes > NAMES_LIMIT_BYTES) break;
    ids.add(id);
  }
  return ids.size === 0 ? {} : { [key]: [...ids] };
}
