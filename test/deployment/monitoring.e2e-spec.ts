import { spawnSync } from 'node:child_process';
import type { INestApplication } from '@nestjs/common';
import { parseAllDocuments } from 'yaml';
import { Metrics } from '#platform/ops/metrics';
import { MailServer } from '../messaging/support/mail-server';
import { mailing, Post } from '../messaging/support/post';
import { titlesOf } from '../docs/markdown';
import { command } from '../setup/command';
import { cloneTemplate, TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Receiver, until } from '../webhooks/support/receiver';
import { register, scene, sign } from '../webhooks/support/signed';
import { isKustomization, manifestFiles, manifests, objectsOf, textOf, type Yaml } from './support/files';
import { schemaFaults } from './support/official-schema';
import { differences, faultsOfRules, hasPromtool, type Sample, samplesOf } from './support/promtool';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: object;
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const MONITORING = 'deploy/monitoring';
const DASHBOARD = JSON.parse(textOf(`${MONITORING}/dashboard.json`));
const PANELS = DASHBOARD.panels as Panel[];
const OBJECT = objectsOf(`${MONITORING}/rules.yaml`)[0];
const RULES = (OBJECT.spec.groups as { rules: Rule[] }[]).flatMap(({ rules }) => rules);
const ALERTS = RULES.filter(({ alert }) => alert !== undefined);
const TARGETS = PANELS.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

/** Measurements without a panel, and why. */
const WITHOUT_PANEL: Readonly<Record<string, string>> = {
  http_server_request_duration_seconds_sum: 'a mean hides slow requests',
  mandat_webhook_delay_seconds_sum: 'a mean hides late deliveries',
  mandat_webhook_delay_seconds_count: 'as many as first attempts in mandat_webhook_attempts_total',
};

let app: TestApp;
let worker: INestApplication;
let mail: MailServer;
let receiver: Receiver;
let tenant: TestTenant;
let samples: Sample[];

/** The samples of the API and of the worker. */
async function scrape(): Promise<Sample[]> {
  const urls = { api: app.url, worker: await worker.getUrl() };
  const texts = Object.entries(urls).map(async ([pod, url]) => {
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain');
    return samplesOf(`${await response.text()}up 1\n`, `job="mandat",pod="${pod}"`);
  });
  return (await Promise.all(texts)).flat();
}

const verify = () =>
  command(
    { DATABASE_URL: app.config.databaseUrl, SECRETS_KEY: app.config.secretsKey.text() },
    'verifier-journal',
  );

/** Collects a metric and returns its values by their labels. */
async function valuesOf(name: string): Promise<Record<string, number>> {
  const text = await worker.get(Metrics)['collect']();
  const own = samplesOf(text, '').filter((sample) => sample.name === name);
  const plain = (labels: string): string => labels.replace(/,?otel_scope_name="mandat"/, '');
  return Object.fromEntries(own.map(({ labels, value }) => [plain(labels), Number(value)]));
}

// Each kind of work of both processes is measured: requests, a failed one, a delivery, emails, reads that a standby may serve.
beforeAll(async () => {
  const databaseUrl = await cloneTemplate();
  // The primary is no standby of itself, so it serves no reads as one.
  app = await TestApp.start({ databaseUrl, standbys: new Map([[databaseUrl, [databaseUrl]]]) });
  mail = await MailServer.start();
  receiver = await Receiver.start();
  worker = await startWorker(mailing(app.config, mail.url), { roundMs: 3_600_000 });
  await worker.listen(0, '127.0.0.1');
  const place = await scene(app);
  tenant = place.tenant;
  await register(app, place, receiver.url);
  await sign(app, place);
  await app.send(tenant, 'GET', '/b2b/v1/employe');
  await app.database.query('ALTER TABLE employeur RENAME TO away');
  expect((await app.send(tenant, 'GET', '/b2b/v1/employeur')).status).toBe(500);
  await app.database.query('ALTER TABLE away RENAME TO employeur');
  const post = Post.of(app, tenant);
  const [idExterne] = await post.employes(1);
  await mail.stop();
  const { id } = await post.email({ idExternes: [idExterne] });
  const unreachable = '{outcome="unreachable"}';
  await until('an attempt', async () => (await valuesOf('mandat_mail_attempts_total'))[unreachable] === 1);
  await mail.listen();
  await post.over(id);
  await until('a delivery', () => receiver.received.length > 0);
  await app.database.query(
    `INSERT INTO travail_en_cours (espace, travail, id, processus, jusqua) VALUES ($1, 'tache', $1, 'x', now())`,
    [tenant.tenantId],
  );
  expect((await verify()).code).toBe(0);
  samples = await scrape();
}, 120_000);
afterAll(async () => {
  await worker.close();
  await Promise.all([mail.stop(), receiver.stop()]);
  await app.stop();
});

