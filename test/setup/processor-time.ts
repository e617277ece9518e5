import { appendFileSync, readdirSync, readFileSync } from 'node:fs';

/** The kernel counts 100 ticks a second. */
const TICK_MS = 10;

/** Processor times in ms. */
interface Times {
  readonly parent: number;
  readonly own: number;
  /** The time of its ended children and of theirs. */
  readonly ended: number;
}

/** Returns undefined for a process that has ended, and where there is no /proc. */
function timesOf(pid: number | 'self'): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may have spaces.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number) as Record<number, number>;
    const ms = (from: number): number => (fields[from]! + fields[from + 1]!) * TICK_MS;
    return { parent: fields[1]!, own: ms(11), ended: ms(13) };
  } catch {
    return undefined;
  }
}

/** Returns the processor time of this process and of the processes that it has started and that have ended, in ms. */
export function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + (timesOf('self')?.ended ?? 0);
}

/** Returns the processor time of a PostgreSQL server with all its connections, in ms. */
export function spentByServer(pid: number): number {
  const server = timesOf(pid);
  if (!server) return 0;
  const processes = readdirSync('/proc').map((name) =>
    /^\d+$/.test(name) ? timesOf(Number(name)) : undefined,
  );
  return processes.reduce((sum, one) => sum + (one?.parent === pid ? one.own : 0), server.own + server.ended);
}

/** Adds a line to the file that PROCESSOR_TIME names; tools/tests/dearest.mjs reads it. */
export function record(file: string, ms: number): void {
  const lines = process.env.PROCESSOR_TIME;
  if (lines) appendFileSync(lines, `${JSON.stringify({ file, ms: Math.round(ms) })}\n`);
}
