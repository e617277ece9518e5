import { randomUUID } from 'node:crypto';
import { ClientsService } from '../../libs/clients/src';
import { expectProblem } from '../http/expect-problem';
import { synced } from '../membership/synced';
import { TEST_ACTOR } from '../setup/actor';
import { type Answer, TestApp } from '../setup/test-app';
import { openTenant, PNG, signed } from './support/cards';
import { DataSpace, refusing } from './support/data-space';
import { brokenImages, dataUrl, encodePng, pngOf } from './support/png';
import { perFile } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
let space: DataSpace;

beforeEach(async () => {
  space = new DataSpace(app, await openTenant(app));
});

const get = (path: string, headers?: Record<string, string>) =>
  app.send(space.open.partenaire, 'GET', path, undefined, headers);
/** Returns the older path of the operation, with a card or an employee. */
const image = (x: string, headers?: Record<string, string>) =>
  get(`/b2b/adhesion/${encodeURIComponent(x)}/image-signature`, headers);
const latest = (idExterne: string, headers?: Record<string, string>) =>
  get(`/b2b/employe/${encodeURIComponent(idExterne)}/derniere-image-signature`, headers);

/** Returns an image with a unique width. */
const drawn = (width: number): string => dataUrl(encodePng({ width, height: 1 }));
const employees = (...ids: string[]) =>
  synced(app, space.open.partenaire, {
    Employes: ids.map((IdExterne) => ({ IdExterne, Prenom: 'P', Nom: 'N' })),
  });
function expectImage(answer: Answer, record: object): void {
  expect([answer.status, answer.text]).toEqual([200, JSON.stringify(record)]);
}

