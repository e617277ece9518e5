import { eventually } from '../http/expect-problem';
import { perFile } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { TachesService } from '../../libs/sync/src';
import { TacheRepository } from '../../libs/sync/src/persistence/tache.repository';
import {
  awayFromMidnight,
  employee,
  employer,
  job,
  type Loose,
  many,
  membership,
  Partner,
  union,
} from './support';

const app = perFile(() => TestApp.own('a worker runs'));
let worker: { close(): Promise<void> };
let partner: Partner;

beforeAll(async () => {
  worker = await startWorker(app.config);
});
afterAll(() => worker.close());
beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
});

const EMPLOYERS = many(4, (index) => employer(`EMP-${index}`));

/** 60 employees with two employments at one of four employers, and an address. */
const STAFF = many(60, (index) =>
  employee(`E-${index}`, {
    Courriel: `e${index}@example.org`,
    Emplois: [job('J-1', `EMP-${index % 4}`), job('J-2', `EMP-${index % 4}`)],
    Adhesions: [membership('SYN-1')],
  }),
);
/** The first employees, whose second employment is left out. */
const lackingJobs = (count: number): Loose[] =>
  STAFF.slice(0, count).map((one) => ({ ...one, Emplois: [(one.Emplois as Loose[])[0]!] }));
const lackingAddresses = (count: number): Loose[] =>
  STAFF.slice(0, count).map((one) => ({ ...one, Courriel: null }));

const admin = (method: string, rest: string, body?: object): Promise<Answer> =>
  app.send(app.adminKey, method, `/admin/v1/clients/${partner.tenant.clientId}${rest}`, body);

async function brake(freins: object): Promise<void> {
  const { status, text } = await admin('PUT', '', { freins });
  expect([status, text]).toEqual([200, expect.anything()]);
}

const release = (planId: unknown, body: object = { raison: 'The plant has closed' }): Promise<Answer> =>
  admin('POST', `/environnements/staging/plans/${String(planId)}/autoriser`, body);

async function events(): Promise<Loose[]> {
  const { rows } = await app.database.query<{ data: Loose }>(
    `SELECT data FROM evenement WHERE tenant_id = $1 AND type = 'sync.bloquee' ORDER BY date_creation`,
    [partner.tenant.tenantId],
  );
  return rows.map(({ data }) => data);
}

/** The ways of a sync with employees; each returns the status and the code. */
const WAYS: Readonly<
  Record<string, (Employes: Loose[]) => Promise<{ status: unknown; code: unknown; planId?: unknown }>>
> = {
  'a V2 sync': async (Employes) => problemOf(await partner.sync({ Employes })),
  'employe/upsert': async (Employes) =>
    problemOf(await partner.send('POST', '/b2b/v2/employe/upsert', Employes)),
  'a task': async (Employes) => {
    const { json } = await partner.sync({ Employes }, '', { Prefer: 'respond-async' });
    return eventually(async () => {
      const tache = await partner.get(`/b2b/v2/tache/${String(json.id)}`);
      return tache.etat === 'Echouee' ? { status: 409, code: tache.erreur.code as string } : undefined;
    }, 'The task');
  },
};

const problemOf = ({ status, json }: Answer) => ({
  status,
  code: json.code as unknown,
  planId: json.planId as unknown,
});

