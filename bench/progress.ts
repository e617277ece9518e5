const start = performance.now();

/** Prints a line of progress to standard error, because standard output contains only the table. */
export function say(what: string): void {
  const seconds = Math.round((performance.now() - start) / 1000);
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  console.error(`[${clock}] ${what}`);
}
