/** SQL that aggregates a column of ids as `TouchedIds.add` takes them. */
export function linesOf(id: string): string {
  return `string_agg(${id}::text, E'\\n' ORDER BY ${id})`;
}

/** Ids of rows to which a write did the same, collected statement by statement. */
export class TouchedIds {
  private runs: string[] = [];
  private total = 0;

  /** @param lines ids, a line each, in ascending order; null where there are none */
  add(count: number, lines: string | null): this {
    this.total += count;
    if (lines !== null) this.runs.push(lines);
    return this;
  }

  get count(): number {
    return this.total;
  }

  /** All of them in ascending order, with a line feed between two. */
  get lines(): string {
    if (this.runs.length > 1) this.runs = [this.runs.join('\n').split('\n').sort().join('\n')];
    return this.runs[0] ?? '';
  }
}
