import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PATH_METADATA } from '@nestjs/common/constants';
import { MailConfig } from '../../../libs/messaging/src/application/mail-config';
import type { Config } from '#platform/ops/config';
import { loadConfig } from '#platform/ops/load-config';
import type { Reader } from '#platform/ops/process-name';
import { HealthController } from '#platform/http/health.controller';
import { DATABASE_TIMEOUT_MS } from '#platform/http/health.controller';
import { LONGEST_STOP_MS } from '#platform/ops/run-process';
import { readVariables, SAMPLE_SECRETS } from './environment';
import { type Yaml } from './files';

const ROOT = join(__dirname, '../../..');

/** Placeholder of the image without a digest, because nothing must run before an overlay names one. */
const NO_IMAGE = 'mandat@sha256:set-by-the-overlay';

/** Returns the sentence in a list if the condition is false. */
export const unless = (isRight: unknown, sentence: string): string[] => (isRight ? [] : [sentence]);

type Labels = Readonly<Record<string, string>>;

/** Paths that every process answers, as its controller declares them. */
const HEALTH_PATHS = Object.getOwnPropertyNames(HealthController.prototype)
  .map((name) => Reflect.getMetadata(PATH_METADATA, HealthController.prototype[name as 'live']) as unknown)
  .filter((path) => typeof path === 'string')
  .map((path) => `/${path}`);

const VARIABLES = readVariables();

const nameOf = ({ kind, metadata }: Yaml): string => `${kind} ${metadata.name}`;
const podOf = ({ spec }: Yaml): Yaml => spec.template.spec;
const labelsOf = ({ spec }: Yaml): Labels => spec.template.metadata.labels;
const isWorkload = ({ kind }: Yaml): boolean => kind === 'Deployment' || kind === 'Job';

function selects(selector: Labels | undefined, labels: Labels): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
}

/** Whether the source of this built file exists. */
export function isBuilt(file: string): boolean {
  const source = /^dist\/((?:apps|libs)\/.+)\.js$/.exec(file)?.[1];
  return source !== undefined && existsSync(join(ROOT, `${source}.ts`));
}

/** Returns each contradiction between the manifests and the application, or among the manifests, as a sentence. */
export function contradictionsOf(objects: readonly Yaml[], image: string | RegExp = NO_IMAGE): string[] {
  const workloads = objects.filter(isWorkload);
  return [
    ...workloads.flatMap((workload) => [
      ...ofWorkload(workload, objects, image),
      ...ofDatabases(workload, objects),
      ...(workload.kind === 'Deployment' ? ofDeployment(workload, objects) : []),
    ]),
    ...ofSecrets(workloads, objects),
    ...objects.flatMap((object) => ofSelector(object, workloads)),
  ];
}

function ofWorkload(workload: Yaml, objects: readonly Yaml[], image: string | RegExp): string[] {
  const name = nameOf(workload);
  const pod = podOf(workload);
  const [container, ...more] = pod.containers as Yaml[];
  const account = objects.find(
    ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === pod.serviceAccountName,
  );
  const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {};
  const own = container.securityContext ?? {};
  const isSafe =
    runAsNonRoot === true &&
    runAsUser === 1000 &&
    seccompProfile?.type === 'RuntimeDefault' &&
    own.allowPrivilegeEscalation === false &&
    own.readOnlyRootFilesystem === true &&
    own.capabilities?.drop?.includes('ALL') &&
    own.privileged === undefined;
  const usesHost = pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC ?? pod.volumes ?? pod.initContainers;
  const variables = variablesOf(container, objects);
  return [
    ...(more.length > 0 || usesHost !== undefined ? [`${name} is more than one ordinary container`] : []),
    ...unless(isSafe, `${name} has unnecessary privileges`),
    ...unless(
      pod.automountServiceAccountToken === false && account?.automountServiceAccountToken === false,
      `${name} has an account with a token, or none`,
    ),
    ...unless(pod.enableServiceLinks === false, `${name} gets variables of Services`),
    ...unless(
      typeof image === 'string' ? container.image === image : image.test(container.image as string),
      `${name} runs ${container.image}`,
    ),
    ...unless(isBuilt(container.args[0]), `${name} runs ${container.args[0]}, which is not built`),
    ...Object.keys(variables)
      .filter((variable) => !VARIABLES.has(variable))
      .map((variable) => `${name} sets ${variable}, which no process reads`),
    ...secretsOf(container)
      .filter((secret) => !readVariables(readerOf(container)).has(secret))
      .map((secret) => `${name} is given ${secret}, which it does not read`),
    ...unless(
      container.resources?.requests?.memory && container.resources?.limits?.memory,
      `${name} has no bounds of memory`,
    ),
  ];
}

