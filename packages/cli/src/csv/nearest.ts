/** Returns the name with the fewest letters to change, if these are at most a third of it. Case and accents count less. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(plain(name), plain(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(name.length, best.candidate.length) / 3
    ? best.candidate
    : undefined;
}

/** Returns Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(row[j]! + (a[i] === b[j] ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    row = next;
  }
  return row[b.length]!;
}
