import { type AnySchema } from 'ajv';

const text = { type: 'string', minLength: 1 } as const;
const count = { type: 'integer', minimum: 1 } as const;
const flag = { type: 'boolean' } as const;
const size = { type: 'string', pattern: '^[1-9]\\d*(Mi|Gi|Ti)$' } as const;
const parameters = { type: 'object', additionalProperties: { type: 'string' } } as const;

function object(properties: Record<string, AnySchema>, required: readonly string[] = []): AnySchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const named = object({ name: text }, ['name']);
const storage = object({ size, storageClass: text }, ['size']);
const metadata = object({ name: text, namespace: text, labels: { type: 'object' } }, ['name']);
const quantities = { type: 'object', additionalProperties: { type: 'string' } } as const;
const role = object(
  {
    ...{
      name: text,
      ensure: { enum: ['present', 'absent'] },
      comment: text,
      connectionLimit: { type: 'integer' },
    },
    ...{ login: flag, inherit: flag, createrole: flag, createdb: flag, superuser: flag, bypassrls: flag },
    ...{ replication: flag, inRoles: { type: 'array', items: text }, passwordSecret: named },
  },
  ['name'],
);

const CLUSTER = object(
  {
    ...{ instances: count, imageName: text, storage, walStorage: storage, enableSuperuserAccess: flag },
    postgresql: object({
      parameters,
      synchronous: object(
        {
          method: { enum: ['any', 'first'] },
          number: count,
          dataDurability: { enum: ['required', 'preferred'] },
        },
        ['method', 'number'],
      ),
    }),
    bootstrap: object({
      initdb: object({
        ...{ database: text, owner: text, encoding: text, secret: named },
        postInitSQL: { type: 'array', items: text },
      }),
    }),
    managed: object({ roles: { type: 'array', items: role } }),
    affinity: object({
      enablePodAntiAffinity: flag,
      podAntiAffinityType: { enum: ['preferred', 'required'] },
      topologyKey: text,
    }),
    resources: object({ requests: quantities, limits: quantities }),
  },
  ['instances', 'storage'],
);

const POOLER = object(
  {
    ...{ cluster: named, instances: count, type: { enum: ['rw', 'ro', 'r'] } },
    pgbouncer: object({ poolMode: { enum: ['session', 'transaction'] }, parameters }),
  },
  ['cluster', 'pgbouncer'],
);

const whole = (spec: AnySchema): AnySchema =>
  object({ apiVersion: { const: 'postgresql.cnpg.io/v1' }, kind: text, metadata, spec }, [
    'metadata',
    'spec',
  ]);

/**
 * Schemas of CloudNativePG's objects, with the fields that the manifests use, after its API reference (1.26). The operator
 * publishes no npm package.
 */
export const CNPG_SCHEMAS: Readonly<Record<string, AnySchema>> = {
  Cluster: whole(CLUSTER),
  Pooler: whole(POOLER),
};