describe('The measurements of a worker', () => {
  it('have the time since the oldest job has been due, not that of leased and of later ones', async () => {
    await app.database.query(
      `INSERT INTO pgboss.job (name, data, group_id, state, start_after, policy) SELECT 'tache', '{}', g, s::pgboss.job_state, now() + d, 'standard'
       FROM (VALUES ('a', 'active', interval '-9 h'), ('b', 'created', '1 h'), ('b', 'retry', '-10 min'), ('c', 'created', '-5 min')) j (g, s, d)`,
    );
    const ages = await valuesOf('mandat_queue_oldest_job_age_seconds');
    await app.database.query(`DELETE FROM pgboss.job WHERE name = 'tache'`);
    expect(ages['{queue="tache"}']).toBeGreaterThanOrEqual(600);
    expect(ages['{queue="tache"}']).toBeLessThan(660);
    expect(ages['{queue="courriel"}']).toBe(0);
  });

  it('count ended votes by the step that their box waits for, and disabled endpoints', async () => {
    const add = (closed: string | null, end: string): Promise<unknown> =>
      app.database.query(
        `INSERT INTO campagne (tenant_id, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, ordre_reponses_aleatoire,
           publiee, ouverture_annoncee, fermeture_annoncee, urne_fermee_par)
         VALUES ($1, $2::text, $2::text, '2020-01-01', $2::timestamptz, false, true, true, true, $3)`,
        [tenant.tenantId, end, closed],
      );
    await add(null, '2020-01-02');
    await add('1', '2020-01-03');
    await add('1', '2020-01-04');
    await add('1', '2020-01-05');
    await app.database.query(
      `UPDATE campagne SET urne_scellee = true, chiffree = true, chiffrement_du = true WHERE slug = '2020-01-05'`,
    );
    await add(null, '2099-01-01');
    expect(await valuesOf('mandat_ballot_boxes_waiting')).toEqual({
      '{step="fermeture"}': 1,
      '{step="scellement"}': 2,
      '{step="dechiffrement"}': 1,
    });
    await app.database.query('DELETE FROM campagne');
    const disable = `UPDATE webhook SET actif = false, desactive_le = now(), raison_desactivation = 'x'`;
    await app.database.query(disable);
    expect(await valuesOf('mandat_webhook_endpoints_disabled')).toEqual({ '{}': 1 });
  });

  it('have the age of the last verifier-journal and the number of its faulty trails', async () => {
    await app.database.query(`UPDATE journal SET action = 'x' WHERE tenant_id = $1`, [tenant.tenantId]);
    await app.database.query(`UPDATE verification_journal SET date = now() - interval '1 day'`);
    const [age] = Object.values(await valuesOf('mandat_journal_verification_age_seconds'));
    expect(age).toBeGreaterThan(86_000);
    expect(await valuesOf('mandat_journal_faulty_trails')).toEqual({ '{}': 0 });
    expect((await verify()).code).toBe(1);
    expect(await valuesOf('mandat_journal_faulty_trails')).toEqual({ '{}': 1 });
    const [newAge] = Object.values(await valuesOf('mandat_journal_verification_age_seconds'));
    expect(newAge).toBeLessThan(60);
  });

  it('have labels of few values, and never an id', () => {
    for (const { name, labels } of samples) expect(name + labels).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    const counts = Map.groupBy(samples, ({ name }) => name);
    for (const [name, all] of counts) expect([name, all.length < 200]).toEqual([name, true]);
  });
});

/** Names in an expression that are measurements or recorded rules. */
const namesIn = (expr: string): string[] =>
  expr.match(/\b(?:(?:mandat|http_server|process)[_:][\w:]+|target_info)\b/g) ?? [];

