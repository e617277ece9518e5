import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { ImageBox } from '../../libs/sync/src/application/image-box';
import { perFile } from '../setup/fixtures';
import { type Answer, TestApp } from '../setup/test-app';
import { awayFromMidnight, employee, type Loose, Partner } from '../sync/support';

const SYNC = '/b2b/v2/sync';

const app = perFile(() => TestApp.start());
let partner: Partner;

beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
  await partner.defineField('Casque', 'texte');
});

const casque = (Valeur: string | null): Loose => ({
  ValeursChampUtilisateur: [{ NomChamp: 'Casque', Valeur }],
});
const list = async (): Promise<Loose[]> => await partner.get(SYNC);
const undo = (id: string, body?: Loose, query = ''): Promise<Answer> =>
  partner.send('POST', `${SYNC}/${id}/annuler${query}`, body);
async function synced(...Employes: Loose[]): Promise<string> {
  const { status, text } = await partner.sync({ Employes });
  expect([status, text.includes('Message')]).toEqual([200, false]);
  return String((await list())[0]!.id);
}
const rename = async (...pairs: [string, string][]): Promise<void> => {
  const body = pairs.map(([ancien, nouveau]) => ({ ancien, nouveau }));
  expect((await partner.send('POST', '/b2b/v2/employe/nouveaux-identifiants', body)).status).toBe(200);
};
const erase = async (id: string, query = ''): Promise<void> => {
  const path = `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/${id}${query}`;
  expect((await app.send(app.adminKey, 'DELETE', path)).status).toBe(204);
};
const remove = async (id: string): Promise<void> => {
  expect((await partner.send('DELETE', `/b2b/v1/employe/${id}`)).status).toBeLessThan(300);
};
/** All that is kept of the syncs, in plain text. */
async function kept(): Promise<string> {
  const { tenantId } = partner.tenant;
  const { rows } = await app.database.query<{ id: string; cle: Buffer; images: Buffer[] }>(
    `SELECT id_unique AS id, cle, ARRAY(SELECT octets FROM sync_image i WHERE i.sync_id = s.id_unique ORDER BY n) AS images
     FROM sync s WHERE tenant_id = $1 AND cle IS NOT NULL ORDER BY rang`,
    [tenantId],
  );
  const texts = [];
  for (const sync of rows) {
    const notes = app.app.get(ImageBox).open(tenantId, sync.id, sync);
    const chunks: Buffer[] = [];
    for await (const chunk of Readable.from((notes as unknown as { chunks: Buffer[] }).chunks).pipe(
      createZstdDecompress(),
    ) as AsyncIterable<Buffer>)
      chunks.push(chunk);
    texts.push(Buffer.concat(chunks).toString());
  }
  return texts.join('\n');
}
const one = (id: string, more: Loose = {}): Loose =>
  employee(id, { Prenom: 'Un', Nom: 'Premier', Courriel: 'un@example.org', ...casque('SECRET-UN'), ...more });
const two = (id: string, more: Loose = {}): Loose =>
  employee(id, {
    Prenom: 'Deux',
    Nom: 'Second',
    Courriel: 'deux@example.org',
    ...casque('SECRET-DEUX'),
    ...more,
  });
const casqueOf = async (id: string): Promise<unknown> =>
  ((await partner.v2(id)).valeursChampUtilisateur as Loose[])[0]?.valeur ?? null;

describe('An undo after an identifier was reassigned', () => {
  it('an older employee with a deleted person’s identifier gets none of its values', async () => {
    await synced(one('A'), two('X', casque(null)));
    const id = await synced(one('A', casque(null)));
    await remove('A');
    await rename(['X', 'A']);
    const { status, json } = await undo(id, { ignorerConflits: true });
    expect([status, await casqueOf('A'), json.nombreConflits]).toEqual([200, null, 1]);
  });

  it('an older employee with a deleted person’s identifier keeps its own name and address', async () => {
    await synced(one('A'), two('X'));
    const id = await synced(
      one('A', { Ville: 'Laval', Courriel: 'un2@example.org' }),
      two('X', { Ville: 'Laval' }),
    );
    await remove('A');
    await rename(['X', 'A']);
    const { status } = await undo(id, { ignorerConflits: true });
    const { prenom, courriel } = await partner.v2('A');
    expect([status, prenom, courriel]).toEqual([200, 'Deux', 'deux@example.org']);
  });

  it('the present holder of an identifier is erased: former holders get their own values back', async () => {
    await synced(one('A'), two('B'));
    const id = await synced(
      one('A', { Ville: 'Laval', ...casque(null) }),
      two('B', { Ville: 'Laval', ...casque(null) }),
    );
    await rename(['A', 'B'], ['B', 'A']);
    await rename(['B', 'C']);
    await synced(employee('B', { Prenom: 'Trois', Nom: 'Troisième' }));
    await erase('B');
    const { status } = await undo(id, { ignorerConflits: true });
    const { prenom, courriel } = await partner.v2('A');
    expect([status, prenom, courriel, await casqueOf('A'), await casqueOf('C')]).toEqual([
      ...[200, 'Deux', 'deux@example.org', 'SECRET-DEUX', 'SECRET-UN'],
    ]);
  });
});

