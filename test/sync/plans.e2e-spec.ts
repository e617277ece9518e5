import { depth } from '../setup/depth';
import { perFile } from '../setup/fixtures';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { ClientsService } from '../../libs/clients/src';
import { PlansService, TachesService } from '../../libs/sync/src';
import { TEST_ACTOR } from '../setup/actor';
import { Campaigns } from '../voting/support/campaigns';
import {
  awayFromMidnight,
  employee,
  employer,
  job,
  type Loose,
  many,
  membership,
  Partner,
  today,
  union,
} from './support';

const PLAN = '/b2b/v2/plan';

const app = perFile(() => TestApp.start());
let partner: Partner;

beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
});

const UNIONS = [union('SYN-1', [employer('EMP-1'), employer('EMP-2')])];

async function planned(body: unknown, query = ''): Promise<Answer['json']> {
  const { status, json, headers } = await partner.send('POST', PLAN + query, body);
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`${PLAN}/${String(json.id)}`);
  return json;
}

const apply = (id: unknown): Promise<Answer> => partner.send('POST', `${PLAN}/${String(id)}/appliquer`);

const changes = (id: unknown, query = ''): Promise<Loose[]> =>
  partner.get(`${PLAN}/${String(id)}/changements${query}`);

describe('POST /b2b/v2/plan', () => {
  it('201 lists each change, by employer and by vote, and writes nothing', async () => {
    await partner.sync({
      Syndicats: UNIONS,
      Employes: many(3, (index) =>
        employee(`E-${index}`, {
          Courriel: `e${index}@example.org`,
          Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-2')],
          Adhesions: [membership('SYN-1')],
        }),
      ),
    });
    const campaigns = new Campaigns(app, partner.tenant);
    const vote = await campaigns.ready();
    for (const IdExterneEmploye of ['E-0', 'E-1', 'E-2'])
      await campaigns.votant(vote, { EmployeIdExterne: IdExterneEmploye });
    await campaigns.sent('POST', `/${vote}/publier`);
    // A draft is no vote yet.
    await campaigns.votant(await campaigns.ready(), { EmployeIdExterne: 'E-0' });
    const before = await partner.versions();
    const body = {
      Employes: [
        // One employment is left out, and the address is cleared.
        employee('E-0', { Courriel: null, Emplois: [job('J-1', 'EMP-1')] }),
        // Nothing changes.
        employee('E-1', { Courriel: 'e1@example.org' }),
        // Refused.
        employee('E-2', { Courriel: 'no address' }),
        employee('E-NEW', { Emplois: [job('J-9', 'EMP-2', { DateDebut: '2026-01-01' })] }),
      ],
    };
    const plan = await planned(body);
    expect(await partner.versions()).toEqual(before);
    const none = { crees: 0, modifies: 0, inchanges: 0, termines: 0, champsVides: 0, refuses: 0 };
    expect(plan).toMatchObject({
      version: 'V2',
      etat: 'Pret',
      resume: { crees: 2, modifies: 1, inchanges: 2, termines: 1, champsVides: 1, refuses: 1 },
      parEmployeur: [
        { identifiantExterneEmployeur: 'EMP-2', ...none, crees: 2, termines: 1 },
        { identifiantExterneEmployeur: 'EMP-1', ...none, modifies: 1, inchanges: 2, champsVides: 1 },
        { identifiantExterneEmployeur: null, ...none, refuses: 1 },
      ],
      votesTouches: [{ campagneId: vote, votants: 1 }],
    });
    expect(await changes(plan.id)).toEqual([
      {
        entite: 'Emploi',
        idExterne: 'J-2',
        idExterneEmploye: 'E-0',
        nature: 'Termine',
        champs: [{ champ: 'DateFin', avant: null, apres: today() }],
      },
      {
        entite: 'Employe',
        idExterne: 'E-0',
        nature: 'Modifie',
        champs: [{ champ: 'Courriel', avant: 'e0@example.org', apres: null }],
      },
      {
        entite: 'Emploi',
        idExterne: 'J-9',
        idExterneEmploye: 'E-NEW',
        nature: 'Cree',
        champs: [
          { champ: 'DateDebut', avant: null, apres: '2026-01-01T00:00:00.000Z' },
          { champ: 'IdentifiantExterneEmployeur', avant: null, apres: 'EMP-2' },
          { champ: 'Matricule', avant: null, apres: 'M-J-9' },
        ],
      },
      {
        entite: 'Employe',
        idExterne: 'E-NEW',
        nature: 'Cree',
        champs: [
          { champ: 'Nom', avant: null, apres: "L'Écuyer" },
          { champ: 'Prenom', avant: null, apres: 'Zoé' },
        ],
      },
    ]);
    expect((await changes(plan.id, '?nature=Cree&entite=Emploi')).map(({ idExterne }) => idExterne)).toEqual([
      'J-9',
    ]);
    const direct = await partner.sync(body);
    expect(plan.resume).toMatchObject({ crees: 2, modifies: 1 });
    expect(direct.headers.get('mandat-effets')).toBe(
      'crees=2, modifies=1, inchanges=2, termines=1, champs-vides=1, refuses=1',
    );
  });

  it('a key without the module gets no votes', async () => {
    await partner.sync({ Employes: [employee('E-1')] });
    const campaigns = new Campaigns(app, partner.tenant);
    const vote = await campaigns.ready();
    await campaigns.votant(vote, { EmployeIdExterne: 'E-1' });
    await campaigns.sent('POST', `/${vote}/publier`);
    const body = { Employes: [employee('E-1', { Ville: 'Laval' })] };
    const { votesTouches, id } = await planned(body);
    expect(votesTouches).toHaveLength(1);
    const { cle } = await app.app.get(ClientsService).issueCle(TEST_ACTOR, partner.tenant.clientId, {
      ...{ nom: 'Paie', environnement: 'staging', role: 'partenaire', modules: [] },
    });
    const shown = [
      (await app.send(cle, 'POST', PLAN, body)).json,
      (await app.send(cle, 'GET', `${PLAN}/${String(id)}`)).json,
      ...((await app.send(cle, 'GET', PLAN)).json as Loose[]),
    ];
    expect(shown.map((one) => one.votesTouches)).toEqual([[], [], [], []]);
  });

  it('shows links, custom values and the employer that V1 wrote', async () => {
    await partner.syncV1({
      employeurs: [{ idExterne: 'EMP-1', nom: 'Usine' }],
      employes: [{ idExterne: 'E-1', prenom: 'Zoé', nom: "L'Écuyer", identifiantExterneEmployeur: 'EMP-1' }],
    });
    await partner.defineField('Casque', 'texte');
    const plan = await planned({
      Syndicats: [union('SYN-1', [employer('EMP-1', { Nom: 'Usine' })])],
      Employes: [
        employee('E-1', {
          // V2 takes the employment of V1 over as it is.
          Emplois: [job('V1', 'EMP-1', { Matricule: null })],
          ValeursChampUtilisateur: [{ NomChamp: 'Casque', Valeur: '58' }],
        }),
      ],
    });
    expect(await changes(plan.id)).toEqual([
      {
        entite: 'Employe',
        idExterne: 'E-1',
        nature: 'Modifie',
        champs: [{ champ: 'ValeursChampUtilisateur.Casque', avant: null, apres: '58' }],
      },
      {
        entite: 'Syndicat',
        idExterne: 'SYN-1',
        nature: 'Cree',
        champs: [
          { champ: 'Employeurs', avant: null, apres: 'EMP-1' },
          { champ: 'Nom', avant: null, apres: 'Syndicat SYN-1' },
        ],
      },
    ]);
    expect((await apply(plan.id)).status).toBe(200);
  });

  it('takes the body of V1 with version=1', async () => {
    const body = {
      employeurs: [{ idExterne: 'EMP-1', nom: 'Usine' }],
      employes: [{ idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-1' }],
    };
    const plan = await planned(body, '?version=1');
    expect(plan).toMatchObject({ version: 'V1', resume: { crees: 2 } });
    expect(await apply(plan.id)).toMatchObject({ status: 200, json: { created: 2, updated: 0, errors: [] } });
    expect((await partner.v1('E-1')).identifiantExterneEmployeur).toBe('EMP-1');
  });

  it.each([
    ['V1 employers in a plan of V2', '', { Employeurs: [] }, '/Employeurs'],
    ['unions in a plan of V1', '?version=1', { Syndicats: [] }, '/Syndicats'],
  ])('400 for %s', async (_what, query, body, pointer) => {
    const { status, json } = await partner.send('POST', PLAN + query, body);
    expect({ status, pointer: json.errors[0].pointer }).toEqual({ status: 400, pointer });
  });

  it('409 Plan.TropNombreux for the 21st that can be applied; closed ones make room', async () => {
    const ids: unknown[] = [];
    for (let index = 0; index < 20; index++) ids.push((await planned({})).id);
    expect(await partner.send('POST', PLAN, {})).toMatchObject({
      status: 409,
      json: { code: 'Plan.TropNombreux' },
    });
    expect((await apply(ids[0])).status).toBe(200);
    await planned({});
    expect((await partner.send('DELETE', `${PLAN}/${String(ids[1])}`)).status).toBe(204);
    await planned({});
    expect((await partner.get(PLAN)).length).toBe(21);
  });
});

describe('POST /b2b/v2/plan/:id/appliquer', () => {
  const body = { Employes: [employee('E-1', { Courriel: 'new@example.org' })] };

  beforeEach(async () => {
    await partner.sync({ Syndicats: UNIONS, Employes: [employee('E-1'), employee('E-2')] });
  });

  it('200 with the result of the sync, which is what a direct one returns', async () => {
    const { id } = await planned(body);
    const simulated = await partner.sync(body, '?simulation=true');
    const applied = await apply(id);
    expect([applied.status, applied.json]).toEqual([200, simulated.json]);
    expect(applied.headers.get('mandat-effets')).toBe(simulated.headers.get('mandat-effets'));
    expect((await partner.v2('E-1')).courriel).toBe('new@example.org');
    expect(await partner.get(`${PLAN}/${String(id)}`)).toMatchObject({ etat: 'Applique' });
    expect((await partner.audited()).filter((action) => action === 'sync.v2').length).toBe(2);
  });

  it('409 Plan.DejaApplique for all but one of 20 at once', async () => {
    const { id } = await planned(body);
    const answers = await Promise.all(many(20, () => apply(id)));
    const codes = answers.map(({ status, json }) => (status === 200 ? 'applied' : (json.code as string)));
    expect(codes.toSorted()).toEqual(['applied', ...many(19, () => 'Plan.DejaApplique')].toSorted());
    expect((await partner.audited()).filter((action) => action === 'sync.v2').length).toBe(2);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['changed in another property', () => partner.employee('E-1', { Ville: 'Laval' })],
    ['given what the plan gives', () => partner.employee('E-1', { Courriel: 'new@example.org' })],
    ['given an employment', () => partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1')] })],
    ['deleted', () => partner.send('DELETE', '/b2b/v1/employe/E-1')],
  ])('409 Plan.Perime, and nothing is written, if the employee was %s', async (_what, change) => {
    const { id } = await planned(body);
    await change();
    const before = await partner.versions();
    expect(await apply(id)).toMatchObject({ status: 409, json: { code: 'Plan.Perime' } });
    expect(await partner.versions()).toEqual(before);
    // For good, even if the employee becomes as it was.
    expect(await apply(id)).toMatchObject({ status: 409, json: { code: 'Plan.Perime' } });
    expect(await partner.get(`${PLAN}/${String(id)}`)).toMatchObject({ etat: 'Perime' });
  });

  it('stays stale under an Idempotency-Key, too', async () => {
    const { id } = await planned(body);
    await partner.employee('E-1', { Ville: 'Laval' });
    const path = `${PLAN}/${String(id)}/appliquer`;
    const { json } = await partner.send('POST', path, undefined, { 'Idempotency-Key': 'apply' });
    expect(json.code).toBe('Plan.Perime');
    expect(await partner.get(`${PLAN}/${String(id)}`)).toMatchObject({ etat: 'Perime' });
  });

  it('200 on the next day, which is then the end of an employment that is left out', async () => {
    const inZone = (zone: string) =>
      app.database.query('UPDATE reglage SET fuseau_horaire = $2 WHERE tenant_id = $1', [
        partner.tenant.tenantId,
        zone,
      ]);
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-1')] });
    // 25 hours apart.
    await inZone('Pacific/Pago_Pago');
    const { id } = await planned({ Employes: [employee('E-1', { Emplois: [job('J-1', 'EMP-1')] })] });
    const [{ champs }] = (await changes(id)) as [{ champs: [{ apres: string }] }];
    await inZone('Pacific/Kiritimati');
    expect((await apply(id)).status).toBe(200);
    const ended = (await partner.jobs('E-1'))['J-2']![2] as string;
    expect(new Date(ended).getTime()).toBeGreaterThan(new Date(champs[0].apres).getTime());
  });

  it('200 if other records have changed', async () => {
    const { id } = await planned(body);
    await partner.employee('E-2', { Ville: 'Laval', Emplois: [job('J-1', 'EMP-1')] });
    await partner.employee('E-3');
    expect((await apply(id)).status).toBe(200);
  });

  it('409 Plan.Perime once 24 h have passed, and the purge removes the plan', async () => {
    const [{ id }, young] = [await planned(body), await planned(body)];
    await app.database.query(
      `UPDATE plan SET date_creation = date_creation - interval '24 hours' WHERE id_unique = $1`,
      [id],
    );
    expect(await partner.get(`${PLAN}/${String(id)}`)).toMatchObject({ etat: 'Expire' });
    expect(await apply(id)).toMatchObject({ status: 409, json: { code: 'Plan.Perime' } });
    const purge = () => app.app.get(PlansService).purgeExpired([partner.tenant.tenantId]);
    expect([await purge(), await purge()]).toEqual([1, 0]);
    const { rows } = await app.database.query<{ id: string }>(
      'SELECT DISTINCT plan_id AS id FROM plan_changement WHERE tenant_id = $1',
      [partner.tenant.tenantId],
    );
    expect(rows).toEqual([{ id: young.id }]);
  });

  it('404 for a plan of another data space, and for one that was deleted', async () => {
    const { id } = await planned(body);
    const other = await Partner.start(app);
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/changements'],
      ['POST', '/appliquer'],
      ['DELETE', ''],
    ] as const)
      expect(await other.send(method, `${PLAN}/${String(id)}${rest}`)).toMatchObject({
        status: 404,
        json: { code: 'Plan.NotFound' },
      });
    expect((await partner.send('DELETE', `${PLAN}/${String(id)}`)).status).toBe(204);
    expect((await apply(id)).status).toBe(404);
  });
});

describe('POST /b2b/v2/plan with Prefer: respond-async', () => {
  const submit = (body: unknown, query = '', headers = {}): Promise<Answer> =>
    partner.send('POST', PLAN + query, body, { Prefer: 'respond-async', ...headers });
  const perform = async ({ json }: Answer): Promise<Answer> => {
    await app.app.get(TachesService).perform({ tenantId: partner.tenant.tenantId, tacheId: String(json.id) });
    return partner.send('GET', `/b2b/v2/tache/${String(json.id)}`);
  };

  it.each([
    ['V2', '', { Syndicats: UNIONS, Employes: [employee('E-1', { Emplois: [job('J', 'EMP-1')] })] }],
    [
      'V1',
      '?version=1',
      {
        Employeurs: [{ idExterne: 'EMP-9', nom: 'Usine' }],
        Employes: [{ idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-9' }],
      },
    ],
  ])('202: the task makes the plan of the same %s request, once', async (_of, query, body) => {
    const { version, empreinte, resume, parEmployeur } = await planned(body, query);
    const sent = await submit(body, query);
    const task = { id: sent.json.id as unknown, type: 'plan', total: 2 };
    expect([sent.status, sent.json]).toEqual([202, { ...task, etat: 'EnAttente', traites: 0 }]);
    expect(sent.headers.get('location')).toBe(`/b2b/v2/tache/${String(task.id)}`);
    expect(sent.headers.get('preference-applied')).toBe('respond-async');
    expect(await partner.get(PLAN)).toHaveLength(1);
    const done = await perform(sent);
    const [first, made, ...others] = (await partner.get(PLAN)) as unknown as Loose[];
    expect(others).toEqual([]);
    expect(done.json).toEqual({ ...task, etat: 'Reussie', traites: 2, resultat: { planId: made!.id } });
    expect(made).toMatchObject({ etat: 'Pret', version, empreinte, resume, parEmployeur });
    expect(await changes(made!.id)).toEqual(await changes(first!.id));
    // As if the worker had died between the commit and the end of the job.
    await perform(sent);
    expect(await partner.get(PLAN)).toHaveLength(2);
    expect((await apply(made!.id)).status).toBe(200);
  });

  it('fails as the request would; a body that is rejected and a repeated key make no task', async () => {
    for (let index = 0; index < 20; index++) await planned({});
    expect((await perform(await submit({}))).json).toMatchObject({
      ...{ etat: 'Echouee', erreur: { code: 'Plan.TropNombreux' } },
    });
    expectFaults(await submit({ Employeurs: [] }), { '/Employeurs': 'unknown' });
    const key = { 'Idempotency-Key': 'plan' };
    const [first, again] = [await submit({}, '', key), await submit({}, '', key)];
    expect([again.status, again.text]).toEqual([202, first.text]);
    const { rows } = await app.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM tache WHERE tenant_id = $1',
      [partner.tenant.tenantId],
    );
    expect(rows).toEqual([{ count: 2 }]);
  });

  it('an employee whom it names is renamed or erased once it has ended', async () => {
    await partner.sync({ Employes: [employee('E-1'), employee('E-2')] });
    const sent = await submit({ Employes: [employee('E-1', { Ville: 'Laval' })] });
    const rename = (pairs: Loose[]) => partner.send('POST', '/b2b/v2/employe/nouveaux-identifiants', pairs);
    const erase = () =>
      app.send(
        app.adminKey,
        'DELETE',
        `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/E-1`,
      );
    const many101 = many(101, (n) => ({ ancien: `E-${n + 1}`, nouveau: `N-${n}` }));
    for (const refused of [
      await rename([{ ancien: 'E-1', nouveau: 'E-9' }]),
      await rename(many101),
      await erase(),
    ])
      expectProblem(refused, 409, 'Employe.SyncEnAttente');
    await perform(sent);
    expect((await erase()).status).toBe(204);
    // The plan names the person.
    expect(await partner.get(PLAN)).toEqual([]);
  });
});

describe('16 writers at once, each adding one to the value it has read', () => {
  const EACH = depth(3, 20);
  const read = async (): Promise<number> => Number((await partner.v2('E-1')).ville ?? 0);
  const next = (count: number) => ({ Employes: [employee('E-1', { Ville: `${count + 1}` })] });

  /** @returns how often the writers added one, and the number that is stored in the end */
  async function counted(add: (count: number) => Promise<boolean>): Promise<[added: number, stored: number]> {
    await partner.sync(next(-1));
    let added = 0;
    await Promise.all(
      many(16, async () => {
        for (let turn = 0; turn < EACH; turn++) if (await add(await read())) added++;
      }),
    );
    return [added, await read()];
  }

  it('lose no update if they plan: a stale plan is never applied', async () => {
    const [added, stored] = await counted(async (count) => {
      const { status, json } = await partner.send('POST', PLAN, next(count));
      // More than 20 at once.
      if (status !== 201) return false;
      const [change] = await changes(json.id);
      // Another writer may have added between the read and the plan.
      const isFresh = (change?.champs as Loose[] | undefined)?.[0]?.avant === `${count}`;
      return isFresh && (await apply(json.id)).status === 200;
    });
    expect(added).toBeGreaterThan(1);
    expect(stored).toBe(added);
  });

  it('negative control: they lose some if they sync', async () => {
    const [added, stored] = await counted(async (count) => (await partner.sync(next(count))).status === 200);
    expect(stored).toBeLessThan(added);
  });
});
