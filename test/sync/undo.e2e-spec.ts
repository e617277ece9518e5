import { randomUUID } from 'node:crypto';
import { ClientsService } from '../../libs/clients/src';
import { UndoService } from '../../libs/sync/src';
import { ImageBox } from '../../libs/sync/src/application/image-box';
import { BUDGETS } from '../../libs/platform/src/limits/budgets';
import { TEST_ACTOR } from '../setup/actor';
import { perFile } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';
import { platformKey, signed } from '../adhesion/support/cards';
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
  union,
} from './support';

const SYNC = '/b2b/v2/sync';

const app = perFile(() => TestApp.start());
let partner: Partner;

beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
  await partner.sync({ Syndicats: UNIONS, Employes: STAFF });
});

const UNIONS = [union('SYN-1', [employer('EMP-1'), employer('EMP-2')])];
const STAFF = many(3, (index) =>
  employee(`E-${index}`, {
    Courriel: `e${index}@example.org`,
    Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-2')],
    Adhesions: [membership('SYN-1')],
  }),
);

const list = async (): Promise<Loose[]> => await partner.get(SYNC);
const lastSync = async (): Promise<string> => String((await list())[0]!.id);
const undo = (id: string, body?: Loose, query = ''): Promise<Answer> =>
  partner.send('POST', `${SYNC}/${id}/annuler${query}`, body);

/** Syncs, asserts that it has no errors, and returns its id. */
async function synced(body: Loose): Promise<string> {
  const { status, text } = await partner.sync(body);
  expect([status, text.includes('Message')]).toEqual([200, false]);
  return lastSync();
}

const employeOf = (id: string): Promise<Loose> => partner.get(`/b2b/v2/employe/${id}`) as Promise<Loose>;

describe('GET /b2b/v2/sync', () => {
  it('lists syncs of each kind, the newest first, except simulations and stopped syncs', async () => {
    const first = await lastSync();
    await partner.syncV1({ employes: [{ idExterne: 'E-0', prenom: 'Zoé', nom: 'Roy' }] });
    await partner.sync({ Employes: STAFF }, '?simulation=true');
    const { json: plan } = await partner.send('POST', '/b2b/v2/plan', { Employes: STAFF });
    await partner.send('POST', `/b2b/v2/plan/${String(plan.id)}/appliquer`);
    const { json: undone } = await undo(first, { ignorerConflits: true });
    expect(await list()).toMatchObject([
      { id: undone.syncId, version: 'Annulation', annule: first, planId: null, effets: undone.effets },
      { version: 'V2', planId: plan.id, annule: null },
      { version: 'V1', effets: { modifies: 1 }, annulable: true },
      { id: first, version: 'V2', tacheId: null, effets: { crees: 15 } },
    ]);
    // The event and the feed of changes name the sync.
    const { rows } = await app.database.query<{ id: string; data: Loose }>(
      `SELECT id_unique AS id, data FROM evenement WHERE tenant_id = $1 AND type = 'sync.terminee' ORDER BY date_creation DESC LIMIT 1`,
      [partner.tenant.tenantId],
    );
    expect(rows[0]).toMatchObject({
      id: (await list())[0]!.evenementId,
      data: { version: 'Annulation', syncId: undone.syncId },
    });
    const changes = (await partner.get('/b2b/v2/changement')) as unknown as
      { changements: Loose[] }[] | Loose[];
    expect(JSON.stringify(changes)).toContain(String(undone.syncId));
  });

  it('404 for a sync of another data space, one that is over 30 days old, and one that never was', async () => {
    const id = await lastSync();
    const other = await Partner.start(app);
    expect((await other.send('POST', `${SYNC}/${id}/annuler`)).json.code).toBe('Sync.NotFound');
    expect((await undo(randomUUID())).json.code).toBe('Sync.NotFound');
    await app.database.query(
      `UPDATE sync SET date_creation = now() - interval '30 days 1 minute' WHERE id_unique = $1`,
      [id],
    );
    expect((await undo(id)).json.code).toBe('Sync.NotFound');
    await app.app.get(UndoService).purgeExpired([partner.tenant.tenantId]);
    const { rows } = await app.database.query('SELECT FROM sync_image WHERE sync_id = $1', [id]);
    expect([await list(), rows]).toEqual([[], []]);
  });

  it('keeps the last 50,000: one more sync removes the oldest, however many there are', async () => {
    const id = await lastSync();
    const COLUMNS = 'tenant_id, version, evenement_id, effets, octets, cumul';
    await app.database.query(
      `INSERT INTO sync (${COLUMNS}, id_unique, rang)
       SELECT ${COLUMNS}, gen_random_uuid(), 1 + n FROM sync, generate_series(1, 50000) n WHERE id_unique = $1`,
      [id],
    );
    expect(await partner.sync({ Employes: STAFF })).toMatchObject({ status: 200 });
    const { rows } = await app.database.query<{ count: number; oldest: number }>(
      'SELECT count(*)::int AS count, min(rang)::int AS oldest FROM sync WHERE tenant_id = $1',
      [partner.tenant.tenantId],
    );
    expect(rows).toEqual([{ count: 50_000, oldest: 3 }]);
  });

  it('keeps only the newest sync if the changes of two are too many', async () => {
    const { storedBytes } = BUDGETS;
    const { rows } = await app.database.query<{ octets: string }>(
      'UPDATE sync SET octets = $2, cumul = $2 WHERE tenant_id = $1 RETURNING octets',
      [partner.tenant.tenantId, storedBytes],
    );
    expect(rows).toHaveLength(1);
    await synced({ Employes: [employee('E-0', { Nom: 'Autre' })] });
    expect(await list()).toHaveLength(1);
  });
});

