import { randomUUID } from 'node:crypto';
import { SealingService } from '../../libs/voting/src';
import { expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { depth } from '../setup/depth';
import { type Answer, TestApp } from '../setup/test-app';
import { type Somebody, Space } from './space';
import { dump, tracesOf } from './support';

const RACES = depth(5, 50);

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
});
afterAll(() => app.stop());

/** Numbers of rows by section of an export, without empty sections. */
function counts({ json }: Answer): Record<string, number> {
  const sections = Object.entries(json as Record<string, unknown[]>);
  return Object.fromEntries(sections.map(([name, rows]) => [name, rows.length]).filter(([, rows]) => rows));
}

const EMPLOYE = '/b2b/v1/employe';

/** The record of an employee, with the identifier of another person if given. */
const record = (who: Somebody, idExterne = who.idExterne): object => {
  const { prenom, nom, courriel } = who;
  return { idExterne, prenom, nom, courriel };
};

/** Puts the employee of an identifier on the roll of a campaign that then ends. @returns the voter's campaign */
async function voted(space: Space, idExterne: string): Promise<string> {
  const { campaigns } = space.votes;
  const id = await campaigns.draft();
  await campaigns.question(id);
  await campaigns.sent('POST', `/${id}/liste-electorale`, { EmployesIdExternes: [idExterne] });
  await campaigns.sent('POST', `/${id}/publier`);
  await campaigns.sent('POST', `/${id}/ouvrir`);
  await campaigns.sent('POST', `/${id}/fermer`);
  return id;
}

/** Makes an employee of the identifier who was a voter, and lets the partner delete it. @returns its former id */
async function passed(space: Space, who: Somebody, idExterne = who.idExterne): Promise<string> {
  await space.done(space.partner('POST', EMPLOYE, record(who, idExterne)));
  await voted(space, idExterne);
  return space.remove({ idExterne });
}

describe('The erasure of an employee whom the partner has deleted', () => {
  it.each(['before', 'after'])(
    'leaves no trace in a dump, and no change in ballots, counts, the chain and other persons (%s the sealing)',
    async (order) => {
      const space = await Space.make(app);
      const { one, other } = space;
      const id = await space.fill();
      const idUnique = await space.leave(id);
      const seal = (): Promise<void> => app.app.get(SealingService).sealAllDue();
      if (order === 'after') await seal();
      const before = await dump(app);
      // Negative control: the deletion left a trace in each of these tables, which the search finds.
      expect(tracesOf(one.texts, before)).toEqual(
        expect.arrayContaining([
          ...['ancien_employe', 'demande_adhesion', 'evenement', 'idempotency_record', 'liste_electorale'],
          ...['signature_manuscrite', 'tache', 'votant'],
        ]),
      );
      const stored = await space.sealed(id);
      const others = tracesOf(other.texts, before);

      expect((await space.erase()).status).toBe(204);
      const after = await dump(app);
      expect(tracesOf(one.texts, after)).toEqual([]);
      expect(await space.sealed(id)).toEqual(stored);
      expect(tracesOf(other.texts, after)).toEqual(others);
      expect(await space.trail.verify()).toMatchObject({ faults: [] });
      const roll = (await space.votes.campaigns.sent('GET', `/${id}/votants`)).json as { Nom: string }[];
      expect([roll.length, roll.filter(({ Nom }) => Nom === '(effacé)').length]).toEqual([4, 3]);
      await seal();
      expect(tracesOf(one.texts, await dump(app))).toEqual([]);

      expectProblem(await space.erase(), 404, 'Employe.NotFound');
      const [entry] = (await space.trail.rows()).slice(-1);
      expect(entry).toMatchObject({ action: 'employe.effacer', objetId: idUnique });
    },
    120_000,
  );

  it('is refused while a voter with the names is on the roll of an active campaign; nothing is erased', async () => {
    const space = await Space.make(app);
    const { one } = space;
    await passed(space, one);
    const id = await space.votes.campaigns.draft();
    await space.votes.campaigns.question(id);
    await space.votes.campaigns.votant(id, { Prenom: one.prenom, Nom: one.nom, Courriel: one.courriel });
    await space.votes.campaigns.sent('POST', `/${id}/publier`);
    const before = tracesOf(one.texts, await dump(app));
    expectProblem(await space.erase(), 409, 'Employe.LieCampagneActive');
    expect(tracesOf(one.texts, await dump(app))).toEqual(before);
  });

  it('is refused while a sync that creates the employee again waits', async () => {
    const space = await Space.make(app);
    await passed(space, space.one);
    await app.database.query(
      `INSERT INTO tache (tenant_id, type, etat, total, simulation, corps) VALUES ($1, 'sync', 'EnAttente', 1, false, $2)`,
      [space.open.tenantId, Buffer.from(JSON.stringify({ Employes: [space.one.employe] }))],
    );
    expectProblem(await space.erase(), 409, 'Employe.SyncEnAttente');
    await app.database.query('DELETE FROM tache WHERE tenant_id = $1', [space.open.tenantId]);
    expect((await space.erase()).status).toBe(204);
  });

  it('404 for an identifier that no employee had, and in other tenants, which do not change', async () => {
    const space = await Space.make(app);
    const { one, other } = space;
    await passed(space, one);
    // A voter and a request have the identifier, but no employee had it.
    await space.votes.campaigns.votant(await space.votes.campaigns.draft(), { Identifiant: other.idExterne });
    for (const answer of [await space.read(other), await space.erase(other)])
      expectProblem(answer, 404, 'Employe.NotFound');
    const elsewhere = await Space.make(app);
    const path = space.path().replace(space.open.partenaire.clientId, elsewhere.open.partenaire.clientId);
    for (const there of [path, space.path(one, 'production')]) {
      expectProblem(await app.send(app.adminKey, 'GET', there), 404, 'Employe.NotFound');
      expectProblem(await app.send(app.adminKey, 'DELETE', there), 404, 'Employe.NotFound');
    }
    expect(counts(await space.read())).toMatchObject({ anciensEmployes: 1, votants: 1 });
  });
});

