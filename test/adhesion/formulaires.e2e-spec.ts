import { expectFaults, expectProblem } from '../http/expect-problem';
import { GUID, synced, times } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { openTenant, sign, signed } from './support/cards';
import { unchanged } from '../setup/digests';
import { depth } from '../setup/depth';
import { perFile, perTest } from '../setup/fixtures';

const PATH = '/b2b/v2/formulaire';
const FORM = {
  titre: 'Carte de membre',
  syndicatIdExterne: 'SYN-1',
  actif: true,
  champs: ['Surnom', 'Quart'],
  objetsConsentement: ['TEXTOS', 'INFO'],
};

const app = perFile(() => TestApp.start());
const tenant = perTest(() => openTenant(app));

beforeEach(async () => {
  for (const nom of ['Quart', 'Surnom', 'Casier']) await makeChamp(nom);
  for (const id of ['INFO', 'TEXTOS', 'SONDAGE']) await makeObjet(id);
});

const partner = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.send(tenant.partenaire, method, path, body, headers);
const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  partner(method, PATH + path, body, headers);
const post = (body: unknown, headers?: Record<string, string>) => send('POST', '', body, headers);

async function made(form: object = FORM): Promise<Answer> {
  const answer = await post(form);
  expect({ status: answer.status, errors: answer.json.errors }).toEqual({ status: 201, errors: undefined });
  return answer;
}
async function makeChamp(nom: string): Promise<void> {
  expect((await partner('POST', '/b2b/v2/champ-utilisateur', { nom, type: 'texte' })).status).toBe(201);
}
async function makeObjet(idExterne: string): Promise<void> {
  const answer = await partner('POST', '/b2b/v2/objet-consentement', { idExterne, nom: idExterne });
  expect(answer.status).toBe(201);
}
const pathOf = ({ json }: Answer): string => `/${json.id}`;
const deleteChamp = (nom: string) => partner('DELETE', `/b2b/v2/champ-utilisateur/${nom}`);
const deleteObjet = (id: string) => partner('DELETE', `/b2b/v2/objet-consentement/${id}`);

/** Returns the forms of the tenant with their lists in order. */
async function stored(): Promise<string[]> {
  const { rows } = await app.database.query<{ form: string }>(
    `SELECT concat_ws(' ', titre, syndicat_id_externe, actif,
       (SELECT string_agg(nom_champ, ',' ORDER BY ordre) FROM formulaire_champ l
        WHERE l.tenant_id = f.tenant_id AND l.formulaire_id = f.id_unique),
       (SELECT string_agg(id_externe_objet, ',' ORDER BY ordre) FROM formulaire_objet l
        WHERE l.tenant_id = f.tenant_id AND l.formulaire_id = f.id_unique)) AS form
     FROM formulaire f WHERE tenant_id = $1 ORDER BY date_creation, id_unique`,
    [tenant.tenantId],
  );
  return rows.map(({ form }) => form);
}

