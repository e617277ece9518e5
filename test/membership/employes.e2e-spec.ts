import { expectFaults, expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import { perFile, perTest } from '../setup/fixtures';

const EMPLOYE = { idExterne: 'E-1', prenom: 'Zoé', nom: "L'Écuyer" };
const COMPLETE = {
  ...EMPLOYE,
  noMembre: 'M-204511',
  courriel: 'zoe@example.org',
  identifiantExterneEmployeur: 'EMP-100',
  telephonePrincipal: '418 555-0142',
  adresse1: '125, rue Saint-Jean',
  ville: 'Trois-Rivières',
  province: 'QC',
  codePostal: 'G9A 1B2',
};
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());

const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.send(tenant, method, `/b2b/v1${path}`, body, headers);

async function rows(): Promise<Record<string, unknown>[]> {
  const text = 'SELECT * FROM employe WHERE tenant_id = $1 ORDER BY date_creation, id_unique';
  return (await app.database.query(text, [tenant.tenantId])).rows;
}

describe('POST /b2b/v1/employe', () => {
  it('201 creates, with Location and ETag, and reads back the same item', async () => {
    const created = await send('POST', '/employe', EMPLOYE);
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe('/b2b/v1/employe/E-1');
    expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(created.json).toMatchObject({ ...EMPLOYE, courriel: null, identifiantExterneEmployeur: null });
    const read = await send('GET', '/employe/E-1');
    expect(read.text).toBe(created.text);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    expect(read.headers.get('etag')).toMatch(/^"[^"]+"$/);
  });

  it('201 stores every field', async () => {
    await send('POST', '/employeur', { idExterne: 'EMP-100', nom: 'Aciérie' });
    const created = await send('POST', '/employe', COMPLETE);
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      ...COMPLETE,
      valeursChampUtilisateur: [],
      idUnique: expect.stringMatching(GUID),
      derniereMAJ: expect.stringMatching(INSTANT),
      dateCreation: created.json.derniereMAJ,
    });
    expect(await rows()).toEqual([
      expect.objectContaining({
        tenant_id: tenant.tenantId,
        id_unique: created.json.idUnique,
        id_externe: 'E-1',
        identifiant_externe_employeur: 'EMP-100',
        code_postal: 'G9A 1B2',
        date_creation: new Date(created.json.dateCreation),
      }),
    ]);
  });

  it('201 trims texts, and an empty one is no value', async () => {
    const sent = { idExterne: '  E-1\t', prenom: ' Zoé ', nom: '\u00a0Roy\n', ville: '   ', courriel: '' };
    expect((await send('POST', '/employe', sent)).json).toMatchObject({
      ...{ idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy', ville: null, courriel: null },
    });
  });

  it('201 whatever the case of the first letter of a property', async () => {
    const sent = { IdExterne: 'E-1', Prenom: 'Zoé', nom: 'Roy', NoMembre: 'M-1' };
    const expected = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy', noMembre: 'M-1' };
    expect((await send('POST', '/employe', sent)).json).toMatchObject(expected);
  });

  it('201 ignores the read-only fields of a read, whatever they hold', async () => {
    const sent = { ...EMPLOYE, idUnique: 'mine', DerniereMAJ: 1, dateCreation: '1999-01-01T00:00:00Z' };
    const { json } = await send('POST', '/employe', sent);
    expect(json.idUnique).toMatch(GUID);
    expect(json.dateCreation > '2020').toBe(true);
  });

  it.each([
    'a/b',
    '100%',
    'a%2Fb',
    'où?',
    '#1',
    'deux  mots',
    '🙂',
    '...',
    'ü+ü',
    'a;b=c&d',
    '"\\\'',
    'sync',
  ])('201 with the identifier %s, which the Location and every path take', async (idExterne) => {
    const created = await send('POST', '/employe', { ...EMPLOYE, idExterne });
    expect(created.status).toBe(201);
    const path = created.headers.get('location')!;
    expect((await app.send(tenant, 'GET', path)).text).toBe(created.text);
    expect(decodeURIComponent(path)).toBe(`/b2b/v1/employe/${idExterne}`);
    expect((await app.send(tenant, 'DELETE', path)).status).toBe(204);
  });

  it('400 lists all errors at once and writes nothing', async () => {
    const sent = {
      prenom: 4,
      nom: 'n'.repeat(256),
      courriel: 'nobody',
      ville: ['Lévis'],
      surnom: 'Z',
      'a/b~': 1,
    };
    expectFaults(await send('POST', '/employe', sent), {
      '/idExterne': 'required',
      '/prenom': 'type',
      '/nom': 'length',
      '/courriel': 'email',
      '/ville': 'type',
      '/surnom': 'unknown',
      '/a~1b~0': 'unknown',
    });
    expect(await rows()).toEqual([]);
  });

  it.each([
    ['an empty required text', { ...EMPLOYE, prenom: '  ' }, { '/prenom': 'required' }],
    ['a required null', { ...EMPLOYE, nom: null }, { '/nom': 'required' }],
    ['the same property in both casings', { ...EMPLOYE, Nom: 'Roy' }, { '/Nom': 'duplicate' }],
    [
      'the same read-only one, too',
      { ...EMPLOYE, idUnique: 'x', IdUnique: 'y' },
      { '/IdUnique': 'duplicate' },
    ],
    ['U+0000', { ...EMPLOYE, nom: 'a\u0000b' }, { '/nom': 'characters' }],
    ['half of a surrogate pair', { ...EMPLOYE, idExterne: 'a\ud800' }, { '/idExterne': 'characters' }],
    ['__proto__', '{"__proto__":{},"idExterne":"E-1","prenom":"Z","nom":"R"}', { '/__proto__': 'unknown' }],
    ['a list', [EMPLOYE], { '': 'type' }],
    ['null', 'null', { '': 'type' }],
    ['broken JSON', '{"idExterne":"E-1",', { '': 'json' }],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), { '': 'encoding' }],
  ])('400 for %s', async (_what, sent, faults) => {
    expectFaults(await send('POST', '/employe', sent), faults);
  });

  it('400 without a body, 415 for a body that is not JSON', async () => {
    expectFaults(await send('POST', '/employe'), { '': 'type' });
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expectProblem(await send('POST', '/employe', 'idExterne=E-1', form), 415, 'Requete.TypeNonSupporte');
    const latin = { 'Content-Type': 'application/json; charset=iso-8859-1' };
    expectProblem(await send('POST', '/employe', '{}', latin), 415, 'Requete.TypeNonSupporte');
  });

  it('an identifier has up to 255 characters, counted as visible characters', async () => {
    expect((await send('POST', '/employe', { ...EMPLOYE, idExterne: '🙂'.repeat(255) })).status).toBe(201);
    const tooLong = await send('POST', '/employe', { ...EMPLOYE, idExterne: '🙂'.repeat(256) });
    expectFaults(tooLong, { '/idExterne': 'length' });
  });

  it('400 for an identifier with a variation selector, which is invisible', async () => {
    expectFaults(await send('POST', '/employe', { ...EMPLOYE, idExterne: '❤\uFE0F' }), {
      '/idExterne': 'characters',
    });
  });

  it('400 for an unknown query parameter', async () => {
    expectFaults(await send('POST', '/employe?simulation=true', EMPLOYE), { '?simulation': 'unknown' });
    expect(await rows()).toEqual([]);
  });

  it('400 Employe.EmployeurInconnu for an unknown employer, or another tenant’s', async () => {
    const other = await app.tenant();
    await app.send(other, 'POST', '/b2b/v1/employeur', { idExterne: 'EMP-9', nom: 'Ailleurs' });
    const sent = { ...EMPLOYE, identifiantExterneEmployeur: 'EMP-9' };
    expectProblem(await send('POST', '/employe', sent), 400, 'Employe.EmployeurInconnu');
    expect(await rows()).toEqual([]);
  });

  it('409 Employe.IdExterneDejaUtilise for a second record with the same identifier', async () => {
    await send('POST', '/employe', EMPLOYE);
    const again = await send('POST', '/employe', { ...EMPLOYE, prenom: 'Autre' });
    expectProblem(again, 409, 'Employe.IdExterneDejaUtilise');
    expect(await rows()).toEqual([expect.objectContaining({ prenom: 'Zoé' })]);
    // Case-sensitive, and each tenant has its own.
    expect((await send('POST', '/employe', { ...EMPLOYE, idExterne: 'e-1' })).status).toBe(201);
    expect((await app.send(await app.tenant(), 'POST', '/b2b/v1/employe', EMPLOYE)).status).toBe(201);
  });
});