describe('An erasure and the undo data of syncs', () => {
  it('another employee has the person’s identifier now: the person’s data is removed', async () => {
    await synced(one('A'), two('B'));
    await synced(
      one('A', { Ville: 'Laval', ...casque(null) }),
      two('B', { Ville: 'Laval', ...casque(null) }),
    );
    await rename(['A', 'B'], ['B', 'A']);
    await erase('B');
    const stored = await kept();
    expect([stored.includes('un@example.org'), stored.includes('SECRET-UN')]).toEqual([false, false]);
  });

  it('the other employee’s data stays', async () => {
    await synced(one('A'), two('B'));
    const id = await synced(
      one('A', { Ville: 'Laval', ...casque(null) }),
      two('B', { Ville: 'Laval', ...casque(null) }),
    );
    await rename(['A', 'B'], ['B', 'A']);
    await erase('B');
    expect(await kept()).toContain('deux@example.org');
    const { status } = await undo(id, { ignorerConflits: true });
    expect([status, await casqueOf('A'), (await partner.v2('A')).ville]).toEqual([200, 'SECRET-DEUX', null]);
  });

  it('the other employee gets none of the erased one’s values', async () => {
    await synced(one('A'), two('B', casque(null)));
    const id = await synced(one('A', casque(null)));
    await rename(['A', 'B'], ['B', 'A']);
    await erase('B');
    const { status } = await undo(id, { ignorerConflits: true });
    expect([status, await casqueOf('A')]).toEqual([200, null]);
  });

  it('another employee has the deleted person’s identifier: the person’s data is removed', async () => {
    await synced(one('A'));
    await remove('A');
    await synced(two('A'));
    await erase('A', '?supprime=true');
    const stored = await kept();
    expect([stored.includes('un@example.org'), stored.includes('deux@example.org')]).toEqual([false, true]);
  });

  it('an undo does not make an erased person again', async () => {
    await synced(employee('Z'));
    const id = await synced(one('A'));
    const undone = await undo(id);
    await synced(two('A'));
    await erase('A', '?supprime=true');
    await remove('A');
    await undo(String(undone.json.syncId), { ignorerConflits: true });
    expect((await partner.send('GET', '/b2b/v2/employe/A')).status).toBe(404);
  });

  it('another employee had the former identifier meanwhile: that employee’s data stays', async () => {
    await synced(one('A'));
    await rename(['A', 'B']);
    await synced(two('A'));
    await rename(['A', 'C']);
    await erase('B');
    const stored = await kept();
    expect([stored.includes('un@example.org'), stored.includes('deux@example.org')]).toEqual([false, true]);
  });
});

describe('An erasure by a former identifier', () => {
  const changes = async (): Promise<string> => (await partner.send('GET', '/b2b/v2/changement')).text;

  it('erases its last holder, and not an earlier one', async () => {
    await synced(one('A'));
    await rename(['A', 'B']);
    await synced(two('A'));
    await remove('A');
    await erase('A');
    const { status, json } = await partner.send('GET', '/b2b/v2/employe/B');
    expect([status, json.prenom]).toEqual([200, 'Un']);
  });

  it('a second erasure returns 404 and does not reach an earlier holder', async () => {
    await synced(one('A'));
    await rename(['A', 'B']);
    await synced(two('A'));
    await erase('A');
    const path = `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/A`;
    expect((await app.send(app.adminKey, 'DELETE', path)).status).toBe(404);
    const { status, json } = await partner.send('GET', '/b2b/v2/employe/B');
    expect([status, json.prenom]).toEqual([200, 'Un']);
    expect((await partner.send('GET', '/b2b/v2/employe/A')).text).not.toContain('"B\\"');
  });

  it('the export shows its last holder', async () => {
    await synced(one('A'));
    await rename(['A', 'B']);
    await synced(two('A'));
    await remove('A');
    const path = `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/A`;
    const { text } = await app.send(app.adminKey, 'GET', path);
    expect(text).not.toContain('un@example.org');
  });

  it('a deleted person: data under the last identifier is removed, too', async () => {
    await synced(one('A'));
    await rename(['A', 'B']);
    await synced(one('B', { Courriel: 'un2@example.org' }));
    await remove('B');
    await erase('A');
    const stored = await kept();
    expect([
      stored.includes('un@example.org'),
      stored.includes('un2@example.org'),
      (await changes()).includes('"B"'),
    ]).toEqual([...[false, false, false]]);
  });

  it('control, by the last identifier', async () => {
    await synced(one('A'));
    await rename(['A', 'B']);
    await synced(one('B', { Courriel: 'un2@example.org' }));
    await remove('B');
    await erase('B');
    const stored = await kept();
    expect([
      stored.includes('un@example.org'),
      stored.includes('un2@example.org'),
      (await changes()).includes('"B"'),
    ]).toEqual([...[false, false, false]]);
  });

  it('removes no changes of another employee from the feed', async () => {
    await synced(one('A'), two('B'));
    await rename(['B', 'C'], ['A', 'B']);
    await erase('B');
    expect((await changes()).includes('"ancienIdExterne":"B"')).toBe(true);
    // The record of the second employee, as it was made.
    const list = JSON.parse(await changes()) as Loose[];
    expect(
      list.filter(
        ({ entite, nature, idExterne }) => entite === 'Employe' && nature === 'Cree' && idExterne === 'B',
      ),
    ).toHaveLength(1);
  });
});