describe('The dashboard', () => {
  it('has panels that Grafana can draw, and answers its questions in this order', () => {
    expect(DASHBOARD).toMatchObject({ uid: 'mandat', title: 'Mandat', schemaVersion: 39 });
    const questions = PANELS.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(questions).toEqual(['Is it up?', 'Is it slow?', 'Is anything stuck?', 'Are votes safe?']);
    expect(new Set(PANELS.map(({ id }) => id)).size).toBe(PANELS.length);
    for (const { type, title, targets, datasource, gridPos } of PANELS.filter(({ type }) => type !== 'row')) {
      expect([title, type]).toEqual([title, expect.stringMatching(/^(stat|timeseries)$/)]);
      expect([title, datasource]).toEqual([title, { type: 'prometheus', uid: '${datasource}' }]);
      expect(targets!.map(({ refId }) => refId)).toEqual(['A', 'B'].slice(0, targets!.length));
      expect([title, gridPos.x + gridPos.w <= 24, targets!.length > 0]).toEqual([title, true, true]);
    }
    const overlaps = (one: Panel, other: Panel): boolean => {
      const [a, b] = [one.gridPos, other.gridPos];
      return one !== other && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
    };
    expect(PANELS.filter((one) => PANELS.some((other) => overlaps(one, other)))).toEqual([]);
  });

  it('and the rules name what the processes export, and each measurement has a panel or a reason', () => {
    const exported = new Set(samples.map(({ name }) => name));
    const known = [...exported, ...RULES.map(({ record }) => record)];
    const expressions = [...TARGETS.map(([, expr]) => expr), ...RULES.map(({ expr }) => expr)];
    expect(expressions.flatMap(namesIn).filter((name) => !known.includes(name))).toEqual([]);
    const drawn = [...TARGETS.flatMap(([, expr]) => namesIn(expr)), ...Object.keys(WITHOUT_PANEL), 'up'];
    expect([...exported].filter((name) => !drawn.includes(name))).toEqual([]);
    expect(Object.keys(WITHOUT_PANEL).filter((name) => !exported.has(name))).toEqual([]);
  });
});

describe('Each alert', () => {
  it.each(ALERTS.map((rule) => [rule.alert!, rule] as const))(
    '%s has a section that says what to do',
    (name, rule) => {
      expect(rule.annotations.runbook_url).toBe(`docs/alerts.md#${name.toLowerCase()}`);
      expect(rule.annotations.summary).toMatch(/^.{10,}$/);
      expect(titlesOf(textOf('docs/alerts.md'))).toContain(name);
      const [, section] = textOf('docs/alerts.md').split(`## ${name}\n`);
      expect(section).toMatch(new RegExp(`^\\n\`${rule.labels.severity}\`\\. `));
    },
  );

  it('docs/alerts.md describes exactly these alerts', () => {
    const [, ...titles] = titlesOf(textOf('docs/alerts.md'));
    expect(titles).toEqual(ALERTS.map(({ alert }) => alert));
  });
});

describe('The kustomization', () => {
  const [{ resources, configMapGenerator, replacements }] = objectsOf(`${MONITORING}/kustomization.yaml`);
  const [, page] = /^page=(https:.+)$/.exec(configMapGenerator[0].literals[0])!;

  it('has all manifests, and replaces the page in the links of the alerts only', () => {
    const others = manifestFiles(MONITORING).filter((file) => !isKustomization(file));
    expect(others).toEqual((resources as string[]).map((file) => `${MONITORING}/${file}`));
    expect(replacements).toEqual([
      {
        source: { kind: 'ConfigMap', name: configMapGenerator[0].name, fieldPath: 'data.page' },
        targets: [
          {
            select: { kind: 'PrometheusRule' },
            fieldPaths: ['spec.groups.[name=mandat].rules.*.annotations.runbook_url'],
            options: { delimiter: '#' },
          },
        ],
      },
    ]);
    const { rules } = (OBJECT.spec.groups as { name: string; rules: Rule[] }[]).find(
      ({ name }) => name === 'mandat',
    )!;
    expect(rules).toEqual(ALERTS);
    expect(textOf(`${MONITORING}/rules.yaml`)).not.toMatch(/https?:/);
  });

  const kubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
  if (!kubectl) process.stdout.write('kubectl is missing: the links of the alerts are not rendered\n');
  (kubectl ? it : it.skip)('gives each alert the address of its section', () => {
    const { stdout } = spawnSync('kubectl', ['kustomize', MONITORING], { encoding: 'utf8' });
    const objects = parseAllDocuments(stdout).map((document): Yaml => document.toJS());
    expect(objects.map(({ kind }) => kind)).toEqual(['PodMonitor', 'PrometheusRule']);
    const made = (objects[1].spec.groups as { rules: Rule[] }[]).flatMap(({ rules }) => rules);
    const links = (rules: readonly Rule[]) =>
      rules.flatMap(({ annotations }) => annotations?.runbook_url ?? []);
    expect(links(made)).toEqual(links(ALERTS).map((link) => link.replace('docs/alerts.md', page!)));
  });
});