describe('POST /b2b/v2/sync/{id}/annuler', () => {
  it('opens ended employments, brings cleared values back, and takes new records away', async () => {
    const before = await employeOf('E-0');
    const id = await synced({
      Employes: [
        employee('E-0', { Courriel: null, Emplois: [job('J-1', 'EMP-1')] }),
        employee('E-NEW', { Emplois: [job('J-9', 'EMP-2')] }),
      ],
    });
    expect((await employeOf('E-0')).courriel).toBeNull();
    const { status, json, headers } = await undo(id);
    expect([status, json]).toEqual([
      200,
      {
        syncId: await lastSync(),
        effets: {
          crees: 0,
          modifies: 2,
          termines: 0,
          supprimes: 2,
          champsVides: 0,
          inchanges: 0,
          refuses: 0,
        },
        nombreConflits: 0,
        conflits: [],
        nonAnnules: { evenements: [(await list())[1]!.evenementId], votes: [] },
      },
    ]);
    expect(headers.get('mandat-effets')).toContain('modifies=2');
    const after = await employeOf('E-0');
    expect(after).toEqual({ ...before, derniereMAJ: after.derniereMAJ });
    // A reader of changes sees that the employee is another one than after the sync.
    expect(String(after.derniereMAJ) > String(before.derniereMAJ)).toBe(true);
    expect((await partner.send('GET', '/b2b/v2/employe/E-NEW')).status).toBe(404);
    // Once more: all is as before already.
    expect((await undo(id)).json).toMatchObject({
      effets: { inchanges: 4, modifies: 0, supprimes: 0 },
      conflits: [],
    });
  });

  it('a card holds its employee and its membership, and names the vote whose roll stays', async () => {
    const id = await synced({
      Employes: [
        employee('E-NEW', { Adhesions: [membership('SYN-1')] }),
        employee('E-0', { Courriel: 'autre@example.org' }),
      ],
    });
    await signed(app, await platformKey(app, partner.tenant), { employeIdExterne: 'E-NEW' });
    const campaigns = new Campaigns(app, partner.tenant);
    const vote = await campaigns.ready();
    await campaigns.votant(vote, { EmployeIdExterne: 'E-0' });
    await campaigns.sent('POST', `/${vote}/publier`);
    const refused = await undo(id);
    const conflits = [
      { entite: 'Adhesion', idExterne: 'SYN-1', idExterneEmploye: 'E-NEW', raison: 'Retenu' },
      { entite: 'Employe', idExterne: 'E-NEW', raison: 'Retenu' },
    ];
    expect(refused).toMatchObject({
      status: 409,
      json: { code: 'Sync.AnnulationEnConflit', conflits, nombreConflits: 2 },
    });
    expect((await employeOf('E-0')).courriel).toBe('autre@example.org');
    const undone = await undo(id, { ignorerConflits: true });
    expect(undone.json).toMatchObject({
      ...{ conflits, nombreConflits: 2, effets: { modifies: 1, refuses: 2 } },
      nonAnnules: { votes: [{ campagneId: vote, votants: 1 }] },
    });
    expect((await employeOf('E-0')).courriel).toBe('e0@example.org');
    expect((await employeOf('E-NEW')).adhesions).toMatchObject([{ syndicatIdExterne: 'SYN-1' }]);
  });

  it('a membership that a later card proves does not end again', async () => {
    await synced({
      Employes: [employee('E-0', { Adhesions: [membership('SYN-1', '2021-05-01', '2022-01-01')] })],
    });
    const id = await synced({
      Employes: [employee('E-0', { Adhesions: [membership('SYN-1', '2021-05-01', null)] })],
    });
    const key = await platformKey(app, partner.tenant);
    await signed(app, key, { employeIdExterne: 'E-0' });
    expect((await undo(id)).json).toMatchObject({
      conflits: [{ entite: 'Adhesion', idExterne: 'SYN-1', idExterneEmploye: 'E-0', raison: 'Retenu' }],
    });
    // Control: without the card it ends.
    await app.database.query('DELETE FROM consentement WHERE tenant_id = $1', [partner.tenant.tenantId]);
    await app.database.query('DELETE FROM adhesion WHERE tenant_id = $1', [partner.tenant.tenantId]);
    expect((await undo(id)).json).toMatchObject({ effets: { termines: 1 }, conflits: [] });
  });

  it('20 at once have one effect, and lose no write that runs beside them', async () => {
    const id = await synced({ Employes: STAFF.map((one) => ({ ...one, Courriel: null })) });
    const writes = many(3, (index) =>
      partner.send('PUT', '/b2b/v1/employe', {
        idExterne: `E-${index}`,
        prenom: 'Ève',
        nom: 'Roy',
        courriel: `neuf${index}@example.org`,
      }),
    );
    const all = await Promise.all(many(20, () => undo(id, { ignorerConflits: true })));
    expect((await Promise.all(writes)).map(({ status, text }) => [status, text])).toEqual(
      many(3, () => [200, expect.anything()]),
    );
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    const restored = all.reduce((sum, { json }) => sum + (json.effets.modifies as number), 0);
    expect(restored).toBeLessThanOrEqual(3);
    for (let index = 0; index < 3; index++)
      expect((await employeOf(`E-${index}`)).courriel).toBe(`neuf${index}@example.org`);
  });

  it('reaches an employee who has another identifier since', async () => {
    const id = await synced({
      Employes: [employee('E-0', { Courriel: null, Emplois: [job('J-1', 'EMP-1')] })],
    });
    for (const [ancien, idExterne] of [
      ['E-0', 'N-0'],
      ['E-1', 'E-0'],
    ])
      expect(
        (await partner.send('POST', `/b2b/v2/employe/${ancien}/nouvel-identifiant`, { idExterne })).status,
      ).toBe(200);
    expect((await undo(id)).json).toMatchObject({ effets: { modifies: 2 }, conflits: [] });
    const renamed = await employeOf('N-0');
    expect([renamed.courriel, (renamed.emplois as Loose[]).map(({ dateFin }) => dateFin)]).toEqual([
      'e0@example.org',
      [null, null],
    ]);
    expect((await employeOf('E-0')).courriel).toBe('e1@example.org');
  });

  it('the brake does not stop it, and an `Idempotency-Key` repeats the answer', async () => {
    const id = await synced({
      Employes: [
        employee('E-0', {
          Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-2'), job('J-3', 'EMP-2')],
        }),
      ],
    });
    await app.app.get(ClientsService).update(TEST_ACTOR, partner.tenant.clientId, {
      freins: { terminaisonsPourcent: 0, champsVidesPourcent: 0, minimum: 1, jamaisSupprimer: true },
    });
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await partner.send('POST', `${SYNC}/${id}/annuler`, {}, key);
    expect(first.json).toMatchObject({ effets: { supprimes: 1 } });
    expect((await partner.send('POST', `${SYNC}/${id}/annuler`, {}, key)).text).toBe(first.text);
  });

  it('leaves the employments of an employee whom V1 wrote, if one was added since', async () => {
    const v1 = { idExterne: 'E-V1', prenom: 'Zoé', nom: "L'Écuyer", identifiantExterneEmployeur: 'EMP-1' };
    await partner.syncV1({ employes: [v1] });
    const id = await synced({ Employes: [employee('E-V1', { Emplois: [job('J-1', 'EMP-2')] })] });
    const withOther = [job('J-1', 'EMP-2'), job('J-2', 'EMP-2')];
    await synced({ Employes: [employee('E-V1', { Emplois: withOther })] });
    const { emplois } = await employeOf('E-V1');
    const undone = await undo(id, { ignorerConflits: true });
    expect(undone.json).toMatchObject({
      nombreConflits: 3,
      conflits: ['Emploi', 'Emploi', 'Employe'].map((entite) => ({ entite, raison: 'Retenu' })),
    });
    expect((await employeOf('E-V1')).emplois).toEqual(emplois);
    // Without it, the employer of V1 is the only employment again.
    await partner.send('DELETE', '/b2b/v1/employe/E-V1');
    await partner.syncV1({ employes: [v1] });
    const again = await synced({ Employes: [employee('E-V1', { Emplois: [job('J-1', 'EMP-2')] })] });
    const { json } = await undo(again);
    expect((await employeOf('E-V1')).emplois).toMatchObject([{ identifiantExterne: 'V1', dateFin: null }]);
    // The undo of the undo gives no employments to an employee whom V1 has written since.
    await partner.syncV1({ employes: [{ ...v1, identifiantExterneEmployeur: 'EMP-2' }] });
    expect((await undo(String(json.syncId), { ignorerConflits: true })).json).toMatchObject({
      nombreConflits: 3,
    });
    const { rows } = await app.database.query(
      'SELECT FROM emploi WHERE tenant_id = $1 AND id_externe_employe = $2',
      [...[partner.tenant.tenantId, 'E-V1']],
    );
    expect(rows).toEqual([]);
  });

  it('gives nothing of a deleted person to another one with its identifier', async () => {
    await partner.defineField('Casque', 'texte');
    const casque = (Valeur: string | null) => ({ ValeursChampUtilisateur: [{ NomChamp: 'Casque', Valeur }] });
    await synced({ Employes: [employee('E-X', casque('58'))] });
    const id = await synced({
      Employes: [employee('E-X', { ...casque(null), Adhesions: [membership('SYN-1')] })],
    });
    const first = await undo(id);
    await partner.send('DELETE', '/b2b/v1/employe/E-X');
    await partner.syncV1({ employes: [{ idExterne: 'E-X', prenom: 'Une', nom: 'Autre' }] });
    for (const one of [id, String(first.json.syncId)])
      expect((await undo(one, { ignorerConflits: true })).json.nombreConflits).toBeGreaterThan(0);
    expect(await employeOf('E-X')).toMatchObject({ adhesions: [], valeursChampUtilisateur: [] });
  });

  it('waits for no record of other employees', async () => {
    const id = await synced({
      Employes: [employee('E-0', { Adhesions: [membership('SYN-1', '2022-05-01')] })],
    });
    await app.database.query('BEGIN');
    await app.database.query(
      `SELECT FROM membership WHERE tenant_id = $1 AND id_externe_employe = 'E-2' FOR UPDATE`,
      [partner.tenant.tenantId],
    );
    expect((await undo(id)).json).toMatchObject({ effets: { modifies: 1 } });
    await app.database.query('COMMIT');
  });

  it('400 if an employee would have more nested records than a sync may give', async () => {
    const big = (batch: number): Loose[] =>
      many(900, (index) =>
        job(`${batch}-${index}`.padEnd(250, 'x'), 'EMP-1', { Matricule: 'm'.repeat(200) }),
      );
    await synced({ Employes: [employee('E-BIG')] });
    const undos: string[] = [];
    for (const batch of [1, 2]) {
      const id = await synced({ Employes: [employee('E-BIG', { Emplois: big(batch) })] });
      undos.push(String((await undo(id, { ignorerConflits: true })).json.syncId));
    }
    const all = [];
    for (const id of undos) all.push(await undo(id, { ignorerConflits: true }));
    expect(all.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('409 for a sync whose values were too large to be kept', async () => {
    const id = await lastSync();
    await app.database.query('UPDATE sync SET octets = NULL, cle = NULL WHERE id_unique = $1', [id]);
    expect((await undo(id)).json.code).toBe('Sync.NonAnnulable');
    expect((await list())[0]).toMatchObject({ id, annulable: false });
  });
});

/** The first four bytes of each zstd frame (RFC 8878). */
const ZSTD_MAGIC = 0xfd2fb528;

describe('The undo data', () => {
  it('is encrypted with a key of the sync, and an altered image undoes nothing', async () => {
    const id = await synced({ Employes: [employee('E-0', { Courriel: 'neuf@example.org' })] });
    const { rows } = await app.database.query<{ octets: Buffer; cle: Buffer }>(
      'SELECT i.octets, s.cle FROM sync_image i JOIN sync s ON s.id_unique = i.sync_id WHERE sync_id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    // Compressed bytes hide the address, too, but begin with the number of the format.
    expect(rows[0]!.octets.readUInt32LE()).not.toBe(ZSTD_MAGIC);
    // The first byte is of the text, the last one of the tag that authenticates it.
    for (const place of ['0', 'octet_length(octets) - 1']) {
      const altered = `set_byte(octets, ${place}, get_byte(octets, ${place}) # 1)`;
      await app.database.query(`UPDATE sync_image SET octets = ${altered} WHERE sync_id = $1`, [id]);
      expect((await undo(id)).status).toBe(500);
      await app.database.query(`UPDATE sync_image SET octets = ${altered} WHERE sync_id = $1`, [id]);
    }
    expect((await employeOf('E-0')).courriel).toBe('neuf@example.org');
    expect((await undo(id)).status).toBe(200);
  });

  it('is removed with the erasure of an employee whom an undo had removed', async () => {
    const id = await synced({ Employes: [employee('E-NEW', { Courriel: 'neuf@example.org' })] });
    const { json } = await undo(id);
    const path = `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/E-NEW`;
    expect((await app.send(app.adminKey, 'DELETE', path)).status).toBe(204);
    expect((await undo(String(json.syncId), { ignorerConflits: true })).status).toBe(200);
    expect((await partner.send('GET', '/b2b/v2/employe/E-NEW')).status).toBe(404);
  });

  it('is removed with an erased person; that of others stays', async () => {
    const first = await lastSync();
    const id = await synced({
      Employes: [employee('E-0', { Courriel: null }), employee('E-1', { Courriel: null })],
    });
    const erased = await app.send(
      ...([
        app.adminKey,
        'DELETE',
        `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/E-0`,
      ] as const),
    );
    expect(erased.status).toBe(204);
    const { tenantId } = partner.tenant;
    const named = async (idExterne: string): Promise<boolean[]> => {
      const box = app.app.get(ImageBox);
      const { rows } = await app.database.query<{ id: string; cle: Buffer; images: Buffer[] }>(
        `SELECT id_unique AS id, cle, ARRAY(SELECT octets FROM sync_image i WHERE i.sync_id = s.id_unique ORDER BY n) AS images
         FROM sync s WHERE tenant_id = $1 ORDER BY rang`,
        [tenantId],
      );
      return Promise.all(rows.map((sync) => box.open(tenantId, sync.id, sync).containAny([idExterne])));
    };
    expect([await named('E-0'), await named('E-1')]).toEqual([
      [false, false],
      [true, true],
    ]);
    // Another person has the identifier now.
    await synced({ Employes: [employee('E-0')] });
    expect((await undo(id)).json).toMatchObject({ effets: { modifies: 1 }, conflits: [] });
    expect((await employeOf('E-1')).courriel).toBe('e1@example.org');
    expect((await undo(first, { ignorerConflits: true })).status).toBe(200);
    expect((await employeOf('E-0')).courriel).toBeNull();
  });
});