describe('The export of an employee whom the partner has deleted', () => {
  it('contains every row that is left, and none of others', async () => {
    const space = await Space.make(app);
    const { one, other } = space;
    const idUnique = await space.leave(await space.fill());
    const answer = await space.read();
    expect(answer.status).toBe(200);
    expect(counts(answer)).toMatchObject({
      ...{ anciensEmployes: 1, demandesAdhesion: 2, signatures: 1, consentementsDemandes: 2, votants: 5 },
      ...{ listesElectorales: 1, evenements: 7, taches: 1, reponsesEnregistrees: expect.any(Number) },
    });
    for (const absent of ['employe', 'emplois', 'appartenances', 'consentements', 'adhesions'])
      expect(answer.json[absent]).toEqual([]);
    const actions = (answer.json.journal as { action: string; objetId: string }[])
      .filter(({ objetId }) => objetId === idUnique)
      .map(({ action }) => action);
    expect(actions).toContain('employe.supprimer');
    expect(tracesOf(other.texts, new Map([['export', [answer.text]]]))).toEqual([]);
    expect(answer.text).not.toContain(space.open.tenantId);
    const made = (await space.trail.rows()).slice(-2);
    expect(made).toMatchObject([
      { action: 'employe.exporter', objetId: idUnique },
      { action: 'signature.lire' },
    ]);
    expect(answer.text).toContain(one.noMembre);
  });
});

describe('Persons who had the same external identifier', () => {
  it('one after the other, are exported and erased apart', async () => {
    const space = await Space.make(app);
    const { one: first, other: second } = space;
    const { idExterne } = first;
    await passed(space, first);
    await space.done(space.partner('POST', EMPLOYE, record(second, idExterne)));
    await voted(space, idExterne);

    const now = await space.read();
    expect(counts(now)).toMatchObject({ employe: 1, votants: 1 });
    expect(tracesOf([first.nom], new Map([['now', [now.text]]]))).toEqual([]);
    const before = await space.read(first, '?supprime=true');
    expect(counts(before)).toMatchObject({ anciensEmployes: 1, votants: 1 });
    expect(before.json.employe).toEqual([]);
    expect(tracesOf([second.nom], new Map([['before', [before.text]]]))).toEqual([]);

    expect((await space.erase(first, '?supprime=true')).status).toBe(204);
    expect(tracesOf([first.nom, first.courriel], await dump(app))).toEqual([]);
    expect(await space.read().then(counts)).toEqual({ ...counts(now), journal: counts(now).journal! + 1 });
    expectProblem(await space.erase(first, '?supprime=true'), 404, 'Employe.NotFound');
  });

  it('leave the former one as it is when the present one is erased', async () => {
    const space = await Space.make(app);
    const { one: first, other: second } = space;
    await passed(space, first);
    await space.done(space.partner('POST', EMPLOYE, record(second, first.idExterne)));
    await voted(space, first.idExterne);
    expect((await space.erase()).status).toBe(204);
    expect(tracesOf([second.nom, second.courriel], await dump(app))).toEqual([]);
    expect(counts(await space.read())).toMatchObject({ anciensEmployes: 1, votants: 1 });
    expect((await space.erase()).status).toBe(204);
    expect(tracesOf([first.idExterne, first.nom], await dump(app))).toEqual([]);
    expectProblem(await space.erase(), 404, 'Employe.NotFound');
  });

  it('are one if they have the same names: created again or deleted again, all is found', async () => {
    const space = await Space.make(app);
    const { one } = space;
    const idsUniques = [await passed(space, one)];
    // With another address, only the former identifier leads from one voter to the other.
    await app.database.query('UPDATE votant SET courriel = NULL WHERE nom = $1', [one.nom]);
    idsUniques.push(await passed(space, one));
    const gone = await space.read();
    expect(counts(gone)).toMatchObject({ anciensEmployes: 1, votants: 2 });
    expect(gone.json.anciensEmployes[0].employes.toSorted()).toEqual(idsUniques.toSorted());
    await space.done(space.partner('POST', EMPLOYE, record(one)));
    expect(counts(await space.read())).toMatchObject({ employe: 1, anciensEmployes: 1, votants: 2 });
    expect((await space.erase()).status).toBe(204);
    expect(tracesOf(one.texts, await dump(app))).toEqual([]);
    expectProblem(await space.erase(), 404, 'Employe.NotFound');
  });
});