describe('POST /b2b/v2/formulaire', () => {
  it('201 with the item as compact JSON, Location and ETag, and reads back the same', async () => {
    const created = await post(FORM);
    const { id } = created.json;
    expect(id).toMatch(GUID);
    expect([created.status, created.headers.get('location')]).toEqual([201, `${PATH}/${id}`]);
    expect(created.text).toBe(JSON.stringify({ id, ...FORM }));
    for (const path of [`/${id}`, `/${id.toUpperCase()}`]) {
      const read = await send('GET', path);
      expect([read.status, read.text]).toEqual([200, created.text]);
      expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    }
    expect((await send('GET', '')).text).toBe(`[${created.text}]`);
    expect((await partner('GET', `/api${PATH}/${id}`)).text).toBe(created.text);
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', []],
  ])('201 active and without fields and objects, if lists are %s', async (_what, list) => {
    const form = { titre: 'Carte', syndicatIdExterne: 'SYN-1', champs: list, objetsConsentement: list };
    for (const actif of [undefined, null]) {
      expect((await made({ ...form, actif })).json).toMatchObject({
        actif: true,
        champs: [],
        objetsConsentement: [],
      });
    }
    expect((await made({ ...form, actif: false })).json.actif).toBe(false);
  });

  it('201 trims texts, takes either case of a first letter, and ignores the read-only properties of a read', async () => {
    const sent = {
      ...{ Titre: ' Carte ', SyndicatIdExterne: ' SYN-1 ', Actif: false, id: 'mine' },
      ...{ Champs: [' Quart '], ObjetsConsentement: [' INFO '] },
    };
    expect((await made(sent)).json).toMatchObject({ id: expect.stringMatching(GUID), champs: ['Quart'] });
    expect(await stored()).toEqual(['Carte SYN-1 f Quart INFO']);
  });

  it('201 for two forms with the same title and union, and for texts of any kind', async () => {
    const texts = ['🙂👩', '"\'\\', '100 %', '__proto__', "'; DROP TABLE formulaire; --"];
    for (const text of texts) {
      await makeChamp(text);
      await makeObjet(text);
    }
    for (const text of texts) {
      const form = {
        titre: text,
        syndicatIdExterne: 'SYN-1',
        actif: true,
        champs: texts,
        objetsConsentement: texts,
      };
      expect((await made(form)).json).toEqual({ id: expect.any(String), ...form });
    }
    await made();
    await made();
    expect(await stored()).toHaveLength(7);
  });

  it('201 with the maximum of fields and consent objects, in the order sent', async () => {
    const champs = times(200, (n) => `N-${(n * 7919) % 200}`);
    for (const nom of champs) await makeChamp(nom);
    const objetsConsentement = champs.slice(0, 100);
    await synced(app, tenant.partenaire, {
      ObjetsConsentement: objetsConsentement.map((IdExterne) => ({ IdExterne, Nom: IdExterne })),
    });
    const created = await made({ ...FORM, champs, objetsConsentement });
    expect([created.json.champs, created.json.objetsConsentement]).toEqual([champs, objetsConsentement]);
  });

  it.each<[string, unknown, Record<string, string>]>([
    [
      'half of a surrogate pair',
      { ...FORM, titre: '\ud83d', objetsConsentement: ['INFO', '\ude42'] },
      { '/titre': 'characters', '/objetsConsentement/1': 'characters' },
    ],
    [
      'elements that are not names',
      { ...FORM, champs: [null, 4, '', 'x'.repeat(256)], objetsConsentement: [['INFO'], {}] },
      {
        ...{ '/champs/0': 'type', '/champs/1': 'type', '/champs/2': 'required', '/champs/3': 'length' },
        ...{ '/objetsConsentement/0': 'type', '/objetsConsentement/1': 'type' },
      },
    ],
    [
      'doubles',
      { ...FORM, champs: ['Quart', ' Quart '], objetsConsentement: ['INFO', 'TEXTOS', 'INFO'] },
      { '/champs': 'duplicate', '/objetsConsentement': 'duplicate' },
    ],
    [
      'unknown references, by their places',
      {
        ...FORM,
        syndicatIdExterne: 'syn-1',
        champs: ['Quart', 'quart', 'Rien'],
        objetsConsentement: ['RIEN', 'INFO', 'info'],
      },
      {
        '/syndicatIdExterne': 'reference',
        '/champs/1': 'reference',
        '/champs/2': 'reference',
        '/objetsConsentement/0': 'reference',
        '/objetsConsentement/2': 'reference',
      },
    ],
  ])('400 for %s, on creation and replacement, and nothing is written', async (_what, body, faults) => {
    const path = pathOf(await made());
    await unchanged(app, async () => {
      expectFaults(await post(body), faults);
      expectFaults(await send('PUT', path, body), faults);
    });
  });
});

describe('PUT /b2b/v2/formulaire/:id', () => {
  it('200 replaces every property: absent ones are cleared, and the id stays', async () => {
    const created = await made({ ...FORM, actif: false });
    const replaced = await send('PUT', pathOf(created), { titre: 'Autre', syndicatIdExterne: 'SYN-2' });
    expect([replaced.status, replaced.headers.get('location')]).toEqual([200, null]);
    expect(replaced.text).toBe(
      JSON.stringify({
        id: created.json.id,
        ...{ titre: 'Autre', syndicatIdExterne: 'SYN-2', actif: true, champs: [], objetsConsentement: [] },
      }),
    );
    expect((await send('GET', pathOf(created))).text).toBe(replaced.text);
    expect(replaced.headers.get('etag')).not.toBe(created.headers.get('etag'));
    expect(await stored()).toEqual(['Autre SYN-2 t']);
  });

  it('200 with fields and objects in another order, fewer, more and others, always as sent', async () => {
    const path = pathOf(await made());
    for (const champs of [
      ['Quart', 'Surnom'],
      ['Surnom', 'Casier', 'Quart'],
      ['Casier'],
      [],
      ['Quart', 'Casier'],
    ]) {
      const objetsConsentement = champs.map(
        (nom) => ({ Quart: 'INFO', Surnom: 'TEXTOS', Casier: 'SONDAGE' })[nom]!,
      );
      const answer = await send('PUT', path, { ...FORM, champs, objetsConsentement });
      expect(answer.json).toMatchObject({ champs, objetsConsentement });
      expect((await send('GET', path)).text).toBe(answer.text);
    }
    expect(await stored()).toEqual(['Carte de membre SYN-1 t Quart,Casier INFO,SONDAGE']);
  });
});