describe('The objects of the Prometheus operator', () => {
  const [monitor] = objectsOf(`${MONITORING}/pod-monitor.yaml`);

  it('are accepted by their schemas, which refuse misspelt ones', async () => {
    expect(await schemaFaults(OBJECT)).toEqual([]);
    expect(await schemaFaults(monitor)).toEqual([]);
    expect(await schemaFaults({ ...monitor, spec: { ...monitor.spec, selectors: {} } })).toEqual([
      'unknown property /spec/selectors',
    ]);
  });

  it('ask exactly API and worker, on the port and path of /metrics', () => {
    const { selector, podMetricsEndpoints, jobLabel } = monitor.spec;
    const [{ key, values }] = selector.matchExpressions;
    const deployments = manifests().filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(2);
    for (const { metadata, spec } of deployments) {
      const { labels } = spec.template.metadata;
      expect(labels).toMatchObject(selector.matchLabels);
      expect(values).toContain(labels[key]);
      expect([metadata.name, labels[jobLabel]]).toEqual([metadata.name, 'mandat']);
      const ports = (spec.template.spec.containers[0].ports as Yaml[]).map(({ name }) => name);
      expect(ports).toEqual([podMetricsEndpoints[0].port]);
    }
    expect(podMetricsEndpoints[0].path).toBe('/metrics');
  });
});

if (!hasPromtool)
  console.warn(
    'The rules are not evaluated: no PROMTOOL, and no promtool on PATH (.ci/promtool installs one).',
  );
