/** Returns the canonical JSON (RFC 8785) of a value that JSON can hold. */
export function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(',')}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`;
}
