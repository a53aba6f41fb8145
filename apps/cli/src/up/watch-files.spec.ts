import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFiles, type FileWatch } from './watch-files.js';

describe('watchFiles', () => {
  let folder = '';
  let watch: FileWatch;
  let changes = 0;
  let heard: () => void;
  let held: Promise<void> | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'watched-'));
    mkdirSync(join(folder, 'deep'));
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'deep', 'a.ts'), '1');
    changes = 0;
    held = undefined;
    heard = () => undefined;
    watch = watchFiles(
      [folder],
      async () => {
        changes += 1;
        heard();
        await held;
      },
      5,
    );
  });
  afterEach(() => {
    watch.close();
    rmSync(folder, { recursive: true });
  });

  const next = (): Promise<void> => new Promise((resolve) => (heard = resolve));

  it.each([
    ['changed', () => writeFileSync(join(folder, 'deep', 'a.ts'), '22')],
    ['added', () => writeFileSync(join(folder, 'b.ts'), '1')],
    ['removed', () => rmSync(join(folder, 'deep', 'a.ts'))],
  ])('tells of a file that was %s', async (_, change) => {
    const told = next();
    change();
    await told;
    expect(changes).toBe(1);
  });

  it('does not look into node_modules and hidden files', async () => {
    writeFileSync(join(folder, 'node_modules', 'x.js'), '1');
    writeFileSync(join(folder, '.hidden'), '1');
    const told = next();
    // What it is to hear of comes after what it is not to hear of.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(changes).toBe(0);
    writeFileSync(join(folder, 'b.ts'), '1');
    await told;
    expect(changes).toBe(1);
  });

  it('tells once at a time, and again of what changed meanwhile', async () => {
    let release = (): void => undefined;
    held = new Promise((resolve) => (release = resolve));
    const first = next();
    writeFileSync(join(folder, 'b.ts'), '1');
    await first;
    const second = next();
    writeFileSync(join(folder, 'b.ts'), '22');
    expect(changes).toBe(1);
    release();
    await second;
    expect(changes).toBe(2);
  });
});
