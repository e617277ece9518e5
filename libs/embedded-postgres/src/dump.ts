import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';

const HEAD_BYTES = 4_096;
const RESTORE = 'pg_restore --exit-on-error --dbname="$NEW_DATABASE"';
const RUN = 'psql --set=ON_ERROR_STOP=1 "$NEW_DATABASE"';

/** Returns the command that restores a dump of pg_dump, of any of its formats, or of pg_dumpall; undefined if it is none. */
export async function restoringCommand(path: string): Promise<string | undefined> {
  if ((await stat(path)).isDirectory())
    return existsSync(join(path, 'toc.dat')) ? `${RESTORE} ${path}` : undefined;
  const { text, isCompressed } = await headOf(path);
  const program = /^(PGDMP|toc\.dat\0)/.test(text)
    ? RESTORE
    : /^-- PostgreSQL database (cluster )?dump$/m.test(text)
      ? RUN
      : undefined;
  if (!program) return undefined;
  if (isCompressed) return `gunzip --stdout ${path} | ${program}`;
  return program === RUN ? `${program} --file=${path}` : `${program} ${path}`;
}

/** Returns the beginning of a file, without the compression of gzip. */
async function headOf(path: string): Promise<{ readonly text: string; readonly isCompressed: boolean }> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES);
    const head = buffer.subarray(0, bytesRead);
    const isCompressed = head.toString('hex', 0, 2) === '1f8b';
    const bytes = isCompressed ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head;
    return { text: bytes.toString('latin1'), isCompressed };
  } finally {
    await file.close();
  }
}
