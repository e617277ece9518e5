import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { PROCESS_ROLES } from '#platform/database/service-login';
import { contradictionsOf } from './support/contradictions';
import { CELLS, EXAMPLE_SECRET, manifestFiles, objectsOf, textOf, type Yaml } from './support/files';
import { filesOf, rendered } from './support/kustomize';
import { schemaFaults } from './support/official-schema';

/** Folders in the order in which they are applied. */
const FOLDERS = ['databases', 'migration', '.', 'mover'].map((folder) => join(CELLS, folder));
const IMAGE = /^registry\.example\.org\/mandat@sha256:[0-9a-f]{64}$/;

const objects = (): Yaml[] => [...FOLDERS.flatMap(rendered), ...objectsOf(join(CELLS, EXAMPLE_SECRET))];
const named = (all: readonly Yaml[], kind: string, name: string): Yaml =>
  all.find((one) => one.kind === kind && one.metadata.name === name);
const envOf = (deployment: Yaml): Yaml[] => deployment.spec.template.spec.containers[0].env;

/** Returns the faults of the cells' workers. */
function faultsOfWorkers(all: readonly Yaml[]): string[] {
  const deployments = all.filter(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name !== 'mandat-mover',
  );
  const valueOf = (one: Yaml, variable: string): string | undefined =>
    envOf(one).find(({ name }) => name === variable)?.value;
  const cells = [...valueOf(deployments[0], 'CELLS')!.matchAll(/(?:^| )([a-z0-9-]+)=/g)].map(
    ([, cell]) => cell!,
  );
  const served = deployments.map((one) => valueOf(one, 'WORKER_CELL')).filter((cell) => cell !== undefined);
  const workers = deployments.filter((one) => valueOf(one, 'WORKER_CELL') !== undefined);
  return [
    ...cells
      .filter((cell) => served.filter((one) => one === cell).length !== 1)
      .map((cell) => `workers of ${cell}`),
    ...workers.flatMap(({ metadata: { name, namespace } }) => {
      const query = named(all, 'ScaledObject', name)?.spec.triggers[0].metadata.query as string | undefined;
      const [, space, pods] = /\bmandat_queue_depth\{namespace="(.*)",pod=~"(.*)"\}/.exec(query ?? '') ?? [];
      // Prometheus compares with the whole name of a pod.
      const measured = workers.filter((one) =>
        new RegExp(`^(?:${pods})$`).test(`${one.metadata.name}-7d9f8-x2x4q`),
      );
      return space === namespace && measured.map((one) => one.metadata.name).join() === name
        ? []
        : [`${name} is not scaled by its queue`];
    }),
  ];
}

/** Returns the faults that prevent the mover from moving although it starts. */
function faultsOfMover(all: readonly Yaml[]): string[] {
  const sourcesOf = (workload: Yaml): Yaml[] => envOf(workload).filter(({ name }) => name !== 'SECRETS_KEY');
  const [mover, migration] = [
    named(all, 'Deployment', 'mandat-mover'),
    named(all, 'Job', 'mandat-migration'),
  ];
  const wanted = [
    /^ALTER ROLE mandat_owner .*\bBYPASSRLS$/,
    /^GRANT SET ON PARAMETER session_replication_role /,
  ];
  return [
    ...(isDeepStrictEqual(sourcesOf(mover), sourcesOf(migration)) ? [] : ['the mover has other databases']),
    ...all
      .filter(({ kind, spec }) => {
        if (kind !== 'Cluster') return false;
        const statements = spec.bootstrap.initdb.postInitSQL as string[];
        return !wanted.every((pattern) => statements.some((text) => pattern.test(text)));
      })
      .map(({ metadata: { name } }) => `the login of migrations may not move in ${name}`),
  ];
}

