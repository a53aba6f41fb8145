import { projectRoot } from '#platform';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Got } from './push-receiver.js';

export interface Verified {
  readonly id?: string;
  readonly taskId?: string;
  /** Why it was refused. */
  readonly error?: string;
}

/** Calls what the example exports, once a line. */
const DRIVER = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { headers, body } = JSON.parse(line);
  const result = await verifyNotification(headers, Buffer.from(body, 'base64')).catch((error) => ({ error: error.message }));
  console.log(JSON.stringify(result));
}`;

/**
 * Verifies notifications with the example of docs/push.md as it is written there, but for its two addresses, in a process of its own:
 * one result for each notification.
 */
export async function verifyAsDocumented(
  { host, receiver }: { readonly host: string; readonly receiver: string },
  notifications: readonly Pick<Got, 'headers' | 'body'>[],
): Promise<Verified[]> {
  const page = readFileSync(join(projectRoot, 'docs', 'push.md'), 'utf8');
  const example = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const code = example.replace('https://agents.example.com', host).replace('https://client.example.com/notifications', receiver);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code + DRIVER], {
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  const lines = notifications.map(({ headers, body }) => JSON.stringify({ headers, body: body.toString('base64') }));
  child.stdin.end(`${lines.join('\n')}\n`);
  await once(child, 'close');
  const results = Buffer.concat(output).toString().trim();
  return results === '' ? [] : results.split('\n').map((line) => JSON.parse(line) as Verified);
}
