import { STEPS } from '../../libs/topology/src';
import { connectForCopy, CopyRefused, copySpace } from '../../libs/topology/src/moves/space-copy';
import { eventually, expectProblem } from '../http/expect-problem';
import { perFile } from '../setup/fixtures';
import { asService } from '../setup/service-login';
import { TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { employee } from '../sync/support';
import { Guardians } from '../voting/support/encrypted';
import { Votes } from '../voting/support/votes';
import { type Cell, spaceOf, TwoCells } from './support';

const two = perFile(() => TwoCells.start());

/** Everything that a partner can read of the tenant without a list of ids. */
async function readings(tenant: TestTenant): Promise<Record<string, string>> {
  const paths = [
    ...['/b2b/v1/employe', '/b2b/v1/employeur', '/b2b/v1/campagnes', '/b2b/v2/employe', '/b2b/v2/emploi'],
    ...['/b2b/v2/syndicat', '/b2b/v2/objet-consentement', '/b2b/v2/changement', '/b2b/v2/evenement'],
  ];
  const found: Record<string, string> = {};
  for (const path of paths) {
    const { status, text } = await two.app.send(tenant, 'GET', path);
    expect([path, status]).toEqual([path, 200]);
    found[path] = text;
  }
  return found;
}

describe('a request', () => {
  it('400, 404 and 409 say what is wrong, and change nothing', async () => {
    const { tenant } = await two.tenantIn('principal');
    expectProblem(await two.request(tenant, 'sud' as Cell), 400, 'Cellule.Inconnue');
    expectProblem(await two.asAdmin('POST', `${spaceOf(tenant)}/deplacer`, {}), 400, 'Requete.Invalide');
    expectProblem(await two.request(tenant, 'principal'), 409, 'Deplacement.Inutile');
    expectProblem(await two.asAdmin('GET', `${spaceOf(tenant)}/deplacement`), 404, 'Deplacement.NotFound');
    const production = `/clients/${tenant.clientId}/environnements/production/deplacer`;
    expectProblem(await two.asAdmin('POST', production, { cellule: 'nord' }), 404, 'Deplacement.NotFound');
    const nobody = '/clients/00000000-0000-0000-0000-000000000001/environnements/staging/deplacer';
    expectProblem(await two.asAdmin('POST', nobody, { cellule: 'nord' }), 404, 'Client.NotFound');
    // The body is checked before the path.
    const unknown = `/clients/${tenant.clientId}/environnements/autre/deplacer`;
    expectProblem(await two.asAdmin('POST', unknown, {}), 400, 'Requete.Invalide');
    expectProblem(await two.asAdmin('POST', unknown, { cellule: 'nord' }), 404, 'Deplacement.NotFound');
    expectProblem(
      await two.app.send(tenant, 'POST', `/admin/v1${spaceOf(tenant)}/deplacer`, { cellule: 'nord' }),
      403,
      'Cle.RoleInsuffisant',
    );
    const accepted = await two.request(tenant, 'nord');
    expect([accepted.status, accepted.json.etat, accepted.headers.get('location')]).toEqual([
      ...[202, 'EnAttente', `/admin/v1${spaceOf(tenant)}/deplacement`],
    ]);
    expect(await two.latest(tenant)).toEqual(accepted.json);
    expectProblem(await two.request(tenant, 'nord'), 409, 'Deplacement.EnCours');
    expect((await two.write(tenant)).status).toBe(201);
  });

  it('409 Deplacement.VoteOuvert from five minutes before a vote until its box is sealed', async () => {
    const campaigns = await two.tenantIn('principal');
    const votes = await Votes.of(two.app, campaigns);
    await votes.opened(2);
    expectProblem(await two.request(campaigns.tenant, 'nord'), 409, 'Deplacement.VoteOuvert');
    const opensIn = (interval: string): Promise<unknown> =>
      two.databases.principal.query(
        `UPDATE campagne SET ouverture_du_vote_utc = now() + $2::interval, fermeture_du_vote_utc = now() + $2::interval * 2
         WHERE tenant_id = $1`,
        [campaigns.tenant.tenantId, interval],
      );
    await opensIn('4 minutes');
    expectProblem(await two.request(campaigns.tenant, 'nord'), 409, 'Deplacement.VoteOuvert');
    await opensIn('10 minutes');
    expect((await two.request(campaigns.tenant, 'nord')).status).toBe(202);
    // It opens after the request.
    await opensIn('1 second');
    await two.performed(campaigns.tenant);
    expect(await two.latest(campaigns.tenant)).toMatchObject({
      etat: 'Echouee',
      erreur: { code: 'Deplacement.VoteOuvert' },
    });
    expect((await two.write(campaigns.tenant)).status).toBe(201);
  });
});

describe('a move', () => {
  it('brings everything; reads go on, writes of this space wait, those of others do not; and back again', async () => {
    const campaigns = await two.tenantIn('principal');
    const { tenant } = campaigns;
    const other = await two.tenantIn('principal');
    const votes = await Votes.of(two.app, campaigns);
    const vote = await votes.opened(3);
    for (const voter of [0, 1]) await votes.voted(vote, voter);
    const encrypted = await campaigns.draft();
    await campaigns.question(encrypted);
    const voter = await campaigns.votant(encrypted);
    const guardians = await Guardians.of(votes, encrypted, 1, 1);
    await guardians.finish();
    for (const transition of ['publier', 'ouvrir'])
      await campaigns.sent('POST', `/${encrypted}/${transition}`);
    const { body } = await guardians.sealed(voter, [[0]]);
    expect((await votes.cast(encrypted, body)).status).toBe(201);
    for (const id of [vote.id, encrypted]) await campaigns.sent('POST', `/${id}/fermer`);
    const worker = await startWorker({ ...two.app.config, workerCell: 'principal' }, { roundMs: 100 });
    await eventually(async () => {
      const { rows } = await two.databases.principal.query<{ sealed: boolean }>(
        'SELECT bool_and(urne_scellee AND NOT chiffrement_du) AS sealed FROM campagne WHERE tenant_id = $1',
        [tenant.tenantId],
      );
      return rows[0]!.sealed || undefined;
    }, 'the box is sealed');
    await worker.close();
    const statistics = async (): Promise<string> => (await campaigns.sent('GET', `/${vote.id}/stats`)).text;
    const seen = { readings: await readings(tenant), statistics: await statistics() };
    const rows = await two.rowsIn('principal', tenant.tenantId);

    const answers: Record<string, number[]> = {};
    await two.moved(tenant, 'nord', async (step) => {
      const [read, refused, free] = [
        await readings(tenant),
        await two.write(tenant),
        await two.write(other.tenant),
      ];
      expect(read).toEqual(seen.readings);
      if (refused.status === 503) {
        expectProblem(refused, 503, 'EspaceDonnees.EnDeplacement');
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      answers[step] = [refused.status, free.status];
      // Otherwise the next step would see what this one has written.
      if (refused.status === 201) {
        seen.readings = await readings(tenant);
        Object.assign(rows, await two.rowsIn('principal', tenant.tenantId));
      }
    });
    const closed = STEPS.filter((step) => answers[step]![0] === 503);
    expect(closed).toEqual(expect.arrayContaining(['shut', 'copied', 'kept', 'closed', 'switched']));
    expect(answers.counted).toEqual([201, 201]);
    expect(Object.values(answers).map(([, free]) => free)).toEqual(STEPS.map(() => 201));

    expect(await two.latest(tenant)).toMatchObject({ etat: 'Reussie' });
    expect(await two.rowsIn('principal', tenant.tenantId)).toEqual({});
    const { json } = await two.asAdmin('GET', `/clients/${tenant.clientId}`);
    expect(json.cellules).toContainEqual({ environnement: 'staging', cellule: 'nord' });
    expect(await statistics()).toEqual(seen.statistics);
    expect((await two.write(tenant)).status).toBe(201);
    // Ceremony, ballots and sums are there: a decryption is checked by them.
    expect((await guardians.decrypt(await guardians.decryption(1))).status).toBe(200);

    const before = await readings(tenant);
    // Standbys of the new cell serve no reads before they have the copy.
    const position = 'SELECT FROM derniere_ecriture WHERE espace = $1';
    expect((await two.databases.nord.query(position, [tenant.tenantId])).rowCount).toBe(1);
    await two.moved(tenant, 'principal');
    expect(await readings(tenant)).toEqual(before);
    expect(await two.rowsIn('nord', tenant.tenantId)).toEqual({});
    expect((await two.write(tenant)).status).toBe(201);
  }, 120_000);

  it('killed after any step is completed by the next mover, and no confirmed write is lost', async () => {
    await Promise.all(
      STEPS.map(async (killed) => {
        const { tenant } = await two.tenantIn('principal');
        await expect(
          two.moved(tenant, 'nord', (step) => {
            if (step === killed) throw new Error('killed');
          }),
        ).rejects.toThrow('killed');
        // Writes are possible again by themselves.
        await eventually(
          async () => (await two.write(tenant)).status === 201 || undefined,
          `writes after ${killed}`,
          20,
        );
        await two.performed(tenant);
        expect(await two.latest(tenant)).toMatchObject({ etat: 'Reussie' });
        expect(await two.rowsIn('principal', tenant.tenantId)).toEqual({});
        const { json } = await two.app.send(tenant, 'GET', '/b2b/v2/objet-consentement');
        expect(json).toHaveLength(1);
        expect((await two.write(tenant)).status).toBe(201);
      }),
    );
  }, 180_000);

  it('tasks that wait in the old cell are done there, in the new one', async () => {
    const { tenant } = await two.tenantIn('principal');
    const body = { Employes: [employee('E-9')] };
    const headers = { Prefer: 'respond-async' };
    const { json } = await two.app.send(tenant, 'POST', '/b2b/v2/sync', body, headers);
    await two.moved(tenant, 'nord');
    const worker = await startWorker({ ...two.app.config, workerCell: 'principal' }, { roundMs: 100 });
    try {
      await eventually(async () => {
        const { json: task } = await two.app.send(tenant, 'GET', `/b2b/v2/tache/${json.id}`);
        return task.etat === 'Reussie' || undefined;
      }, 'the task has ended');
    } finally {
      await worker.close();
    }
    expect((await two.app.send(tenant, 'GET', '/b2b/v1/employe/E-9')).status).toBe(200);
  }, 60_000);

  it('waits for running writes, and a process that still knows the old cell cannot write there', async () => {
    const { tenant } = await two.tenantIn('principal');
    const stale = await TestApp.start({ ...two.app.config, databaseUrl: two.urls.principal });
    try {
      expect((await stale.send(tenant, 'GET', '/b2b/v2/employe')).status).toBe(200);
      await two.moved(tenant, 'nord', async (step) => {
        if (step !== 'switched') return;
        const body = { idExterne: 'stale', nom: 'Objet' };
        const refused = await stale.send(tenant, 'POST', '/b2b/v2/objet-consentement', body);
        expectProblem(refused, 503, 'EspaceDonnees.EnDeplacement');
      });
    } finally {
      await stale.stop();
    }
  }, 60_000);

  it('a copy that differs is refused, and nothing has changed', async () => {
    const { tenant } = await two.tenantIn('principal');
    await two.databases.nord.query(`
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RETURN CASE WHEN NEW.id_externe = 'E-2' THEN NULL ELSE NEW END; END $$;
      CREATE TRIGGER lose BEFORE INSERT ON employe FOR EACH ROW EXECUTE FUNCTION lose();
      ALTER TABLE employe ENABLE ALWAYS TRIGGER lose`);
    await two
      .moved(tenant, 'nord')
      .finally(() => two.databases.nord.query('DROP TRIGGER lose ON employe; DROP FUNCTION lose()'));
    expect(await two.latest(tenant)).toMatchObject({
      etat: 'Echouee',
      dateBascule: null,
      erreur: { code: 'Service.ErreurInterne', detail: 'The copy of employe differs: 2 of 3 rows.' },
    });
    expect(await two.rowsIn('nord', tenant.tenantId)).toEqual({});
    expect((await two.write(tenant)).status).toBe(201);
  });

  it('makes the months of changes that the new cell lacks, as the tables of months are', async () => {
    const { tenant } = await two.tenantIn('principal');
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    const [change, batch] = [`changement_${month}`, `changement_lot_${month}`];
    await two.databases.nord.query(`DROP TABLE ${change}, ${batch}`);
    await two.moved(tenant, 'nord');
    expect(await two.latest(tenant)).toMatchObject({ etat: 'Reussie' });
    const described = async (cell: Cell, table: string): Promise<unknown> =>
      (
        await two.databases[cell].query(
          `SELECT relrowsecurity, relforcerowsecurity, pg_get_expr(relpartbound, oid) AS bound, relacl,
             (SELECT json_agg(indexdef ORDER BY indexdef) FROM pg_indexes WHERE tablename = relname) AS indexes,
             (SELECT json_agg(json_build_array(policyname, qual, with_check) ORDER BY policyname) FROM pg_policies WHERE tablename = relname) AS policies
           FROM pg_class WHERE oid = $1::regclass`,
          [table],
        )
      ).rows;
    for (const table of [change, batch])
      expect(await described('nord', table)).toEqual(await described('principal', table));
  }, 60_000);
});

it('the login of the processes cannot copy a data space', async () => {
  await expect(connectForCopy(asService(two.urls.principal))).rejects.toThrow(CopyRefused);
});

it('databases with different tables are refused', async () => {
  const [from, to] = [await connectForCopy(two.urls.principal), await connectForCopy(two.urls.nord)];
  await to.query('BEGIN');
  await to.query('ALTER TABLE employe ADD COLUMN more text');
  await expect(
    copySpace(from, to, '00000000-0000-0000-0000-000000000001', Infinity, () => undefined),
  ).rejects.toThrow('The two databases have different tables: migrate both.');
  await to.end();
  await from.end();
});
