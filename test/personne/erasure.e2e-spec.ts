import { randomUUID } from 'node:crypto';
import { PERSONAL_DATA } from '../../libs/personne/src/persistence/personal-data.sql';
import { SealingService } from '../../libs/voting/src';
import { refusing } from '../adhesion/support/data-space';
import { dataUrl } from '../adhesion/support/png';
import { expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { Space } from './space';
import { dump, tracesOf } from './support';

/** Tables with ids only, and the notes about deleted employees. */
const NOT_SEARCHED = ['journal', 'consentement_demande', 'courriel_destinataire', 'ancien_employe'];

const ROWS = PERSONAL_DATA.flatMap(({ rows }) => rows);

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
});
afterAll(() => app.stop());

describe('The erasure of an employee', () => {
  it.each(['before', 'after'])(
    'leaves no trace in a dump, and no change in ballots, counts, the chain and other persons (%s the sealing)',
    async (order) => {
      const space = await Space.make(app);
      const { one, other } = space;
      const id = await space.fill();
      await space.votes.campaigns.sent('POST', `/${id}/fermer`);
      const seal = (): Promise<void> => app.app.get(SealingService).sealAllDue();
      if (order === 'after') await seal();
      // An open vote without the person does not block the erasure.
      await space.votes.campaigns.scheduled();

      const before = await dump(app);
      const expected = ROWS.flatMap(({ table }) => (NOT_SEARCHED.includes(table) ? [] : [table]));
      // Negative control: each of these tables had a trace, which the search finds.
      expect(tracesOf(one.texts, before)).toEqual(expect.arrayContaining(expected));
      const stored = await space.sealed(id);
      const others = tracesOf(other.texts, before);

      expect((await space.erase()).status).toBe(204);
      const after = await dump(app);
      expect(tracesOf(one.texts, after)).toEqual([]);
      expect(await space.sealed(id)).toEqual(stored);
      expect(tracesOf(other.texts, after)).toEqual(others);
      expect(await space.trail.verify()).toMatchObject({ faults: [] });
      const roll = (await space.votes.campaigns.sent('GET', `/${id}/votants`)).json as object[];
      expect(roll).toHaveLength(4);
      // In a campaign that is published later, voters without a name are removed.
      const drafted = await space.votes.campaigns.item(space.draft);
      const left = (await space.votes.campaigns.sent('GET', `/${space.draft}/votants`)).json as object[];
      expect([drafted.nombreVotants, left.length]).toEqual([1, 1]);
      const blank = {
        Prenom: '(effacé)',
        Nom: '(effacé)',
        Identifiant: null,
        Courriel: null,
        EmployeIdExterne: null,
      };
      expect(roll.filter((voter) => (voter as { Nom: string }).Nom === '(effacé)')).toEqual([
        expect.objectContaining({ ...blank, AVote: true }),
        expect.objectContaining({ ...blank, AVote: true }),
        expect.objectContaining({ ...blank, AVote: true }),
      ]);
      await seal();
      expect(tracesOf(one.texts, await dump(app))).toEqual([]);
      const { json } = await space.votes.campaigns.sent('GET', `/${id}/stats`);
      expect(json).toEqual((stored as { stats: unknown }).stats);

      expectProblem(await space.erase(), 404, 'Employe.NotFound');
      const [entry] = (await space.trail.rows()).slice(-1);
      expect(entry).toMatchObject({ action: 'employe.effacer' });
    },
    120_000,
  );

  it('is refused while the person is a voter of an active campaign, tied to it or not; nothing is erased', async () => {
    const space = await Space.make(app);
    await space.fill();
    const before = await dump(app);
    expectProblem(await space.erase(), 409, 'Employe.LieCampagneActive');
    // The same applies if only a voter without an employee has the names.
    await app.database.query(`UPDATE votant SET employe_id_externe = NULL WHERE employe_id_externe = $1`, [
      space.one.idExterne,
    ]);
    expectProblem(await space.erase(), 409, 'Employe.LieCampagneActive');
    expect(tracesOf(space.one.texts, await dump(app))).toEqual(tracesOf(space.one.texts, before));
  });

  it('409 at once while a box is being sealed, and while a sync names the employee', async () => {
    const space = await Space.make(app);
    const id = await space.fill();
    await space.votes.campaigns.sent('POST', `/${id}/fermer`);
    const lock = `pg_advisory_lock(hashtextextended('${space.open.tenantId} ${id}', 4))`;
    await app.database.query(`SELECT ${lock}`);
    expectProblem(await space.erase(), 409, 'Employe.LieCampagneActive');
    await app.database.query(`SELECT ${lock.replace('advisory_lock', 'advisory_unlock')}`);
    const awaiting = async (corps: string): Promise<void> => {
      await app.database.query(
        `INSERT INTO tache (tenant_id, type, etat, total, simulation, corps) VALUES ($1, 'sync', 'EnAttente', 1, false, $2)`,
        [space.open.tenantId, Buffer.from(corps)],
      );
    };
    const body = JSON.stringify({ Employes: [space.one.employe] });
    // As it is, as PHP and Python write it, and in what is no JSON.
    for (const corps of [
      body,
      body.replaceAll('é', '\\u00e9'),
      body.replaceAll('é', '\\u00E9'),
      `${body}}`,
    ]) {
      await awaiting(corps);
      expectProblem(await space.erase(), 409, 'Employe.SyncEnAttente');
      await app.database.query('DELETE FROM tache WHERE tenant_id = $1 AND date_fin IS NULL', [
        space.open.tenantId,
      ]);
    }
    await awaiting('{"Employes": [{"Nom": Roy}]}');
    expect((await space.erase()).status).toBe(204);
  });

  it('erases all or nothing', async () => {
    const space = await Space.make(app);
    const id = await space.fill();
    await space.votes.campaigns.sent('POST', `/${id}/fermer`);
    const before = tracesOf(space.one.texts, await dump(app));
    expectProblem(await refusing(app, 'journal', () => space.erase()), 500, 'Service.ErreurInterne');
    expect(tracesOf(space.one.texts, await dump(app))).toEqual(before);
    expect((await space.erase()).status).toBe(204);
  });

  it('404 in another environment, client or tenant, which do not change; 403 for other roles than admin', async () => {
    const space = await Space.make(app);
    await space.fill();
    const send = (path: string, cle: Parameters<TestApp['send']>[0] = app.adminKey): Promise<Answer> =>
      app.send(cle, 'DELETE', path);
    expectProblem(await send(space.path(space.one, 'production')), 404, 'Employe.NotFound');
    expectProblem(await send(space.path(space.one, 'test')), 404, 'Employe.NotFound');
    const other = await app.tenant();
    const path = space.path().replace(space.open.partenaire.clientId, other.clientId);
    expectProblem(await send(path), 404, 'Employe.NotFound');
    expectProblem(await send(path.replace(other.clientId, randomUUID())), 404, 'Client.NotFound');
    for (const key of [space.open.partenaire, space.open.plateforme])
      expectProblem(await send(space.path(), key), 403, 'Cle.RoleInsuffisant');
    expect(
      (await space.partner('GET', `/b2b/v1/employe/${encodeURIComponent(space.one.idExterne)}`)).status,
    ).toBe(200);
  });
});

