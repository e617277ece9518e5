import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LONG_WORK } from '#platform/database/database';
import { SHARED_CONNECTIONS } from '#platform/database/shared-connections';
import { SHORT_WRITES } from '#platform/limits/connection-shares';
import { readVariables } from './support/environment';
import { manifests, objectsOf, textOf, type Yaml } from './support/files';

const GUIDE = textOf('docs/operations.md');
const MONITORING = /^## Monitoring$(.*?)^## /ms.exec(GUIDE)![1]!;

/** Names of metrics in the code. Counters and histograms get additional endings. */
function measurementsOfCode(): string[] {
  const sources = ['libs', 'apps/worker'].flatMap((folder) => {
    const files = readdirSync(join(__dirname, '../..', folder), { recursive: true, encoding: 'utf8' });
    return files.filter((file) => /(?<!\.spec)\.ts$/.test(file)).map((file) => textOf(`${folder}/${file}`));
  });
  const made = sources
    .join('\n')
    .matchAll(/\b(?:create(?:Counter|Histogram|UpDownCounter)|gauge)\(\s*'(\w+)'/g);
  return [...new Set([...made].map(([, name]) => name!))].sort();
}

describe('docs/operations.md', () => {
  it('names exactly the metrics that the processes export', () => {
    const named = [...MONITORING.matchAll(/\b(?:mandat|http_server|process)_[a-z0-9_]+\b/g)];
    const plain = named.map(([name]) => name.replace(/_(total|bucket|count|sum)$/, ''));
    const made = measurementsOfCode();
    expect(made.length).toBeGreaterThan(7);
    expect([...new Set(plain)].sort()).toEqual(made);
  });

  it('names only variables that the code reads or the image sets', () => {
    const ofExporter = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_CERTIFICATE'];
    const ofImage = [...textOf('Dockerfile').matchAll(/^ENV (\w+)=/gm)].map(([, name]) => name!);
    const known = [...readVariables(), 'MIGRATION_DATABASE_URL', ...ofExporter, ...ofImage];
    const named = [...GUIDE.matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('names only existing files and folders', () => {
    const named = [...GUIDE.matchAll(/\b((?:docs|deploy|test|libs)\/[\w./-]*\w)/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(8);
    // Decisions are named by their number.
    const paths = named.map((path) => (/^docs\/adr\/\d{4}$/.test(path) ? 'docs/adr' : path));
    const there = (path: string): boolean =>
      readdirSync(join(__dirname, '../..', path, '..')).includes(path.split('/').at(-1)!);
    expect(paths.filter((path) => !there(path))).toEqual([]);
  });

  it('counts the connections of the processes in deploy/kubernetes', () => {
    const all = manifests();
    const find = (kind: string, name: string): Yaml =>
      all.find((one) => one.kind === kind && one.metadata.name === name);
    const size = Number(find('ConfigMap', 'mandat').data.DATABASE_POOL_SIZE);
    // Reads, access, transactions, short writes; look-ups; the queue's; the watch.
    const api = (2 + 1 + SHORT_WRITES) * size + SHARED_CONNECTIONS + 1 + 1;
    const worker = (2 + LONG_WORK) * size + SHARED_CONNECTIONS + 1 + 5 + 1;
    const apis = find('HorizontalPodAutoscaler', 'mandat-api').spec.maxReplicas as number;
    const workers = find('Deployment', 'mandat-worker').spec.replicas as number;
    const surge = objectsOf('deploy/kubernetes/api.yaml')[0].spec.strategy.rollingUpdate.maxSurge as number;
    expect(GUIDE).toContain(`with the ${size} of \`deploy/kubernetes\` ${api} and ${worker}.`);
    expect(GUIDE).toContain(`are ${(apis + surge) * api + (workers + surge) * worker}:`);
  });
});
