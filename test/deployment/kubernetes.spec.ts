import 'reflect-metadata';
import { basename, dirname, join } from 'node:path';
import { contradictionsOf } from './support/contradictions';
import {
  EXAMPLE_SECRET,
  isKustomization,
  manifestFiles,
  manifests,
  objectsOf,
  type Yaml,
} from './support/files';

describe('The manifests of Kubernetes', () => {
  it('agree with the application and with each other', () => {
    expect(contradictionsOf(manifests())).toEqual([]);
  });

  it('are all part of a kustomization, except the example of the Secret', () => {
    const files = manifestFiles();
    const kustomizations = files.filter(isKustomization);
    expect(kustomizations).toHaveLength(2);
    const listed = kustomizations.flatMap((file) =>
      (objectsOf(file)[0].resources as string[]).map((resource) => join(dirname(file), resource)),
    );
    const unlisted = files.filter((file) => !isKustomization(file) && !listed.includes(file));
    expect(unlisted).toEqual([EXAMPLE_SECRET]);
    expect(listed.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('have the objects that their file names say', () => {
    const kinds = manifestFiles()
      .filter((file) => !isKustomization(file))
      .map(
        (file) =>
          `${basename(file)}: ${objectsOf(file)
            .map(({ kind }) => kind)
            .join(', ')}`,
      );
    expect(kinds.sort()).toEqual([
      'api.yaml: Deployment, Service, PodDisruptionBudget, HorizontalPodAutoscaler',
      'configuration.yaml: ConfigMap',
      'job.yaml: Job, ServiceAccount, NetworkPolicy',
      'network-policies.yaml: NetworkPolicy, NetworkPolicy',
      'secret.example.yaml: Secret',
      'service-account.yaml: ServiceAccount',
      'worker.yaml: Deployment, PodDisruptionBudget',
    ]);
  });

  type Change = (find: (kind: string, name?: string) => Yaml) => void;
  const container = (find: Parameters<Change>[0], kind = 'Deployment', name = 'mandat-api'): Yaml =>
    find(kind, name).spec.template.spec.containers[0];

  const drop = ({ env }: Yaml, variable: string): void =>
    env.splice(
      (env as Yaml[]).findIndex(({ name }) => name === variable),
      1,
    );
  const give = ({ env }: Yaml, key: string): void =>
    env.push({ name: key, valueFrom: { secretKeyRef: { name: 'mandat', key } } });

  it.each<[contradiction: string, change: Change]>([
    [
      'Deployment mandat-api sets PROT, which no process reads',
      (find) => (find('ConfigMap').data.PROT = '1'),
    ],
    [
      'Deployment mandat-api does not start: SECRETS_KEY must be set to 32 random bytes in base64 (openssl rand -base64 32).',
      (find) => drop(container(find), 'SECRETS_KEY'),
    ],
    [
      'Deployment mandat-worker does not start: MAIL_FROM must be set with SMTP_URL: an address, or Name <address>.',
      (find) => delete find('ConfigMap').data.MAIL_FROM,
    ],
    [
      'Deployment mandat-worker has no mail server and no writable files',
      (find) => drop(container(find, 'Deployment', 'mandat-worker'), 'SMTP_URL'),
    ],
    [
      'Deployment mandat-api does not run as in production',
      (find) => (find('ConfigMap').data.NODE_ENV = 'test'),
    ],
    [
      'Deployment mandat-worker does not listen on its port',
      (find) => (find('ConfigMap').data.WORKER_PORT = '9'),
    ],
    [
      'Deployment mandat-api has no liveness probe on an existing path',
      (find) => (container(find).livenessProbe.httpGet.path = '/health/ready'),
    ],
    [
      'Deployment mandat-api has no readiness probe on an existing path',
      (find) => (container(find).readinessProbe.httpGet.port = 'web'),
    ],
    [
      'Deployment mandat-api has a shorter timeout of its readiness probe than the process',
      (find) => (container(find).readinessProbe.timeoutSeconds = 1),
    ],
    [
      'Deployment mandat-api is killed while it stops',
      (find) => (find('ConfigMap').data.SHUTDOWN_DELAY_MS = '20000'),
    ],
    [
      'Deployment mandat-worker is killed while it stops',
      (find) => (find('Deployment', 'mandat-worker').spec.template.spec.terminationGracePeriodSeconds = 40),
    ],
    [
      'Deployment mandat-api has fewer replicas while it is replaced',
      (find) => (find('Deployment').spec.strategy.rollingUpdate.maxUnavailable = 1),
    ],
    [
      'Deployment mandat-api runs dist/apps/api/src/main.js, which is not built',
      (find) => (container(find).args = ['dist/apps/api/src/main.js']),
    ],
    ...['mandat', 'mandat:latest', 'mandat:0.1.0'].map((image): [string, Change] => [
      `Deployment mandat-api runs ${image}`,
      (find) => (container(find).image = image),
    ]),
    [
      'Deployment mandat-worker is given ADMIN_API_KEY, which it does not read',
      (find) => give(container(find, 'Deployment', 'mandat-worker'), 'ADMIN_API_KEY'),
    ],
    [
      'Deployment mandat-api is given SMTP_URL, which it does not read',
      (find) => give(container(find), 'SMTP_URL'),
    ],
    [
      'Job mandat-migration is given ADMIN_API_KEY, which it does not read',
      (find) => give(container(find, 'Job', 'mandat-migration'), 'ADMIN_API_KEY'),
    ],
    [
      'Deployment mandat-api listens on 127.0.0.1, which other pods cannot reach',
      (find) => (find('ConfigMap').data.HOST = '127.0.0.1'),
    ],
    [
      'Job mandat-migration has unnecessary privileges',
      (find) => (container(find, 'Job', 'mandat-migration').securityContext.readOnlyRootFilesystem = false),
    ],
    [
      'Deployment mandat-api is more than one ordinary container',
      (find) => (find('Deployment').spec.template.spec.hostNetwork = true),
    ],
    [
      'Deployment mandat-api has an account with a token, or none',
      (find) => (find('ServiceAccount', 'mandat').automountServiceAccountToken = true),
    ],
    [
      'Deployment mandat-api gets variables of Services',
      (find) => delete find('Deployment').spec.template.spec.enableServiceLinks,
    ],
    ['Deployment mandat-api has no bounds of memory', (find) => delete container(find).resources.limits],
    [
      'Deployment mandat-api does not select itself',
      (find) => (find('Deployment').spec.template.metadata.labels['app.kubernetes.io/component'] = 'web'),
    ],
    [
      'Deployment mandat-api spreads others over kubernetes.io/hostname',
      (find) => {
        const [, host] = find('Deployment').spec.template.spec.topologySpreadConstraints;
        host.labelSelector.matchLabels['app.kubernetes.io/component'] = 'worker';
      },
    ],
    [
      'Deployment mandat-worker has no NetworkPolicy',
      (find) => (find('NetworkPolicy', 'mandat-worker').spec.podSelector.matchLabels = { app: 'worker' }),
    ],
    [
      'NetworkPolicy mandat-api does not select exactly one workload',
      (find) => delete find('NetworkPolicy').spec.podSelector.matchLabels['app.kubernetes.io/component'],
    ],
    [
      'PodDisruptionBudget mandat-worker does not select exactly one workload',
      (find) => (find('PodDisruptionBudget', 'mandat-worker').spec.selector.matchLabels = {}),
    ],
    [
      'Service mandat-api does not reach a port of exactly one workload',
      (find) => (find('Service').spec.ports[0].targetPort = 'web'),
    ],
    [
      'HorizontalPodAutoscaler mandat-api scales no Deployment, or one with a fixed number of replicas',
      (find) => (find('Deployment').spec.replicas = 2),
    ],
    ['no Secret holds mandat/SMTP_URL', (find) => delete find('Secret').stringData.SMTP_URL],
    ['no process reads mandat/SALT of the Secret', (find) => (find('Secret').stringData.SALT = '')],
    [
      'the example of the Secret has a value of ADMIN_API_KEY',
      (find) => (find('Secret').stringData.ADMIN_API_KEY = 'x'),
    ],
  ])('changed manifests report "%s"', (contradiction, change) => {
    const objects = manifests();
    change((kind, name) =>
      objects.find((one) => one.kind === kind && (name === undefined || one.metadata.name === name)),
    );
    expect(contradictionsOf(objects)).toContain(contradiction);
  });
});