describe('The example with cells', () => {
  it.each(objects().map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    'is accepted by the schema of %s',
    async (_name, object) => {
      expect(await schemaFaults(object)).toEqual([]);
    },
  );

  it('agrees with the application and with itself', () => {
    expect(contradictionsOf(objects(), IMAGE)).toEqual([]);
    expect(faultsOfWorkers(objects())).toEqual([]);
    expect(faultsOfMover(objects())).toEqual([]);
  });

  it('uses all its files, except the example of the Secrets', () => {
    const used = FOLDERS.flatMap(filesOf);
    expect(manifestFiles(CELLS).filter((file) => !used.includes(file))).toEqual([
      join(CELLS, EXAMPLE_SECRET),
    ]);
  });

  it('gives the login in each cluster the roles of processes and the settings that a pooler does not pass on', () => {
    const [, connectQuery] = /connect_query='(.*)'/.exec(textOf('docs/operations.md'))!;
    const wanted = connectQuery!.replace('SET ROLE ', 'SET role = ').split('; ').sort();
    for (const { spec } of rendered(FOLDERS[0]!).filter(({ kind }) => kind === 'Cluster')) {
      const settings = (spec.bootstrap.initdb.postInitSQL as string[]).flatMap(
        (text) => /^ALTER ROLE mandat_service (SET .*)$/.exec(text)?.[1]?.replaceAll("'", '') ?? [],
      );
      expect(settings.sort()).toEqual(wanted);
      expect(spec.managed.roles[0].inRoles).toEqual(PROCESS_ROLES);
    }
  });

  it.each<[fault: RegExp, change: (find: (kind: string, name: string) => Yaml) => unknown]>([
    [/^unknown property \/spec\/instance$/, (find) => (find('Cluster', 'mandat-nord').spec.instance = 3)],
    [
      /^\/spec\/storage must have required/,
      (find) => delete find('Cluster', 'mandat-nord').spec.storage.size,
    ],
    [/^\/spec\/type must be equal/, (find) => (find('Pooler', 'mandat-nord-pooler').spec.type = 'wr')],
    [
      /^unknown property \/spec\/minReplica$/,
      (find) => (find('ScaledObject', 'mandat-worker').spec.minReplica = 1),
    ],
    [/maxReplicaCount/, (find) => (find('ScaledObject', 'mandat-worker').spec.maxReplicaCount = '6')],
    [
      /^Deployment mandat-api connects to mandat-nord-rv, which is no Service$/,
      (find) => (envOf(find('Deployment', 'mandat-api'))[2].value = 'nord=postgres://mandat-nord-rv/mandat'),
    ],
    [
      /^Deployment mandat-worker-nord does not start: /,
      (find) => (envOf(find('Deployment', 'mandat-worker-nord')).at(-1).value = 'sud'),
    ],
    [
      /^ScaledObject mandat-worker scales no Deployment/,
      (find) => (find('Deployment', 'mandat-worker').spec.replicas = 2),
    ],
    [
      /^no Secret holds mandat-owner\/password$/,
      (find) => delete find('Secret', 'mandat-owner').stringData.password,
    ],
    [
      /^workers of nord$/,
      (find) => (envOf(find('Deployment', 'mandat-worker-nord')).at(-1).value = 'principal'),
    ],
    [
      /^mandat-worker is not scaled by its queue$/,
      (find) =>
        (find('ScaledObject', 'mandat-worker').spec.triggers[0].metadata.query = 'max(mandat_queue_depth)'),
    ],
    [
      /^Deployment mandat-mover runs a command that ends$/,
      (find) => (find('Deployment', 'mandat-mover').spec.template.spec.containers[0].args[1] = 'migrate'),
    ],
    [
      /^the mover has other databases$/,
      (find) =>
        (envOf(find('Deployment', 'mandat-mover'))[1].value =
          'postgres://mandat_service@mandat-directory-pooler/mandat'),
    ],
    [
      /^the login of migrations may not move in mandat-nord$/,
      (find) => find('Cluster', 'mandat-nord').spec.bootstrap.initdb.postInitSQL.splice(0, 1),
    ],
    [
      /^the login of migrations may not move in mandat-directory$/,
      (find) => find('Cluster', 'mandat-directory').spec.bootstrap.initdb.postInitSQL.splice(1, 1),
    ],
  ])('a changed example reports %s', async (fault, change) => {
    const all = objects();
    change((kind, name) => named(all, kind, name));
    const schemas = await Promise.all(all.map(schemaFaults));
    expect([
      ...schemas.flat(),
      ...contradictionsOf(all, IMAGE),
      ...faultsOfWorkers(all),
      ...faultsOfMover(all),
    ]).toContainEqual(expect.stringMatching(fault));
  });

  const kubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
  if (!kubectl) process.stdout.write('kubectl is missing: its rendering is not compared\n');
  (kubectl ? it : it.skip).each([...FOLDERS, 'deploy/kubernetes', 'deploy/kubernetes/migration'])(
    '%s is rendered as by kubectl',
    (folder) => {
      const { stdout } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
      const byName = (all: Yaml[]): Yaml[] =>
        all.sort((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));
      const expected = parseAllDocuments(stdout).map((document): Yaml => document.toJS());
      expect(expected.length).toBeGreaterThan(2);
      expect(byName(rendered(folder))).toEqual(byName(expected));
    },
  );
});
