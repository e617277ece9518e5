import { EffetsRepository } from '../../libs/membership/src';
import { UndoService } from '../../libs/sync/src';
import { SyncRepository } from '../../libs/sync/src/persistence/sync.repository';
import { expectProblem } from '../http/expect-problem';
import { perFile } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';
import { randomBytes } from 'node:crypto';
import { awayFromMidnight, employee, employer, job, type Loose, many, Partner, union } from '../sync/support';

const SYNC = '/b2b/v2/sync';

const app = perFile(() => TestApp.own('sees all tenants'));
let partner: Partner;

beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
  await partner.defineField('Casque', 'texte');
  await partner.sync({ Syndicats: [union('SYN-1', [employer('EMP-1'), employer('EMP-2')])] });
});
afterEach(() => jest.restoreAllMocks());

const casque = (Valeur: string | null): Loose => ({
  ValeursChampUtilisateur: [{ NomChamp: 'Casque', Valeur }],
});
const list = async (): Promise<Loose[]> => await partner.get(SYNC);
const undo = (id: string, body?: Loose, query = ''): Promise<Answer> =>
  partner.send('POST', `${SYNC}/${id}/annuler${query}`, body);
async function synced(...Employes: Loose[]): Promise<string> {
  const { status, text } = await partner.sync({ Employes });
  expect([status, text.includes('Message') ? text : '']).toEqual([200, '']);
  return String((await list())[0]!.id);
}

describe('Text', () => {
  it('values that COPY escapes are restored', async () => {
    const wild = [
      '\\N',
      '\\.',
      'a\\tb',
      'tab\there',
      'line\nhere',
      'cr\rhere',
      '😀é\u{1F468}\u200D',
      '"{}\\"',
      '\\u0000',
      ' x ',
      "'",
    ];
    await synced(...wild.map((Ville, n) => employee(`E-${n}`, { Adresse1: Ville, ...casque(Ville) })));
    const before = await Promise.all(wild.map((_v, n) => partner.v2(`E-${n}`)));
    const id = await synced(...wild.map((_v, n) => employee(`E-${n}`, { Adresse1: null, ...casque(null) })));
    const { json, status } = await undo(id);
    expect([status, json.conflits]).toEqual([200, []]);
    const after = await Promise.all(wild.map((_v, n) => partner.v2(`E-${n}`)));
    expect(after.map((one, n) => ({ ...one, derniereMAJ: before[n]!.derniereMAJ }))).toEqual(before);
  });

  it('identifiers that COPY escapes are erased', async () => {
    const ids = ['\\N', 'a\\tb', '\\\\', 'é"\'%'];
    const secrets = ids.map((_id, n) => `s${n}@example.org`);
    await synced(...ids.map((id, n) => employee(id, { Courriel: secrets[n] })));
    for (const id of ids) {
      const path = `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/${encodeURIComponent(id)}`;
      expect((await app.send(app.adminKey, 'DELETE', path)).status).toBe(204);
    }
    const { rows } = await app.database.query('SELECT FROM sync_image WHERE tenant_id = $1', [
      partner.tenant.tenantId,
    ]);
    expect(rows.length).toBeLessThanOrEqual(1);
  });
});