describe('the image of a signature', () => {
  it('by the card: without idExterne; by the employee, in both forms: with it, as sent', async () => {
    const dateSignature = '2026-03-02T14:05:09.120Z';
    const id = await space.sign({ dateSignature, imageSignature: drawn(5) });
    const record = { idUniqueAdhesion: id, dateSignature, imageSignature: drawn(5) };
    const byCard = await image(id);
    expectImage(byCard, record);
    expect(byCard.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expectImage(await image(id.toUpperCase()), record);
    expectImage(await image('E-1'), { idExterne: 'E-1', ...record });
    expectImage(await latest('E-1'), { idExterne: 'E-1', ...record });
  });

  it('is byte for byte as signed, up to the maximum size of a signature', async () => {
    for (const bytes of [encodePng({ width: 1, height: 1 }), pngOf(100_001), pngOf(512 * 1024)]) {
      const id = await space.sign({ imageSignature: dataUrl(bytes) });
      for (const answer of [await image(id), await image('E-1'), await latest('E-1')]) {
        const [, base64] = answer.json.imageSignature.split('data:image/png;base64,');
        expect(Buffer.from(base64, 'base64').equals(bytes)).toBe(true);
      }
    }
  });

  it('an image stored damaged, before images were decoded, can still be read', async () => {
    const id = await space.sign({ imageSignature: PNG });
    const damaged = brokenImages()['a row too few']!;
    await app.database.query(`UPDATE signature_manuscrite SET png = $1 WHERE adhesion_id = $2`, [
      damaged,
      id,
    ]);
    expect((await image(id)).json.imageSignature).toBe(dataUrl(damaged));
  });

  it('an employee has the image of the most recent signature with one, in any sending order', async () => {
    const signedAt = (dateSignature: string, width?: number, rest: object = {}) =>
      space.sign({ dateSignature, ...(width ? { imageSignature: drawn(width) } : {}), ...rest });
    await signedAt('2026-01-05');
    await signedAt('2026-01-03', 3);
    const newest = await signedAt('2026-01-04', 4, { syndicatIdExterne: 'SYN-2' });
    await signedAt('2026-01-02', 2);
    await signedAt('2026-01-06');
    await signedAt('2026-01-09', 9, { employeIdExterne: 'E-2' });
    for (const answer of [await image('E-1'), await latest('E-1')]) {
      expect(answer.json).toMatchObject({ idUniqueAdhesion: newest, imageSignature: drawn(4) });
    }
    // With equal dates the greater id wins, which is the first one in the lists.
    const twin = await signedAt('2026-01-04', 5);
    const [first] = [newest, twin].sort().reverse();
    expect((await latest('E-1')).json.idUniqueAdhesion).toBe(first);
    expect((await image(newest)).json.imageSignature).toBe(drawn(4));
    await space.delete(newest);
    await space.delete(twin);
    expect((await latest('E-1')).json.imageSignature).toBe(drawn(3));
  });

  it.each(['a/b', '100%', 'a%2Fb', 'é ü', '🙂', '?x=1', 'membre'])(
    'of the employee %s',
    async (idExterne) => {
      await employees(idExterne);
      await space.sign({ employeIdExterne: idExterne, imageSignature: PNG });
      expect((await image(idExterne)).json).toMatchObject({ idExterne, imageSignature: PNG });
      expect((await latest(idExterne)).json).toMatchObject({ idExterne, imageSignature: PNG });
    },
  );

  it('a GUID that identifies only an employee is case-sensitive; another case returns 404', async () => {
    const [lower, upper] = [randomUUID(), randomUUID().toUpperCase()];
    await employees(lower, upper);
    for (const idExterne of [lower, upper]) {
      const id = await space.sign({ employeIdExterne: idExterne, imageSignature: PNG });
      for (const answer of [await image(idExterne), await latest(idExterne)]) {
        expect(answer.json).toMatchObject({ idExterne, idUniqueAdhesion: id });
      }
    }
    expectProblem(await image(lower.toUpperCase()), 404, 'Adhesion.NotFound');
    expectProblem(await image(upper.toLowerCase()), 404, 'Adhesion.NotFound');
    expectProblem(await latest(upper.toLowerCase()), 404, 'Employe.NotFound');
  });

  it('a GUID of a card and an employee returns the image of the card, or 404 if the card has none', async () => {
    const [drawnCard, bareCard] = [await space.sign({ imageSignature: drawn(3) }), await space.sign()];
    await employees(drawnCard, bareCard);
    for (const employeIdExterne of [drawnCard, bareCard]) {
      await space.sign({ employeIdExterne, imageSignature: drawn(8) });
    }
    const byCard = (await image(drawnCard)).json;
    expect(byCard).toMatchObject({ idUniqueAdhesion: drawnCard, imageSignature: drawn(3) });
    expect(byCard).not.toHaveProperty('idExterne');
    expectProblem(await image(bareCard), 404, 'Signature.NotFound');
    for (const idExterne of [drawnCard, bareCard]) {
      expect((await latest(idExterne)).json).toMatchObject({ idExterne, imageSignature: drawn(8) });
    }
  });
});

describe('without an image', () => {
  it('the code says what is missing', async () => {
    const [bare, guid] = [await space.sign(), randomUUID()];
    await employees(guid);
    const nobody = { employeIdExterne: undefined, imageSignature: PNG };
    const waiting = await signed(app, space.open.plateforme, nobody);
    const codes: [Answer, string][] = [
      [await image(randomUUID()), 'Adhesion.NotFound'],
      [await image('E-9'), 'Employe.NotFound'],
      [await image('e-1'), 'Employe.NotFound'],
      [await image('0198c2d4'), 'Employe.NotFound'],
      [await image('%'), 'Employe.NotFound'],
      // A card without an image, employees without cards, and one whose only card has no image.
      [await image(bare), 'Signature.NotFound'],
      [await image('E-2'), 'Signature.NotFound'],
      [await image(guid), 'Signature.NotFound'],
      [await image('E-1'), 'Signature.NotFound'],
      [await latest('E-9'), 'Employe.NotFound'],
      [await latest(randomUUID()), 'Employe.NotFound'],
      [await latest(bare), 'Employe.NotFound'],
      [await latest('E-1'), 'Signature.NotFound'],
      [await latest(guid), 'Signature.NotFound'],
      // A waiting request is not a card.
      [await image(waiting.json.demandeId), 'Adhesion.NotFound'],
    ];
    for (const [answer, code] of codes) {
      expectProblem(answer, 404, code);
      expect(answer.headers.get('etag')).toBeNull();
    }
    expect(await space.journal()).toEqual([]);
  });
});

describe('the audit trail of reads', () => {
  const FORMS: [form: string, path: (id: string) => string][] = [
    ['the card', (id) => `/b2b/adhesion/${id}/image-signature`],
    ['the employee', () => '/b2b/adhesion/E-1/image-signature'],
    ['the latest of the employee', () => '/b2b/employe/E-1/derniere-image-signature'],
  ];

  it.each(FORMS)('by %s: one entry for each read, also for a 304', async (_form, path) => {
    const id = await space.sign({ imageSignature: PNG });
    const first = await get(path(id), { 'X-Request-Id': 'first' });
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[^"]+"$/);
    const again = await get(path(id), { 'X-Request-Id': 'again', 'If-None-Match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    const changed = await get(path(id), { 'If-None-Match': '"other"' });
    expect([changed.status, changed.text]).toEqual([200, first.text]);
    const entry = { cle_id: space.open.partenaire.cleId, action: 'signature.lire', objet_id: id };
    expect(await space.journal()).toEqual(
      ['first', 'again', changed.headers.get('x-request-id')].map((requete_id) => ({ ...entry, requete_id })),
    );
  });

  it('names the key and the card, and no personal data', async () => {
    await employees('DUPONT-JEAN');
    const sent = { employeIdExterne: 'DUPONT-JEAN', imageSignature: PNG, prenom: 'Jean', nom: 'Dupont' };
    const id = await space.sign(sent);
    const second = await app.app.get(ClientsService).issueCle(TEST_ACTOR, space.open.partenaire.clientId, {
      ...{ nom: 'Autre', environnement: 'staging', role: 'partenaire', modules: null, expireLe: null },
    });
    const path = '/b2b/employe/DUPONT-JEAN/derniere-image-signature';
    expect((await app.send(second, 'GET', path)).status).toBe(200);
    const [row] = await space.rows<Record<string, unknown>>(
      `SELECT * FROM journal WHERE tenant_id = $1 AND action = 'signature.lire'`,
    );
    expect(Object.keys(row!).sort()).toEqual([
      'action',
      'cle_id',
      'cle_secrets',
      'date_creation',
      'detail',
      'empreinte',
      'id_unique',
      'numero',
      'objet_id',
      'requete_id',
      'tenant_id',
    ]);
    expect(row).toMatchObject({ cle_id: second.id, objet_id: id, detail: null });
    expect(JSON.stringify(row)).not.toMatch(/dupont|jean|png/i);
  });

  it.each(FORMS)('by %s: no image is returned if the entry cannot be written', async (_form, path) => {
    const id = await space.sign({ imageSignature: PNG });
    const { headers, text } = await get(path(id));
    for (const sent of [undefined, { 'If-None-Match': headers.get('etag')! }]) {
      const answer = await refusing(app, 'journal', () => get(path(id), sent));
      expectProblem(answer, 500, 'Service.ErreurInterne');
      expect(answer.text).not.toContain('base64');
      expect(answer.headers.get('etag')).toBeNull();
    }
    expect(await space.journal()).toHaveLength(1);
    expect((await get(path(id))).text).toBe(text);
  });

  it('the role of all requests can neither change nor remove entries', async () => {
    await image(await space.sign({ imageSignature: PNG }));
    const role = await app.connect('-c role=mandat_app');
    await role.query(`SELECT set_config('app.tenant_id', $1, false)`, [space.open.tenantId]);
    // The role can read the entry; only its privileges prevent the change.
    const seen = await role.query(`SELECT FROM journal WHERE action = 'signature.lire'`);
    expect(seen.rowCount).toBe(1);
    for (const table of ['journal', 'evenement']) {
      for (const statement of [
        `UPDATE ${table} SET date_creation = now()`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
        `MERGE INTO ${table} t USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE`,
      ]) {
        await expect(role.query(statement)).rejects.toMatchObject({ code: '42501' });
      }
    }
    await role.end();
    expect(await space.journal()).toHaveLength(1);
  });
});
