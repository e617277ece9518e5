import type { Client } from 'pg';
import { expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import {
  backend,
  employee,
  employer,
  expectSync,
  job,
  type Loose,
  many,
  membership,
  Partner,
  resultOf,
  union,
} from './support';
import { perTest } from '../setup/fixtures';
import { lockWaits } from '../setup/lock-waits';

let app: TestApp;
const partner = perTest(() => Partner.start(app));
let rival: Client;

beforeAll(async () => {
  app = await TestApp.start();
  // A superuser's connection with a long deadlock timeout: in a deadlock with it, the service is the victim.
  rival = await app.connect('-c deadlock_timeout=1h');
});
afterAll(() => app.stop());
afterEach(async () => {
  await rival.query('ROLLBACK');
});

const asTenant = (text: string) => rival.query(text, [partner.tenant.tenantId]);
const HOWS: [string, Record<string, string>][] = [
  ['on its own', {}],
  ['under an Idempotency-Key', { 'Idempotency-Key': 'overtaken' }],
];

describe('a V2 sync that began before a change and ends after it', () => {
  /** Syncs of a tenant run one after the other: this holds the lock until the rival's transaction ends. */
  const holdTurn = async (): Promise<void> => {
    await rival.query('BEGIN');
    const name = `sync ${partner.tenant.tenantId}`;
    await rival.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [name]);
  };

  it.each<[string, Loose]>([
    ['an employment', { Emplois: [job('J-1', 'EMP-2')] }],
    ['an employment left out', { Emplois: [job('J-2', 'EMP-1')] }],
    ['a membership', { Adhesions: [membership('SYN', '2023-01-01')] }],
    ['a value', { ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: 'b' }] }],
    ['a value removed', { ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: null }] }],
  ])('sets a later derniereMAJ than the change did: %s', async (_what, more) => {
    await partner.defineField('T', 'texte');
    await partner.employers('EMP-1', 'EMP-2');
    await partner.employee('E-1', {
      Emplois: [job('J-1', 'EMP-1')],
      Adhesions: [membership('SYN')],
      ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: 'a' }],
    });
    await holdTurn();
    const running = partner.sync({ Employes: [employee('E-1', { Nom: 'Put', ...more })] });
    await lockWaits(app.database);
    const read = await partner.v1('E-1');
    const put = await partner.send('PUT', '/b2b/v1/employe', {
      ...read,
      nom: 'Put',
    });
    await rival.query('ROLLBACK');
    expect((await running).json).toMatchObject({ Employes: { AddCount: 0, UpdateCount: 1, Erreurs: [] } });
    const { derniereMAJ } = await partner.v2('E-1');
    expect(Date.parse(derniereMAJ)).toBeGreaterThan(Date.parse(put.json.derniereMAJ));
  });

  it('sets a later derniereMAJ of a union that it links than the change did', async () => {
    await partner.employers('EMP-1');
    await holdTurn();
    const sent = union('SYN', [employer('EMP-2')], { Nom: 'Rival' });
    const running = partner.sync({ Syndicats: [sent] });
    await lockWaits(app.database);
    await app.database.query(
      `UPDATE syndicat SET nom = 'Rival', derniere_maj = clock_timestamp() WHERE tenant_id = $1`,
      [partner.tenant.tenantId],
    );
    const before = await partner.get('/b2b/v2/syndicat/SYN');
    await rival.query('ROLLBACK');
    await expectSync(running, { Syndicats: [0, 1], Employeurs: [1, 0] });
    const { derniereMAJ } = await partner.get('/b2b/v2/syndicat/SYN');
    expect(Date.parse(derniereMAJ)).toBeGreaterThan(Date.parse(before.derniereMAJ));
  });
});

