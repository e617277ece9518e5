import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Delivered, Gate, Mail, Mailer } from './mailer';

/**
 * Writes messages as files `<courriel>/<recipient>.eml`, if there is no mail server. A file appears complete, and each
 * recipient has one file.
 */
export class FolderMailer implements Mailer {
  constructor(private readonly folder: string) {}

  async deliver({ courrielId, destinataireId, content }: Mail, gate: Gate): Promise<Delivered> {
    const folder = join(this.folder, courrielId);
    const scratch = join(folder, `.${destinataireId}.${randomUUID()}`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(scratch, content, { flag: 'wx', mode: 0o600, flush: true });
    } catch (error) {
      await remove(scratch);
      return { result: 'unreachable', reason: (error as NodeJS.ErrnoException).code ?? 'unknown reason' };
    }
    try {
      if (!(await gate())) return { result: 'held' };
      await rename(scratch, join(folder, `${destinataireId}.eml`));
      return { result: 'accepted' };
    } catch {
      return { result: 'later', code: null };
    } finally {
      // It is still there unless it was renamed.
      await remove(scratch);
    }
  }

  close(): void {
    // Files that are being written will be complete in a moment.
  }
}

async function remove(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}
