import Ajv, { type AnySchema } from 'ajv';
import { CNPG_SCHEMAS } from './cnpg-schema';
import type { Yaml } from './files';

/** Packages with the schemas of operators' objects, by API. */
const FAMILIES: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

interface Model {
  readonly prototype: { validate(this: Yaml): void };
}

/**
 * Validates an object with its official schema. Returns wrong types, missing and unknown properties. The validators of
 * the schema accept unknown properties, as the API itself does. But they read every property that they know, so a property
 * that was not read is unknown.
 */
export async function schemaFaults(object: Yaml): Promise<string[]> {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  if (apiVersion.startsWith('postgresql.cnpg.io/')) return faultsBySchema(CNPG_SCHEMAS[kind]!, object);
  // An ES module, which an import at the top of this file cannot load.
  const family = FAMILIES[apiVersion.split('/')[0]!] ?? 'kubernetes-models';
  const models = (await import(`${family}/${apiVersion}`)) as Record<string, Model>;
  const watched = new Watched(object);
  try {
    models[kind]!.prototype.validate.call(watched.proxy);
  } catch (error) {
    return [(error as Error).message];
  }
  return watched.unseen();
}

function faultsBySchema(schema: AnySchema, object: Yaml): string[] {
  const ajv = new Ajv({ allErrors: true });
  if (ajv.validate(schema, object)) return [];
  return ajv.errors!.map(({ instancePath, message, params }) =>
    'additionalProperty' in params
      ? `unknown property ${instancePath}/${params.additionalProperty}`
      : `${instancePath} ${message}`,
  );
}

/** A value that records which of its properties were read, at any depth. */
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

  /** Paths of properties that were not validated. */
  unseen(path = ''): string[] {
    return Object.keys(this.value).flatMap((key) =>
      this.seen.has(key)
        ? (this.seen.get(key)?.unseen(`${path}/${key}`) ?? [])
        : [`unknown property ${path}/${key}`],
    );
  }
}