describe('An erasure of a deleted employee', () => {
  it('waits for a running sync, and spares the employee that it creates', async () => {
    const space = await Space.make(app);
    const { one, other } = space;
    await passed(space, one);
    const lock = `pg_advisory_lock(hashtextextended('sync ${space.open.tenantId}', 2))`;
    await app.database.query(`SELECT ${lock}`);
    const erased = space.erase(one, '?supprime=true');
    await new Promise((resolve) => setTimeout(resolve, 300));
    // Negative control: it has not begun.
    expect(tracesOf([one.nom], await dump(app))).toContain('votant');
    await space.done(space.partner('POST', EMPLOYE, record(other, one.idExterne)));
    await app.database.query(`SELECT ${lock.replace('advisory_lock', 'advisory_unlock')}`);
    expect((await erased).status).toBe(204);
    expect(tracesOf([one.nom, one.courriel], await dump(app))).toEqual([]);
    expect(await space.partner('GET', `${EMPLOYE}/${encodeURIComponent(one.idExterne)}`)).toMatchObject({
      status: 200,
      json: record(other, one.idExterne),
    });
  });

  it(`leaves whole an employee that is created at the same time, in ${RACES} races`, async () => {
    const space = await Space.make(app);
    const { one, other } = space;
    for (const race of times(RACES, (index) => index)) {
      await passed(space, one);
      const pause = new Promise((resolve) => setTimeout(resolve, (race % 5) * 4));
      const [erased, made] = await Promise.all([
        space.erase(one, '?supprime=true'),
        pause.then(() => space.partner('POST', EMPLOYE, record(other, one.idExterne))),
      ]);
      expect([erased.status, made.status]).toEqual([204, 201]);
      expect(tracesOf([one.nom, one.courriel], await dump(app))).toEqual([]);
      expect(counts(await space.read())).toMatchObject({ employe: 1 });
      expect((await space.erase()).status).toBe(204);
    }
  }, 120_000);

  it(`and the partner's deletion at the same time leave nothing, in ${RACES} races`, async () => {
    const space = await Space.make(app);
    const { one } = space;
    for (const race of times(RACES, (index) => index)) {
      await space.done(space.partner('POST', EMPLOYE, record(one)));
      await voted(space, one.idExterne);
      const path = `${EMPLOYE}/${encodeURIComponent(one.idExterne)}`;
      const pause = new Promise((resolve) => setTimeout(resolve, (race % 5) * 4));
      const [erased, deleted] = await Promise.all([
        race % 2 ? space.erase() : pause.then(() => space.erase()),
        race % 2 ? pause.then(() => space.partner('DELETE', path)) : space.partner('DELETE', path),
      ]);
      expect(erased.status).toBe(204);
      expect([204, 404]).toContain(deleted.status);
      expect(tracesOf(one.texts, await dump(app))).toEqual([]);
    }
  }, 120_000);

  it('400 for a value of supprime that is no boolean', async () => {
    const space = await Space.make(app);
    expectProblem(await space.read(space.one, '?supprime=peut-être'), 400, 'Requete.Invalide');
    expectProblem(await space.erase(space.one, `?${randomUUID()}=1`), 400, 'Requete.Invalide');
  });
});
