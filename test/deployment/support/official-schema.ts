import type { Yaml } from './files';

interface Model {
  readonly prototype: { validate(this: Yaml): void };
}

/**
 * What the official schema of an object says against it: wrong types, missing and unknown properties. Its validators let
 * unknown properties pass, as the API itself does; but they look at every property that they know, so that one at which
 * none has looked is unknown.
 */
export async function schemaFaults(object: Yaml): Promise<string[]> {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  // Of ES modules only, which no import at the top of this file may load.
  const models = (await import(`kubernetes-models/${apiVersion}`)) as Record<string, Model>;
  const watched = new Watched(object);
  try {
    models[kind]!.prototype.validate.call(watched.proxy);
  } catch (error) {
    return [(error as Error).message];
  }
  return watched.unseen();
}

/** A value that notes which of its properties, at any depth, were looked at. */
class Watched {
  readonly proxy: Yaml;
  private readonly seen = new Map<string | symbol, Watched | undefined>();

  constructor(private readonly value: Record<string, unknown>) {
    this.proxy = new Proxy(value, {
      get: (target, key) => {
        const found = target[key as string];
        if (typeof found !== 'object' || found === null) {
          this.seen.set(key, undefined);
          return found;
        }
        if (!this.seen.has(key)) this.seen.set(key, new Watched(found as Record<string, unknown>));
        return this.seen.get(key)!.proxy as unknown;
      },
    });
  }

  /** Paths of properties at which nobody has looked. */
  unseen(path = ''): string[] {
    return Object.keys(this.value).flatMap((key) =>
      this.seen.has(key)
        ? (this.seen.get(key)?.unseen(`${path}/${key}`) ?? [])
        : [`unknown property ${path}/${key}`],
    );
  }
}