describe('Pieces', () => {
  async function big(): Promise<string> {
    return synced(
      ...many(1_500, (n) =>
        employee(`E-${n}`, { Adresse1: randomBytes(150).toString('base64'), Courriel: `e${n}@x.org` }),
      ),
    );
  }
  const pieces = async (id: string): Promise<number> =>
    (await app.database.query('SELECT FROM sync_image WHERE sync_id = $1', [id])).rowCount!;

  it('several pieces are put together', async () => {
    const id = await big();
    expect(await pieces(id)).toBeGreaterThan(1);
    expect((await undo(id)).json).toMatchObject({ effets: { supprimes: 1500 } });
  });

  it('a missing last piece undoes nothing', async () => {
    const id = await big();
    const count = await pieces(id);
    await app.database.query('DELETE FROM sync_image WHERE sync_id = $1 AND n = $2', [id, count]);
    expect(await pieces(id)).toBe(count - 1);
    expect((await undo(id)).status).toBe(500);
    expect(await partner.count('employe')).toBe(1_500);
  });

  it('all pieces missing: 500 without effects', async () => {
    const id = await big();
    await app.database.query('DELETE FROM sync_image WHERE sync_id = $1', [id]);
    const { status, json } = await undo(id);
    expect([status, json.effets]).toEqual([500, undefined]);
  });

  it('swapped pieces, and those of another sync, undo nothing', async () => {
    const id = await big();
    const other = await synced(
      ...many(1_500, (n) => employee(`E-${n}`, { Adresse1: randomBytes(150).toString('base64') })),
    );
    await app.database.query('UPDATE sync_image SET n = n + 100 WHERE sync_id = $1', [id]);
    await app.database.query('UPDATE sync_image SET n = 300 - n WHERE sync_id = $1', [id]);
    expect((await undo(id)).status).toBe(500);
    await app.database.query(
      `UPDATE sync SET cle = (SELECT cle FROM sync WHERE id_unique = $2) WHERE id_unique = $1`,
      [id, other],
    );
    expect((await undo(id)).status).toBe(500);
  });

  it('a purge during an undo: the undo never returns 200 with zero deletions', async () => {
    const id = await synced(employee('E-0'), employee('E-1'));
    const syncs = app.app.get(SyncRepository);
    const images = syncs.images.bind(syncs);
    jest.spyOn(syncs, 'images').mockImplementation(async (tenantId, syncId) => {
      // The sync becomes 30 days old after `find`, and the purge comes.
      await app.database.query(
        `UPDATE sync SET date_creation = now() - interval '31 days' WHERE id_unique = $1`,
        [id],
      );
      await app.app.get(UndoService).purgeExpired([partner.tenant.tenantId]);
      return images(tenantId, syncId);
    });
    const { status, json } = await undo(id);
    expect([status, json.effets]).not.toEqual([200, expect.objectContaining({ supprimes: 0 })]);
  });
});

it('an altered image stops no erasure, and its sync cannot be undone any more', async () => {
  const id = await synced(employee('A'));
  await synced(employee('B'));
  await app.database.query(
    `UPDATE sync_image SET octets = set_byte(octets, 0, get_byte(octets, 0) # 1) WHERE sync_id = $1`,
    [id],
  );
  const path = `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/A`;
  expect((await app.send(app.adminKey, 'DELETE', path)).status).toBe(204);
  expectProblem(await undo(id), 409, 'Sync.NonAnnulable');
});

describe('A column that a release adds', () => {
  it.each([
    ['with a default', `x1 text NOT NULL DEFAULT ''`],
    ['without a default', 'x2 text'],
  ])('%s: an undo that would insert rows is a conflict, and writes nothing', async (_what, column) => {
    await synced(employee('E-0', { Emplois: [job('J-1', 'EMP-1')] }));
    const id = await synced(employee('E-NEW', { Emplois: [job('J-1', 'EMP-1')], ...casque('58') }));
    const undone = String((await undo(id)).json.syncId);
    const name = column.split(' ')[0];
    const effets = app.app.get<EffetsRepository, { known: unknown }>(EffetsRepository);
    for (const table of ['employe', 'emploi', 'valeur_champ_employe'])
      await app.database.query(`ALTER TABLE ${table} ADD COLUMN ${column}`);
    // The processes of the release read the tables again.
    effets.known = undefined;
    try {
      const refused = await undo(undone);
      expect([refused.status, refused.json.code]).toEqual([409, 'Sync.AnnulationEnConflit']);
      const { status, json } = await undo(undone, { ignorerConflits: true });
      const read = await partner.send('GET', '/b2b/v2/employe/E-NEW');
      expect([status, json.nombreConflits, json.effets?.crees, read.status]).toEqual([200, 3, 0, 404]);
    } finally {
      effets.known = undefined;
      for (const table of ['employe', 'emploi', 'valeur_champ_employe'])
        await app.database.query(`ALTER TABLE ${table} DROP COLUMN ${name}`);
    }
  });
});
