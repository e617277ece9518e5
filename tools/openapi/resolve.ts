/** Components that are only written once; unlike schemas, their names mean nothing to a reader or a generated client. */
const SHARED = ['examples', 'headers', 'parameters', 'responses'];

type Node = Readonly<Record<string, unknown>>;

/** Returns a document with its shared components in the place of each reference to them. Schemas keep their names. */
export function resolved<T extends object>(document: T): T {
  const { components, ...rest } = document as { components?: Record<string, Node> };
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (typeof part !== 'object' || part === null) return part;
    const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(String((part as Node).$ref)) ?? [];
    if (!kind || !name || !SHARED.includes(kind))
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolve(value)]));
    const target = components?.[kind]?.[name];
    if (!target) throw new Error(`The document has no ${kind} ${name}.`);
    return resolve(target);
  };
  const others = Object.entries(components ?? {}).filter(([kind]) => !SHARED.includes(kind));
  return resolve({ ...rest, ...(components ? { components: Object.fromEntries(others) } : {}) }) as T;
}