function ofDeployment(deployment: Yaml, objects: readonly Yaml[]): string[] {
  const name = nameOf(deployment);
  const pod = podOf(deployment);
  const [container] = pod.containers as [Yaml];
  let config: Config;
  let mail: MailConfig;
  try {
    config = loadConfig(variablesOf(container, objects), readerOf(container));
    mail = new MailConfig(config);
  } catch (error) {
    return [`${name} does not start: ${(error as Error).message}`];
  }
  const reader = readerOf(container);
  const hasNo = (kind: string): string[] =>
    unless(
      objects.some((object) => object.kind === kind && reaches(object, deployment)),
      `${name} has no ${kind}`,
    );
  return [
    ...unless(config.production, `${name} does not run as in production`),
    ...(reader === 'worker' && !mail.smtp ? [`${name} has no mail server and no writable files`] : []),
    ...unless(
      selects(deployment.spec.selector.matchLabels, labelsOf(deployment)),
      `${name} does not select itself`,
    ),
    ...(pod.topologySpreadConstraints ?? [])
      .filter(({ labelSelector }: Yaml) => !selects(labelSelector.matchLabels, labelsOf(deployment)))
      .map(({ topologyKey }: Yaml) => `${name} spreads others over ${topologyKey}`),
    ...hasNo('NetworkPolicy'),
    ...(reader === 'cli'
      ? unless(container.args[1] === 'deplacements', `${name} runs a command that ends`)
      : [...ofServer(deployment, config, reader === 'worker'), ...hasNo('PodDisruptionBudget')]),
  ];
}

/** API or worker, which listen. */
function ofServer(deployment: Yaml, config: Config, isWorker: boolean): string[] {
  const name = nameOf(deployment);
  const pod = podOf(deployment);
  const [container] = pod.containers as [Yaml];
  const port = isWorker ? config.workerPort : config.port;
  const stopMs = LONGEST_STOP_MS + (isWorker ? 0 : config.shutdownDelayMs);
  const ports = container.ports as Yaml[];
  const { maxUnavailable, maxSurge } = deployment.spec.strategy?.rollingUpdate ?? {};
  return [
    ...unless(config.host === undefined, `${name} listens on ${config.host}, which other pods cannot reach`),
    ...unless(ports.length === 1 && ports[0].containerPort === port, `${name} does not listen on its port`),
    ...['startup', 'readiness', 'liveness'].flatMap((kind) => ofProbe(name, kind, container)),
    ...unless(pod.terminationGracePeriodSeconds * 1_000 > stopMs, `${name} is killed while it stops`),
    ...unless(maxUnavailable === 0 && maxSurge > 0, `${name} has fewer replicas while it is replaced`),
  ];
}

/** Each kind of probe must use its own path: a liveness probe that checked the database would restart all processes. */
function ofProbe(name: string, kind: string, container: Yaml): string[] {
  const probe = container[`${kind}Probe`];
  const path = { startup: '/health/startup', readiness: '/health/ready', liveness: '/health/live' }[kind];
  const { path: asked, port } = probe?.httpGet ?? {};
  const isReached = (container.ports as Yaml[]).some(
    (one) => one.name === port || one.containerPort === port,
  );
  return [
    ...unless(
      asked === path && HEALTH_PATHS.includes(asked) && isReached,
      `${name} has no ${kind} probe on an existing path`,
    ),
    ...unless(
      probe?.timeoutSeconds * 1_000 > DATABASE_TIMEOUT_MS,
      `${name} has a shorter timeout of its ${kind} probe than the process`,
    ),
  ];
}

/** The process that a container runs. */
export function readerOf({ args }: Yaml): Reader {
  const [, app] = /^dist\/apps\/(.+?)\//.exec(args[0] as string) ?? [];
  return app === 'worker' || app === 'cli' ? app : 'api';
}

/** Returns the variables that a container gets from a Secret, except those that are only parts of others. */
function secretsOf({ env }: Yaml): string[] {
  const parts = partsOf(env as Yaml[]);
  return (env as Yaml[])
    .filter(({ name, valueFrom }) => valueFrom?.secretKeyRef && !parts.includes(name as string))
    .map(({ name }) => name as string);
}

/** Variables that others contain as `$(NAME)`, and that no process reads. */
function partsOf(env: readonly Yaml[]): string[] {
  const used = env.flatMap(({ value }) => [
    ...((value as string | undefined) ?? '').matchAll(/\$\((\w+)\)/g),
  ]);
  return used.map(([, name]) => name!).filter((name) => !VARIABLES.has(name));
}

