const start = performance.now();

/** One line of progress, on standard error: standard output holds the table alone. */
export function say(what: string): void {
  const seconds = Math.round((performance.now() - start) / 1000);
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  console.error(`[${clock}] ${what}`);
}