describe('The export of an employee', () => {
  it('contains every text of the person, from every place, and none of others', async () => {
    const space = await Space.make(app);
    const id = await space.fill();
    const { status, json, text } = await app.send(app.adminKey, 'GET', space.path());
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual([...new Set(ROWS.map(({ section }) => section))]);
    const counts = Object.fromEntries(
      Object.entries(json as Record<string, unknown[]>).map(([section, rows]) => [section, rows.length]),
    );
    expect(counts).toMatchObject({
      ...{ employe: 1, emplois: 1, appartenances: 1, valeursChampUtilisateur: 1, consentements: 2 },
      ...{ adhesions: 1, signatures: 2, paiements: 1, autorisationsPaiement: 1, demandesAdhesion: 2 },
      ...{ consentementsDemandes: 2, votants: 5, listesElectorales: 1, changementsDePlans: 1 },
      ...{ taches: 1, resultatsTaches: 1 },
    });
    const { png, ...rest } = space.one;
    const shown = JSON.stringify(json);
    for (const value of Object.values<string>(rest))
      expect(shown).toContain(JSON.stringify(value).slice(1, -1));
    expect(shown).toContain(dataUrl(png));
    expect(tracesOf(space.other.texts, new Map([['export', [text]]]))).toEqual([]);
    expect(json.votants.map(({ campagneId, aVote }: Record<string, unknown>) => [campagneId, aVote])).toEqual(
      [
        [id, true],
        [id, true],
        [id, true],
        [space.draft, false],
        [space.draft, false],
      ],
    );
    expect(json.employe[0]).toMatchObject({
      idExterne: space.one.idExterne,
      dateCreation: expect.stringMatching(/Z$/),
    });
    expect(shown).not.toContain(space.open.tenantId);
    const made = (await space.trail.rows()).slice(-3).map(({ action }) => action);
    expect(made).toEqual(['employe.exporter', 'signature.lire', 'signature.lire']);
  });

  it('404 for an unknown employee, 403 for a key without the role admin', async () => {
    const space = await Space.make(app);
    expectProblem(await app.send(app.adminKey, 'GET', space.path()), 404, 'Employe.NotFound');
    expectProblem(await app.send(space.open.partenaire, 'GET', space.path()), 403, 'Cle.RoleInsuffisant');
  });
});

describe('Every table of data spaces', () => {
  it('is one whose rows an erasure goes through, or says nothing about a person', async () => {
    const { rows } = await app.database.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace AND c.relrowsecurity ORDER BY 1`,
    );
    const known = PERSONAL_DATA.flatMap(({ rows, notPersonal }) => [
      ...new Set(rows.map(({ table }) => table)),
      ...Object.keys(notPersonal),
    ]);
    expect(rows.map(({ name }) => name)).toEqual(known.sort());
    expect(new Set(known).size).toBe(known.length);
  });
});
