import { writeFile } from 'node:fs/promises';
import { StartError } from '#platform';
import { generateSigningKey, parseSigningKey, type SigningAlgorithm } from '#signing';

/** Writes a new private key, and says on standard error what its id is. @throws StartError when the file cannot be made */
export async function makeKey(algorithm: SigningAlgorithm, file: string | undefined): Promise<void> {
  const pem = generateSigningKey(algorithm);
  const { kid } = await parseSigningKey(pem);
  if (file === undefined) process.stdout.write(pem);
  else await writeNew(file, pem);
  process.stderr.write(`A key for ${algorithm} with the id ${kid}${file === undefined ? '' : `, in ${file}`}\n`);
}

/** A file that is there may be the key that signs now. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      code === 'EEXIST' ? `${file} is there already: choose another name` : `${file} cannot be written (${code})`,
    );
  }
}
