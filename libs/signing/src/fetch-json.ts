const TIMEOUT_MS = 5000;
const MOST_BYTES = 1024 * 1024;

/**
 * The JSON at a URL; also what `KeySetPolicy.fetch` asks for. Follows no redirect, which could lead to another origin than the
 * one that was allowed. Rejects after 5 s, beyond 1 MiB, for any status but 200 and for what is no JSON.
 */
export async function fetchJson(url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { accept: 'application/json, application/jwk-set+json', ...headers },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}