/** Returns the variables of a container, with sample values for secrets. */
function variablesOf(container: Yaml, objects: readonly Yaml[]): Record<string, string> {
  const maps = ((container.envFrom ?? []) as Yaml[]).map(({ configMapRef }) =>
    objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name),
  );
  const env = (container.env ?? []) as Yaml[];
  const own: Record<string, string> = {};
  // Kubernetes replaces only the variables that come before.
  for (const { name, value, valueFrom } of env) {
    const given = (value as string | undefined)?.replace(
      /\$\((\w+)\)/g,
      (text, part: string) => own[part] ?? text,
    );
    own[name as string] = given ?? SAMPLE_SECRETS[valueFrom.secretKeyRef.key]!;
  }
  for (const part of partsOf(env)) delete own[part];
  return Object.assign({}, ...maps.map((map) => map?.data), own);
}

/** Each host of a database must be a Service that CloudNativePG makes for a Cluster or a Pooler, where there are any. */
function ofDatabases(workload: Yaml, objects: readonly Yaml[]): string[] {
  const hosts = objects.flatMap(({ kind, metadata }) => {
    if (kind === 'Pooler') return [metadata.name as string];
    return kind === 'Cluster' ? ['rw', 'ro', 'r'].map((role) => `${metadata.name}-${role}`) : [];
  });
  if (hosts.length === 0) return [];
  const values = Object.values(variablesOf(podOf(workload).containers[0], objects));
  const urls = values.flatMap((value) => value.match(/postgres:\/\/\S+/g) ?? []);
  return urls
    .filter((url) => !hosts.includes(new URL(url).hostname))
    .map((url) => `${nameOf(workload)} connects to ${new URL(url).hostname}, which is no Service`);
}

function ofSecrets(workloads: readonly Yaml[], objects: readonly Yaml[]): string[] {
  const secrets = objects
    .filter(({ kind }) => kind === 'Secret')
    // CloudNativePG reads the name of the login, which is no secret.
    .map(({ metadata, stringData: { username: _login, ...stringData } }) => ({ metadata, stringData }));
  const held = secrets.flatMap(({ metadata, stringData }) =>
    Object.keys(stringData).map((key) => `${metadata.name}/${key}`),
  );
  const asked = workloads.flatMap((workload) =>
    (podOf(workload).containers[0].env as Yaml[]).flatMap(({ valueFrom }) => {
      if (!valueFrom) return [];
      const { name, key } = valueFrom.secretKeyRef;
      return [`${name}/${key}`];
    }),
  );
  return [
    ...asked.filter((key) => !held.includes(key)).map((key) => `no Secret holds ${key}`),
    ...held.filter((key) => !asked.includes(key)).map((key) => `no process reads ${key} of the Secret`),
    ...secrets
      .flatMap(({ stringData }) => Object.entries(stringData as Labels))
      .filter(([, value]) => value !== '')
      .map(([key]) => `the example of the Secret has a value of ${key}`),
  ];
}

function reaches({ kind, spec }: Yaml, workload: Yaml): boolean {
  const selector: Labels =
    kind === 'Service' ? spec.selector : (spec.podSelector?.matchLabels ?? spec.selector?.matchLabels);
  return selects(selector, labelsOf(workload));
}

function ofSelector(object: Yaml, workloads: readonly Yaml[]): string[] {
  const name = nameOf(object);
  switch (object.kind) {
    case 'Service': {
      const meant = workloads.filter((workload) => reaches(object, workload));
      const names = meant.flatMap((one) => podOf(one).containers[0].ports as Yaml[]).map((port) => port.name);
      const isServed = object.spec.ports.every(({ targetPort }: Yaml) => names.includes(targetPort));
      return meant.length === 1 && isServed ? [] : [`${name} does not reach a port of exactly one workload`];
    }
    case 'NetworkPolicy':
    case 'PodDisruptionBudget':
      return workloads.filter((one) => reaches(object, one)).length === 1
        ? []
        : [`${name} does not select exactly one workload`];
    case 'HorizontalPodAutoscaler':
    case 'ScaledObject': {
      const { kind = 'Deployment', name: target } = object.spec.scaleTargetRef;
      const scaled = workloads.find((one) => nameOf(one) === `${kind} ${target}`);
      return scaled && scaled.spec.replicas === undefined
        ? []
        : [`${name} scales no Deployment, or one with a fixed number of replicas`];
    }
    default:
      return [];
  }
}