describe('DELETE /b2b/v2/formulaire/:id', () => {
  it('204 deletes the form with its lists, then 404; fields and objects stay', async () => {
    const path = pathOf(await made());
    const deleted = await send('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expectProblem(await send('DELETE', path), 404, 'Formulaire.NotFound');
    expectProblem(await send('GET', path), 404, 'Formulaire.NotFound');
    const left = await app.database.query(
      `SELECT FROM formulaire_champ WHERE tenant_id = $1 UNION ALL SELECT FROM formulaire_objet WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    expect(left.rowCount).toBe(0);
    expect([(await deleteChamp('Quart')).status, (await deleteObjet('INFO')).status]).toEqual([204, 204]);
  });

  it.each([
    ['a card', 'E-1'],
    ['a request', null],
  ])('409 Formulaire.Utilise after %s was signed with it, and it stays', async (_what, employeIdExterne) => {
    const created = await made({ ...FORM, champs: [], objetsConsentement: [] });
    await signed(app, tenant.plateforme, { employeIdExterne, formulaireId: created.json.id });
    expectProblem(await send('DELETE', pathOf(created)), 409, 'Formulaire.Utilise');
    expect((await send('GET', pathOf(created))).text).toBe(created.text);
    // A used form can still be changed and deactivated.
    expect((await send('PUT', pathOf(created), { ...FORM, actif: false })).status).toBe(200);
    const again = await sign(app, tenant.plateforme, { employeIdExterne, formulaireId: created.json.id });
    expectProblem(again, 409, 'Formulaire.Inactif');
  });

  it('204 after the card that was signed with it is deleted', async () => {
    const created = await made({ ...FORM, champs: [] });
    const card = await signed(app, tenant.plateforme, { formulaireId: created.json.id });
    await partner('DELETE', `/b2b/v2/adhesion/${card.json.idUniqueAdhesion}`);
    expect((await send('DELETE', pathOf(created))).status).toBe(204);
  });
});

describe('fields and objects of a form', () => {
  it('409 Champ.Utilise for a field of a form, active or not; 204 without such a form', async () => {
    const [one, two] = [await made(), await made({ ...FORM, actif: false })];
    expectProblem(await deleteChamp('Quart'), 409, 'Champ.Utilise');
    expect((await send('PUT', pathOf(one), { ...FORM, champs: ['Surnom'] })).status).toBe(200);
    expectProblem(await deleteChamp('Quart'), 409, 'Champ.Utilise');
    expect((await send('GET', pathOf(two))).text).toBe(two.text);
    expect((await send('DELETE', pathOf(two))).status).toBe(204);
    expect((await deleteChamp('Quart')).status).toBe(204);
  });

  it('409 ObjetConsentement.Utilise for an object of a form; 204 without such a form', async () => {
    const created = await made();
    expectProblem(await deleteObjet('INFO'), 409, 'ObjetConsentement.Utilise');
    expect((await send('GET', pathOf(created))).text).toBe(created.text);
    expect((await send('PUT', pathOf(created), { ...FORM, objetsConsentement: ['TEXTOS'] })).status).toBe(
      200,
    );
    expect((await deleteObjet('INFO')).status).toBe(204);
  });

  it.each([
    ['the history of consents', 'E-1'],
    ['a waiting request', null],
  ])('409 ObjetConsentement.Utilise for an object of %s', async (_what, employeIdExterne) => {
    await signed(app, tenant.plateforme, {
      employeIdExterne,
      consentements: [{ objetConsentementIdExterne: 'INFO', accepte: false }],
    });
    expectProblem(await deleteObjet('INFO'), 409, 'ObjetConsentement.Utilise');
    expect((await partner('GET', '/b2b/v2/objet-consentement/INFO')).status).toBe(200);
    expect((await deleteObjet('TEXTOS')).status).toBe(204);
  });

  it('another tenant’s forms do not block deletions', async () => {
    const other = await openTenant(app);
    await app.send(other.partenaire, 'POST', '/b2b/v2/champ-utilisateur', { nom: 'Quart', type: 'texte' });
    const form = { titre: 'x', syndicatIdExterne: 'SYN-1', champs: ['Quart'] };
    expect((await app.send(other.partenaire, 'POST', PATH, form)).status).toBe(201);
    expect((await deleteChamp('Quart')).status).toBe(204);
  });

  it.each<
    [string, string, (id: string) => Promise<unknown>, (id: string) => Promise<Answer>, object, string]
  >([
    ['a field', 'Champ.Utilise', makeChamp, deleteChamp, { champs: ['@', 'Surnom'] }, '/champs/0'],
    [
      'a consent object',
      'ObjetConsentement.Utilise',
      makeObjet,
      deleteObjet,
      { objetsConsentement: ['@'] },
      '/objetsConsentement/0',
    ],
  ])('a form and the deletion of %s in it: one of the two is first, without an error', async (...args) => {
    const [, code, make, remove, list, pointer] = args;
    const kept = pathOf(await made({ titre: 'Gardé', syndicatIdExterne: 'SYN-1' }));
    for (let round = 0; round < depth(5, 30); round++) {
      const id = `R-${round}`;
      await make(id);
      const form = JSON.parse(
        JSON.stringify({ titre: id, syndicatIdExterne: 'SYN-1', ...list }).replace('@', id),
      );
      const write = () => (round % 4 < 2 ? post(form) : send('PUT', kept, form));
      const answers = await Promise.all(round % 2 ? [remove(id), write()] : [write(), remove(id)]);
      const [removal, written] = (round % 2 ? answers : answers.reverse()) as [Answer, Answer];
      if (written.status < 300) {
        expectProblem(removal, 409, code);
        expect((await send('GET', `/${written.json.id}`)).text).toBe(written.text);
      } else {
        expectFaults(written, { [pointer]: 'reference' });
        expect(removal.status).toBe(204);
      }
    }
  });
});