describe('a V2 sync that another request overtakes', () => {
  it.each(HOWS)('%s, by the creation of its employee: it updates that one', async (_how, headers) => {
    await partner.employers('EMP-1');
    await rival.query('BEGIN');
    await asTenant(
      `INSERT INTO employe (tenant_id, id_externe, prenom, nom) VALUES ($1, 'E-1', 'Rival', 'R')`,
    );
    const sent = { Employes: [employee('E-1', { Emplois: [job('J', 'EMP-1')] })] };
    const running = partner.sync(sent, '', headers);
    await lockWaits(app.database);
    await rival.query('COMMIT');
    await expectSync(running, { Employes: [0, 1], Emplois: [1, 0] });
    expect(await partner.count('employe')).toBe(1);
  });

  it.each(HOWS)('%s, by the deletion of its employer: that employment is an error', async (_how, headers) => {
    await partner.employers('EMP-1', 'EMP-2');
    await rival.query('BEGIN');
    await asTenant(`DELETE FROM employeur WHERE tenant_id = $1 AND id_externe = 'EMP-1'`);
    const Emplois = [job('J-1', 'EMP-1'), job('J-2', 'EMP-2')];
    const running = partner.sync({ Employes: [employee('E-1', { Emplois })] }, '', headers);
    await lockWaits(app.database);
    await rival.query('COMMIT');
    await expectSync(running, {
      Employes: [1, 0],
      Emplois: [1, 0, [['J-1', 'IdentifiantExterneEmployeur names no employer: EMP-1 (employee E-1)']]],
    });
  });

  it.each(HOWS)('%s, by the deletion of its employee: it is created again', async (_how, headers) => {
    await partner.employers('EMP-1');
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1')] });
    await rival.query('BEGIN');
    await asTenant(`DELETE FROM employe WHERE tenant_id = $1`);
    const sent = { Employes: [employee('E-1', { Emplois: [job('J-2', 'EMP-1')] })] };
    const running = partner.sync(sent, '', headers);
    await lockWaits(app.database);
    await rival.query('COMMIT');
    await expectSync(running, { Employes: [1, 0], Emplois: [1, 0] });
    expect(await partner.jobs('E-1')).toEqual({ 'J-2': ['EMP-1', null, null, true] });
  });

  it.each(HOWS)('%s, by the deletion of a custom field: that record is an error', async (_how, headers) => {
    await partner.defineField('T', 'texte');
    await rival.query('BEGIN');
    await asTenant(`DELETE FROM champ_utilisateur WHERE tenant_id = $1`);
    const value = { ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: 't' }] };
    const running = partner.sync({ Employes: [employee('E-1', value), employee('E-2')] }, '', headers);
    await lockWaits(app.database);
    await rival.query('COMMIT');
    await expectSync(running, {
      Employes: [1, 0, [['E-1', 'ValeursChampUtilisateur: no custom field is named T']]],
    });
    expect(await partner.rows('employe')).toMatchObject([{ id_externe: 'E-2' }]);
  });

  it.each(HOWS)('%s, by the removal of a choice: that record is an error', async (_how, headers) => {
    await partner.defineField('C', 'choix', ['NUIT', 'JOUR']);
    await rival.query('BEGIN');
    await asTenant(`DELETE FROM choix_champ WHERE tenant_id = $1 AND id_externe = 'NUIT'`);
    const value = (Valeur: string) => ({ ValeursChampUtilisateur: [{ NomChamp: 'C', Valeur }] });
    const Employes = [employee('E-1', value('NUIT')), employee('E-2', value('JOUR'))];
    const running = partner.sync({ Employes }, '', headers);
    await lockWaits(app.database);
    await rival.query('COMMIT');
    const { json } = await running;
    expect(json.Employes).toMatchObject({ AddCount: 1, UpdateCount: 0, Erreurs: [{ IdUnique: 'E-1' }] });
  });

  it.each(HOWS)('%s, by V1 giving its employee an employer: none is lost', async (_how, headers) => {
    await partner.employers('EMP-1', 'EMP-2');
    await partner.employee('E-1');
    await rival.query('BEGIN');
    await asTenant(`UPDATE employe SET identifiant_externe_employeur = 'EMP-1' WHERE tenant_id = $1`);
    const sent = { Employes: [employee('E-1', { Nom: 'Roy', Emplois: [job('J-1', 'EMP-2')] })] };
    const running = partner.sync(sent, '', headers);
    await lockWaits(app.database);
    await rival.query('COMMIT');
    await expectSync(running, { Employes: [0, 1], Emplois: [1, 0] });
    const jobs = await partner.jobs('E-1');
    expect(jobs['J-1']).toEqual(['EMP-2', null, null, true]);
    // V1 wrote before the sync took effect. The sync therefore found its employment and ended it.
    expect(jobs.V1).toEqual(['EMP-1', null, expect.any(String), false]);
  });
});

describe('a connection that is killed during a V2 sync', () => {
  const sent = (count: number) => ({
    Syndicats: [union('SYN', [employer('EMP-1')])],
    Employes: [
      employee('E-0', { Nom: 'Roy', Emplois: [job('J', 'EMP-1')], Adhesions: [membership('SYN')] }),
      ...many(count, (index) => employee(`E-${index + 1}`, { Emplois: [job('J', 'EMP-1')] })),
    ],
  });
  const kill = async (pid: number): Promise<void> => {
    await app.database.query('SELECT pg_terminate_backend($1)', [pid]);
  };

  it.each(HOWS)('%s: 503 and nothing is written; the same request then succeeds', async (_how, headers) => {
    await partner.employee('E-0');
    const before = await partner.versions();
    await rival.query('BEGIN');
    await asTenant(`SELECT FROM employe WHERE tenant_id = $1 FOR UPDATE`);
    const running = partner.sync(sent(10), '', headers);
    const [waiting] = await lockWaits(app.database);
    await kill(waiting!);
    expectProblem(await running, 503, 'Service.Indisponible');
    await rival.query('ROLLBACK');
    expect(await partner.versions()).toEqual(before);
    await expectSync(partner.sync(sent(10), '', headers), {
      ...{ Syndicats: [1, 0], Employeurs: [1, 0], Employes: [10, 1], Emplois: [11, 0], Adhesions: [1, 0] },
    });
  });

  it('the same during the COPY of records', async () => {
    await partner.employee('E-0');
    const before = await partner.versions();
    const running = partner.sync(sent(60_000));
    await kill(await backend(app, `query LIKE 'COPY stage_employe_v2%' AND state = 'active'`, 'A COPY'));
    expectProblem(await running, 503, 'Service.Indisponible');
    expect(await partner.versions()).toEqual(before);
    // All remaining connections work: each request gets a response.
    const answers = await Promise.all(many(30, () => partner.sync(sent(10))));
    expect(answers.map(({ status }) => status)).toEqual(many(30, () => 200));
    expect(answers[29]!.json).toEqual(
      resultOf({
        Syndicats: [0, 1],
        Employeurs: [0, 1],
        Employes: [0, 11],
        Emplois: [0, 11],
        Adhesions: [0, 1],
      }),
    );
  });
});
