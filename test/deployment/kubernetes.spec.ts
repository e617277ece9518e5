import 'reflect-metadata';
import { basename, join } from 'node:path';
import { contradictionsOf } from './support/contradictions';
import {
  BASE,
  EXAMPLE_SECRET,
  isKustomization,
  manifestFiles,
  manifests,
  objectsOf,
  type Yaml,
} from './support/files';
import { filesOf } from './support/kustomize';

describe('The manifests of Kubernetes', () => {
  it('agree with the application and with each other', () => {
    expect(contradictionsOf(manifests())).toEqual([]);
  });

  it('are all part of a kustomization, except the example of the Secret', () => {
    const listed = [BASE, `${BASE}/migration`].flatMap(filesOf);
    const unlisted = manifestFiles().filter((file) => !listed.includes(file));
    expect(unlisted).toEqual([join(BASE, EXAMPLE_SECRET)]);
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
      'network-policies.yaml: NetworkPolicy',
      'network-policy.yaml: NetworkPolicy',
      'secret.example.yaml: Secret',
      'service-account.yaml: ServiceAccount',
      'worker.yaml: Deployment, PodDisruptionBudget',
    ]);
  });

  /** Finds the first object of a kind, or the one with the name. */
  class Manifests {
    readonly objects = manifests();
    find(kind: string, name?: string): Yaml {
      return this.objects.find(
        (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
      );
    }
    get data(): Yaml {
      return this.find('ConfigMap').data;
    }
    get api(): Yaml {
      return this.find('Deployment', 'mandat-api').spec;
    }
    get worker(): Yaml {
      return this.find('Deployment', 'mandat-worker').spec;
    }
    get job(): Yaml {
      return this.find('Job').spec;
    }
  }
  const container = ({ template }: Yaml): Yaml => template.spec.containers[0];
  const drop = ({ env }: Yaml, variable: string): void =>
    env.splice(
      (env as Yaml[]).findIndex(({ name }) => name === variable),
      1,
    );
  const give = ({ env }: Yaml, key: string): void =>
    env.push({ name: key, valueFrom: { secretKeyRef: { name: 'mandat', key } } });

  const COMPONENT = 'app.kubernetes.io/component';
  const CHANGES: Readonly<Record<string, (files: Manifests) => unknown>> = {
    'api sets PROT, which no process reads': ({ data }) => (data.PROT = '1'),
    'api does not start: SECRETS_KEY must be set to 32 random': ({ api }) =>
      drop(container(api), 'SECRETS_KEY'),
    'worker does not start: MAIL_FROM must be set with SMTP_URL': ({ data }) => delete data.MAIL_FROM,
    'worker has no mail server and no writable files': ({ worker }) => drop(container(worker), 'SMTP_URL'),
    'api does not run as in production': ({ data }) => (data.NODE_ENV = 'test'),
    'worker does not listen on its port': ({ data }) => (data.WORKER_PORT = '9'),
    'api has no liveness probe on an existing path': ({ api }) =>
      (container(api).livenessProbe.httpGet.path = '/health/ready'),
    'api has no readiness probe on an existing path': ({ api }) =>
      (container(api).readinessProbe.httpGet.port = 'web'),
    'api has a shorter timeout of its readiness probe than the process': ({ api }) =>
      (container(api).readinessProbe.timeoutSeconds = 1),
    'api is killed while it stops': ({ data }) => (data.SHUTDOWN_DELAY_MS = '20000'),
    'worker is killed while it stops': ({ worker }) =>
      (worker.template.spec.terminationGracePeriodSeconds = 40),
    'api has fewer replicas while it is replaced': ({ api }) =>
      (api.strategy.rollingUpdate.maxUnavailable = 1),
    'api runs dist/apps/api/src/main.js, which is not built': ({ api }) =>
      (container(api).args = ['dist/apps/api/src/main.js']),
    'api runs mandat': ({ api }) => (container(api).image = 'mandat'),
    'api runs mandat:latest': ({ api }) => (container(api).image = 'mandat:latest'),
    'api runs mandat:0.2.0': ({ api }) => (container(api).image = 'mandat:0.2.0'),
    'worker is given ADMIN_API_KEY, which it does not read': ({ worker }) =>
      give(container(worker), 'ADMIN_API_KEY'),
    'api is given SMTP_URL, which it does not read': ({ api }) => give(container(api), 'SMTP_URL'),
    'Job mandat-migration is given ADMIN_API_KEY, which it does not read': ({ job }) =>
      give(container(job), 'ADMIN_API_KEY'),
    'api listens on 127.0.0.1, which other pods cannot reach': ({ data }) => (data.HOST = '127.0.0.1'),
    'Job mandat-migration has unnecessary privileges': ({ job }) =>
      (container(job).securityContext.readOnlyRootFilesystem = false),
    'api is more than one ordinary container': ({ api }) => (api.template.spec.hostNetwork = true),
    'api has an account with a token, or none': (files) =>
      (files.find('ServiceAccount', 'mandat').automountServiceAccountToken = true),
    'api gets variables of Services': ({ api }) => delete api.template.spec.enableServiceLinks,
    'api has no bounds of memory': ({ api }) => delete container(api).resources.limits,
    'api does not select itself': ({ api }) => (api.template.metadata.labels[COMPONENT] = 'web'),
    'api spreads others over kubernetes.io/hostname': ({ api }) =>
      (api.template.spec.topologySpreadConstraints[1].labelSelector.matchLabels[COMPONENT] = 'worker'),
    'worker has no NetworkPolicy': (files) =>
      (files.find('NetworkPolicy', 'mandat-worker').spec.podSelector.matchLabels = { app: 'worker' }),
    'NetworkPolicy mandat-api does not select exactly one workload': (files) =>
      delete files.find('NetworkPolicy').spec.podSelector.matchLabels[COMPONENT],
    'PodDisruptionBudget mandat-worker does not select exactly one workload': (files) =>
      (files.find('PodDisruptionBudget', 'mandat-worker').spec.selector.matchLabels = {}),
    'Service mandat-api does not reach a port of exactly one workload': (files) =>
      (files.find('Service').spec.ports[0].targetPort = 'web'),
    'HorizontalPodAutoscaler mandat-api scales no Deployment, or one with a fixed number of replicas': ({
      api,
    }) => (api.replicas = 2),
    'no Secret holds mandat/SMTP_URL': (files) => delete files.find('Secret').stringData.SMTP_URL,
    'no process reads mandat/SALT of the Secret': (files) => (files.find('Secret').stringData.SALT = ''),
    'the example of the Secret has a value of ADMIN_API_KEY': (files) =>
      (files.find('Secret').stringData.ADMIN_API_KEY = 'x'),
  };

  it.each(Object.entries(CHANGES))('changed manifests report: %s', (contradiction, change) => {
    const files = new Manifests();
    change(files);
    const expected = contradiction.replace(/^(api|worker) /, 'Deployment mandat-$1 ');
    expect(contradictionsOf(files.objects)).toContainEqual(
      contradiction.includes('not start') ? expect.stringContaining(expected) : expected,
    );
  });
});
