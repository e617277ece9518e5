import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import type { Dossier } from '../persistence/dossier.repository';

const BLOCK = 512;

/** Bytes of the archive: each file has a header and is filled up to whole blocks, and two empty blocks end it. */
export function archiveBytes({ fichiers }: Pick<Dossier, 'fichiers'>): number {
  const blocks = fichiers.reduce((sum, { octets }) => sum + 1 + Math.ceil(octets / BLOCK), 2);
  return blocks * BLOCK;
}

/** The archive of a bundle, made as fast as it is taken. @param parts reads the bytes of a file by its place */
export async function* archiveOf(
  { fichiers, fermeture }: Pick<Dossier, 'fichiers' | 'fermeture'>,
  parts: (fichier: number) => AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array, void> {
  const pack = tar.pack();
  const filled = fill();
  filled.catch((error: unknown) => pack.destroy(error as Error));
  try {
    yield* pack as AsyncIterable<Uint8Array>;
    await filled;
  } finally {
    pack.destroy();
  }

  async function fill(): Promise<void> {
    for (const [place, { nom, octets }] of fichiers.entries()) {
      const entry = pack.entry({ name: nom, size: octets, mode: 0o644, mtime: fermeture, type: 'file' });
      await pipeline(Readable.from(parts(place)), entry);
    }
    pack.finalize();
  }
}
