import { readFileSync } from 'node:fs';
import type { Client } from 'pg';

const EVERY_MS = 100;

/** Measures the peak memory of a process, and of any backend of a database, in MiB. */
export class MemoryWatch {
  processMiB = 0;
  backendMiB = 0;
  private readonly timer: NodeJS.Timeout;
  private asking = Promise.resolve();

  constructor(
    private readonly pid: number,
    private readonly database: Client,
  ) {
    this.timer = setInterval(() => this.look(), EVERY_MS);
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.asking;
  }

  private look(): void {
    this.processMiB = Math.max(this.processMiB, mebibytes(this.pid, 'VmRSS'));
    this.asking = this.asking.then(async () => {
      const { rows } = await this.database.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
      );
      // Shared buffers do not belong to the backend.
      for (const { pid } of rows) this.backendMiB = Math.max(this.backendMiB, mebibytes(pid, 'RssAnon'));
    });
  }
}

/** 0 if the process has ended. */
function mebibytes(pid: number, name: string): number {
  try {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    )?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
