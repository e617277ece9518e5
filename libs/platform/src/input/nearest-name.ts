/** Returns the name that a misspelt one probably means; undefined if none is near. */
export function nearestName(sent: string, names: readonly string[]): string | undefined {
  const plain = plainOf(sent);
  // A third of the characters may differ: beyond that, words are others.
  let most = Math.max(1, Math.floor(plain.length / 3));
  let nearest: string | undefined;
  for (const name of names) {
    const candidate = plainOf(name);
    if (Math.abs(candidate.length - plain.length) > most) continue;
    const distance = editDistance(plain, candidate);
    if (distance > most || (nearest !== undefined && distance === most)) continue;
    most = distance;
    nearest = name;
  }
  return nearest;
}

/** The letters and digits of a name, without case and accents: `id_externe` and `IDExterne` are equal. */
function plainOf(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^a-z\d]/gi, '')
    .toLowerCase();
}

/** The number of characters to add, remove or replace (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