describe('the brake', () => {
  beforeEach(async () => {
    await partner.sync({ Syndicats: [union('SYN-1', EMPLOYERS)], Employes: STAFF });
  });

  it('is off unless it is set', async () => {
    expect((await partner.sync({ Employes: lackingJobs(60) })).status).toBe(200);
    const { json } = await admin('GET', '');
    expect(json.freins).toEqual({
      terminaisonsPourcent: null,
      champsVidesPourcent: null,
      minimum: 1,
      jamaisSupprimer: false,
    });
  });

  describe.each(Object.entries(WAYS))('of %s', (_way, send) => {
    // 60 of 180 current employments and memberships, over four employers; 12 of 60 addresses.
    it.each([
      ['ends employments', { terminaisonsPourcent: 33 }, lackingJobs(60), { termines: 60, champsVides: 0 }],
      [
        'clears addresses',
        { champsVidesPourcent: 19 },
        lackingAddresses(12),
        { termines: 0, champsVides: 12 },
      ],
    ])(
      '409 Sync.FreinDeclenche if it %s: only a plan and an event are written',
      async (_what, freins, Employes, effets) => {
        await brake(freins);
        const before = await partner.versions();
        const { status, code, planId } = await send(Employes);
        expect([status, code]).toEqual([409, 'Sync.FreinDeclenche']);
        expect(await partner.versions()).toEqual(before);
        const [plan] = (await partner.get('/b2b/v2/plan')) as unknown as [Loose];
        expect(plan).toMatchObject({ etat: 'Bloque', version: 'V2', resume: effets });
        if (planId !== undefined) expect(planId).toBe(plan.id);
        expect(await events()).toEqual([{ version: 'V2', planId: plan.id, effets: plan.resume }]);
        const id = String(plan.id);
        expect(await partner.send('POST', `/b2b/v2/plan/${id}/appliquer`)).toMatchObject({
          status: 409,
          json: { code: 'Plan.Bloque' },
        });
        expect(await release(id)).toMatchObject({ status: 200, json: { etat: 'Pret' } });
        expect((await partner.send('POST', `/b2b/v2/plan/${id}/appliquer`)).status).toBe(200);
        expect(await partner.versions()).not.toEqual(before);
        expect(await partner.audited()).toContain('plan.autoriser');
      },
    );
  });

  it.each<[string, object, Loose[]]>([
    ['as much as it allows', { terminaisonsPourcent: 34 }, lackingJobs(60)],
    ['less than the minimum', { terminaisonsPourcent: 0, minimum: 61 }, lackingJobs(60)],
    // Control: without a limit of endings the first accident passes, and without one of cleared values the second.
    ['what it does not count: endings', { champsVidesPourcent: 0 }, lackingJobs(60)],
    ['what it does not count: cleared values', { terminaisonsPourcent: 0 }, lackingAddresses(60)],
  ])('200 for %s', async (_what, freins, Employes) => {
    await brake(freins);
    expect((await partner.sync({ Employes })).status).toBe(200);
  });

  it('stops a V1 sync, too', async () => {
    await brake({ champsVidesPourcent: 10 });
    const employes = many(7, (index) => ({
      idExterne: `E-${index}`,
      prenom: 'Zoé',
      nom: "L'Écuyer",
      courriel: null,
    }));
    const { status, json } = await partner.send('POST', '/b2b/v1/employe/sync', { employes });
    expect([status, json.code, json.resume.champsVides]).toEqual([409, 'Sync.FreinDeclenche', 7]);
    await release(json.planId);
    const applied = await partner.send('POST', `/b2b/v2/plan/${String(json.planId)}/appliquer`);
    expect([applied.status, applied.json]).toEqual([200, { created: 0, updated: 7, errors: [] }]);
  });

  it('stops a plan: 201 with etat Bloque; one from before the brake is 409 Plan.Bloque', async () => {
    const draw = () => partner.send('POST', '/b2b/v2/plan', { Employes: lackingJobs(60) });
    const early = await draw();
    expect(early.json.etat).toBe('Pret');
    await brake({ terminaisonsPourcent: 10 });
    expect((await draw()).json.etat).toBe('Bloque');
    // An administrator may release either.
    expect(await partner.send('POST', `/b2b/v2/plan/${String(early.json.id)}/appliquer`)).toMatchObject({
      status: 409,
      json: { code: 'Plan.Bloque' },
    });
    expect((await release(early.json.id)).status).toBe(200);
    expect((await partner.send('POST', `/b2b/v2/plan/${String(early.json.id)}/appliquer`)).status).toBe(200);
  });

  it('stops no simulation', async () => {
    await brake({ terminaisonsPourcent: 0 });
    // A simulation shows what would happen.
    expect((await partner.sync({ Employes: lackingJobs(60) }, '?simulation=true')).status).toBe(200);
  });

  it('keeps a plan of each of the last 20 syncs that it stopped, and all that can be applied', async () => {
    const ready = (await partner.send('POST', '/b2b/v2/plan', {})).json.id as unknown;
    await brake({ terminaisonsPourcent: 0 });
    const stopped = async () => (await partner.sync({ Employes: lackingJobs(1) })).json.planId as unknown;
    const released = await stopped();
    await release(released);
    const plans: unknown[] = [];
    for (let index = 0; index < 22; index++) plans.push(await stopped());
    const kept = ((await partner.get('/b2b/v2/plan')) as unknown as Loose[]).map(({ id }) => id);
    expect(kept).toEqual([ready, released, ...plans.slice(2)]);
  });

  it('keeps its plan and event under an Idempotency-Key, and answers a repetition alike', async () => {
    await brake({ terminaisonsPourcent: 0 });
    const send = () => partner.sync({ Employes: lackingJobs(1) }, '', { 'Idempotency-Key': 'nightly' });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status, again.text]).toEqual([409, 409, first.text]);
    const plans = (await partner.get('/b2b/v2/plan')) as unknown as Loose[];
    expect(plans.map(({ id }) => id)).toEqual([first.json.planId]);
    expect(await events()).toHaveLength(1);
  });

  it('keeps one plan and one event of a task whose worker dies before its end, and that two workers do', async () => {
    await brake({ terminaisonsPourcent: 0 });
    const died = jest.spyOn(TacheRepository.prototype, 'fail').mockRejectedValueOnce(new Error('Died'));
    const body = { Employes: lackingJobs(1) };
    const { json } = await partner.sync(body, '', { Prefer: 'respond-async' });
    const job = { tenantId: partner.tenant.tenantId, tacheId: String(json.id) };
    await Promise.allSettled(many(2, () => app.app.get(TachesService).perform(job)));
    await eventually(async () => {
      const { etat } = await partner.get(`/b2b/v2/tache/${job.tacheId}`);
      return etat === 'Echouee' || undefined;
    }, 'The task');
    expect(died.mock.calls.length).toBeGreaterThan(1);
    died.mockRestore();
    expect(await partner.get('/b2b/v2/plan')).toHaveLength(1);
    expect(await events()).toHaveLength(1);
  });

  it('jamaisSupprimer: employments that are left out do not end, those with an end do', async () => {
    await brake({ jamaisSupprimer: true });
    await partner.sync({
      Employes: [employee('E-0', { Emplois: [job('J-1', 'EMP-0', { DateFin: '2020-01-01' })] })],
    });
    const { 'J-1': ended, 'J-2': omitted } = await partner.jobs('E-0');
    expect([ended!.slice(2), omitted!.slice(2)]).toEqual([
      ['2020-01-01T00:00:00.000Z', false],
      [null, true],
    ]);
  });

  it('404 for the plan of another client, and 400 without a reason', async () => {
    await brake({ terminaisonsPourcent: 0 });
    const { json } = await partner.sync({ Employes: lackingJobs(1) });
    const other = await Partner.start(app);
    const path = `/admin/v1/clients/${other.tenant.clientId}/environnements/staging/plans/${String(json.planId)}/autoriser`;
    expect(await app.send(app.adminKey, 'POST', path, { raison: 'x' })).toMatchObject({
      status: 404,
      json: { code: 'Plan.NotFound' },
    });
    expect((await release(json.planId, {})).status).toBe(400);
  });
});