(hasPromtool ? describe : describe.skip)('On the measurements of the processes', () => {
  /**
   * Replaces series that the test itself disturbs: it has no real standby, the memory is that of a Jest worker with the
   * suites before this one, and the 500 of the preparation would use up the budget.
   */
  const healthy = ({ name, labels }: Sample): string | undefined =>
    name === 'mandat_database_standby_behind_seconds'
      ? '0.1+0x120'
      : name === 'process_resident_memory_bytes'
        ? '400000000+0x120'
        : isRequest(name) && labels.includes('status="500"')
          ? '0+0x120'
          : undefined;
  const isRequest = (name: string): boolean => /^http_server_request_duration_seconds_/.test(name);
  const firing = 'group by (alertname) (ALERTS{alertstate="firing"})';
  const alerts = (names: readonly string[]): Record<string, number> =>
    Object.fromEntries(names.map((name) => [`{alertname="${name}"}`, 1]));

  it('promtool finds no fault in the rules, and finds one in a broken rule', () => {
    expect(faultsOfRules(OBJECT.spec)).toBe('');
    const broken = { groups: [{ name: 'x', rules: [{ alert: 'X', expr: 'sum(up' }] }] };
    expect(faultsOfRules(broken)).toContain('unclosed left parenthesis');
  });

  it('every panel has data', () => {
    const counted = TARGETS.map(([, expr]) => `count(${expr.replaceAll('$__rate_interval', '5m')}) > bool 0`);
    expect(
      differences(OBJECT.spec, samples, Object.fromEntries(counted.map((one) => [one, { '{}': 1 }]))),
    ).toBe('');
  });

  it('healthy processes: no alert fires', () => {
    expect(differences(OBJECT.spec, samples, { [firing]: {} }, healthy)).toBe('');
  });

  /** A change of real series, and the alerts that it raises. */
  type Incident = readonly [
    what: string,
    raised: readonly string[],
    change: (sample: Sample) => string | undefined,
  ];
  const gauge =
    (name: string, labels: string, values: string) =>
    (sample: Sample): string | undefined =>
      sample.name === name && sample.labels.includes(labels) ? values : undefined;
  const gone = '_x120';
  /** Fails one of `every` requests. */
  const failing =
    (every: number) =>
    ({ name, labels }: Sample): string | undefined => {
      if (!isRequest(name)) return undefined;
      if (labels.includes('status="500"')) return '0+1x120';
      return labels.includes('route="/b2b/v1/employe"') ? `0+${every - 1}x120` : '0+0x120';
    };
  const incidents: Incident[] = [
    ['a process that does not answer', ['MandatProcessAway'], gauge('up', 'pod="worker"', '1+0x60 0+0x60')],
    ['no API', ['MandatProcessAway'], gauge('target_info', 'service_name="mandat-api"', gone)],
    ['no worker', ['MandatProcessAway'], gauge('target_info', 'service_name="mandat-worker"', gone)],
    ['every tenth request with 500', ['MandatBudgetBurns', 'MandatBudgetBurnsFast'], failing(10)],
    ['one request in 500 with 500', ['MandatBudgetBurns'], failing(500)],
    [
      'requests above 2.5 s',
      ['MandatBudgetBurns', 'MandatBudgetBurnsFast'],
      ({ name, labels }) =>
        isRequest(name) &&
        !labels.includes('status="500"') &&
        !/le="(5|10|30|\+Inf)"/.test(labels) &&
        name.endsWith('bucket')
          ? '0+0x120'
          : undefined,
    ],
    [
      'deliveries above 60 s',
      ['MandatBudgetBurns', 'MandatBudgetBurnsFast'],
      ({ name, labels }) =>
        name === 'mandat_webhook_delay_seconds_bucket' && !/le="(300|3600|\+Inf)"/.test(labels)
          ? '0+0x120'
          : undefined,
    ],
    [
      'a pool that is too small',
      ['MandatConnectionsWait'],
      gauge('mandat_database_pool_connections', 'state="waiting"', '0+0x60 1+0x60'),
    ],
    [
      'a standby that is late',
      ['MandatStandbyLate'],
      gauge('mandat_database_standby_behind_seconds', '', '11+0x120'),
    ],
    [
      'long computations',
      ['MandatEventLoopBlocked'],
      gauge('process_event_loop_delay_p99_seconds', 'pod="api"', '0.3+0x120'),
    ],
    [
      'a process of 1 GiB',
      ['MandatMemoryFull'],
      gauge('process_resident_memory_bytes', 'pod="api"', '1000000000+0x120'),
    ],
    [
      'a job that waits',
      ['MandatJobsWait'],
      gauge('mandat_queue_oldest_job_age_seconds', 'queue="livraison"', '0+60x120'),
    ],
    [
      'work that fails',
      ['MandatWorkFails'],
      gauge('mandat_recurring_work_failures', 'work="the purge"', '3+0x120'),
    ],
    ['a job that was put aside', ['MandatJobAside'], gauge('mandat_put_aside', 'queue="tache"', '1+0x120')],
    [
      'a mail server that is away',
      ['MandatMailServerAway'],
      ({ name, labels }) =>
        name === 'mandat_mail_attempts_total' ? `0+${labels.includes('unreachable') ? 1 : 0}x120` : undefined,
    ],
    [
      'endpoints that are disabled',
      ['MandatReceiversDisabled'],
      gauge('mandat_webhook_endpoints_disabled', '', '0+0x90 3+0x30'),
    ],
    [
      'a box that waits',
      ['MandatBoxNotSealed'],
      gauge('mandat_ballot_boxes_waiting', 'step="scellement"', '1+0x120'),
    ],
    [
      'no verification for two days',
      ['MandatTrailsNotVerified'],
      gauge('mandat_journal_verification_age_seconds', '', '172800+60x120'),
    ],
    [
      'no verification at all',
      ['MandatTrailsNotVerified'],
      gauge('mandat_journal_verification_age_seconds', '', gone),
    ],
    ['a faulty trail', ['MandatTrailFaulty'], gauge('mandat_journal_faulty_trails', '', '1+0x120')],
  ];

  it.each(incidents)('%s raises %j', (_what, raised, change) => {
    const changed = samples.filter((sample) => change(sample) !== undefined);
    expect(changed.length).toBeGreaterThan(0);
    const both = (sample: Sample): string | undefined => change(sample) ?? healthy(sample);
    expect(differences(OBJECT.spec, samples, { [firing]: alerts(raised) }, both)).toBe('');
  });

  it('each alert is raised by an incident', () => {
    expect([...new Set(incidents.flatMap(([, raised]) => raised))].sort()).toEqual(
      ALERTS.map(({ alert }) => alert).sort(),
    );
  });
});
