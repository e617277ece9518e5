import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, INSTANT, synced, syncedV1, times, walk } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { perFile, perTest } from '../setup/fixtures';

const PATH = '/b2b/v2/objet-consentement';
const OBJET = { idExterne: 'INFOLETTRE', nom: 'Recevoir l’infolettre' };

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());

const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.send(tenant, method, PATH + path, body, headers);
const post = (body: unknown, headers?: Record<string, string>) => send('POST', '', body, headers);
const put = (body: unknown, headers?: Record<string, string>) => send('PUT', '', body, headers);
const get = (id: string) => send('GET', `/${encodeURIComponent(id)}`);

async function made(objet: object = OBJET): Promise<Answer> {
  const answer = await post(objet);
  expect(answer.status).toBe(201);
  return answer;
}

async function stored(): Promise<string[]> {
  const { rows } = await app.database.query<{ objet: string }>(
    `SELECT id_externe || ': ' || nom AS objet FROM objet_consentement WHERE tenant_id = $1 ORDER BY date_creation, id_unique`,
    [tenant.tenantId],
  );
  return rows.map(({ objet }) => objet);
}

/** Makes all consent objects a minute older, because a later change of their time must differ. */
async function age(): Promise<void> {
  await app.database.query(
    `UPDATE objet_consentement SET derniere_maj = derniere_maj - interval '1 minute' WHERE tenant_id = $1`,
    [tenant.tenantId],
  );
}

describe('POST /b2b/v2/objet-consentement', () => {
  it('201 answers the item as compact JSON, with Location and ETag, and reads back the same', async () => {
    const created = await post(OBJET);
    expect([created.status, created.headers.get('location')]).toEqual([201, `${PATH}/INFOLETTRE`]);
    expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { idUnique, dateCreation } = created.json;
    expect([idUnique, dateCreation]).toEqual([expect.stringMatching(GUID), expect.stringMatching(INSTANT)]);
    expect(created.text).toBe(
      JSON.stringify({ ...OBJET, idUnique, derniereMAJ: dateCreation, dateCreation }),
    );
    const read = await get('INFOLETTRE');
    expect([read.status, read.text]).toEqual([200, created.text]);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    expect(read.headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect((await send('GET', '')).text).toBe(`[${created.text}]`);
    expect((await app.send(tenant, 'GET', `/api${PATH}/INFOLETTRE`)).text).toBe(created.text);
  });

  it('201 trims texts, takes either case of a first letter, and ignores what a read adds', async () => {
    const sent = {
      IdExterne: ' TEXTOS ',
      Nom: ' Recevoir ',
      idUnique: 'mine',
      DerniereMAJ: 4,
      dateCreation: null,
    };
    const { json } = await made(sent);
    expect(json).toMatchObject({
      idExterne: 'TEXTOS',
      nom: 'Recevoir',
      idUnique: expect.stringMatching(GUID),
    });
    expect(await stored()).toEqual(['TEXTOS: Recevoir']);
  });

  it.each([
    'a/b',
    '100%',
    'a%2Fb',
    'où?',
    '#1',
    'deux  mots',
    '🙂👩',
    'ü+ü',
    'a;b=c&d',
    '"\\\'',
    '__proto__',
  ])('201 with the identifier %s, which the Location and every path take', async (idExterne) => {
    const created = await made({ ...OBJET, idExterne });
    const location = created.headers.get('location')!;
    expect(location).toBe(`${PATH}/${encodeURIComponent(idExterne)}`);
    expect((await app.send(tenant, 'GET', location)).text).toBe(created.text);
    expect((await app.send(tenant, 'PUT', location, { nom: 'Autre' })).json).toMatchObject({
      idExterne,
      nom: 'Autre',
    });
    expect((await app.send(tenant, 'DELETE', location)).status).toBe(204);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['nothing', {}, { '/idExterne': 'required', '/nom': 'required' }],
    ['empty texts', { idExterne: ' ', nom: '' }, { '/idExterne': 'required', '/nom': 'required' }],
    ['null', { idExterne: null, nom: null }, { '/idExterne': 'required', '/nom': 'required' }],
    ['what is no text', { idExterne: 4, nom: ['x'] }, { '/idExterne': 'type', '/nom': 'type' }],
    [
      'long texts',
      { idExterne: 'x'.repeat(256), nom: 'x'.repeat(256) },
      { '/idExterne': 'length', '/nom': 'length' },
    ],
    ['U+0000', { ...OBJET, nom: 'a\u0000' }, { '/nom': 'characters' }],
    ['half of a surrogate pair', { ...OBJET, idExterne: 'a\ud800' }, { '/idExterne': 'characters' }],
    ['an unknown property', { ...OBJET, accepte: true }, { '/accepte': 'unknown' }],
    ['a property in both casings', { ...OBJET, Nom: 'x' }, { '/Nom': 'duplicate' }],
    ['a list', [OBJET], { '': 'type' }],
    ['broken JSON', '{"idExterne":', { '': 'json' }],
  ])('400 for %s, and writes nothing', async (_what, body, faults) => {
    expectFaults(await post(body), faults);
    expect(await stored()).toEqual([]);
  });

  it('400 for an unknown query parameter', async () => {
    expectFaults(await send('POST', '?simulation=true', OBJET), { '?simulation': 'unknown' });
    expect(await stored()).toEqual([]);
  });

  it('an identifier has up to 255 characters, counted as people count', async () => {
    const created = await made({ ...OBJET, idExterne: '🙂'.repeat(255) });
    expect((await app.send(tenant, 'GET', created.headers.get('location')!)).status).toBe(200);
    expectFaults(await post({ ...OBJET, idExterne: '🙂'.repeat(256) }), { '/idExterne': 'length' });
  });

  it('409 ObjetConsentement.IdExterneDejaUtilise for a second one; case-sensitive, and each tenant has its own', async () => {
    await made();
    expectProblem(await post({ ...OBJET, nom: 'Autre' }), 409, 'ObjetConsentement.IdExterneDejaUtilise');
    expect(await stored()).toEqual(['INFOLETTRE: Recevoir l’infolettre']);
    await made({ ...OBJET, idExterne: 'infolettre' });
    expect((await app.send(await app.tenant(), 'POST', PATH, OBJET)).status).toBe(201);
  });

  it('twenty equal ones at once make one 201 and nineteen 409, and one row', async () => {
    const answers = await Promise.all(times(20, () => post(OBJET)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...times(19, () => 409)]);
    for (const answer of answers) {
      if (answer.status === 409) expectProblem(answer, 409, 'ObjetConsentement.IdExterneDejaUtilise');
    }
    expect(await stored()).toHaveLength(1);
  });
});

describe('GET /b2b/v2/objet-consentement', () => {
  it('lists them in the order of their creation; pages walk them exactly once', async () => {
    for (const idExterne of ['C', 'A', 'D', 'B', 'E']) await made({ ...OBJET, idExterne });
    const whole = await send('GET', '');
    expect(whole.json.map(({ idExterne }: typeof OBJET) => idExterne)).toEqual(['C', 'A', 'D', 'B', 'E']);
    for (const limite of [1, 2, 5, 1000]) {
      const pages = await walk(app, tenant, `${PATH}?limite=${limite}`);
      expect(pages).toHaveLength(Math.ceil(5 / limite));
      expect(pages.flat()).toEqual(whole.json);
    }
  });

  it('without limite, 6,000 are streamed complete', async () => {
    await synced(app, tenant, {
      ObjetsConsentement: times(6_000, (n) => ({ IdExterne: `O-${n}`, Nom: `Objet ${n}` })),
    });
    const answer = await send('GET', '');
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(new Set(answer.json.map(({ idExterne }: typeof OBJET) => idExterne)).size).toBe(6_000);
    expect(answer.json).toHaveLength(6_000);
  });

  it('tenant without objects gets 200 []; other tenants’ objects never appear', async () => {
    await made();
    const answer = await app.send(await app.tenant(), 'GET', PATH);
    expect([answer.status, answer.text, answer.headers.get('link')]).toEqual([200, '[]', null]);
  });

  it('400 for parameters that are unknown, doubled or out of range', async () => {
    const faults: [string, Record<string, string>][] = [
      ['idExterne=INFOLETTRE', { '?idExterne': 'unknown' }],
      ['depuis=2026-01-01', { '?depuis': 'unknown' }],
      ['limite=1&limite=2', { '?limite': 'duplicate' }],
      ['limite=1001', { '?limite': 'range' }],
      ['curseur=x', { '?curseur': 'cursor' }],
    ];
    for (const [query, expected] of faults) expectFaults(await send('GET', `?${query}`), expected);
  });
});

describe('GET /b2b/v2/objet-consentement/:idExterne', () => {
  it('304 without a body for If-None-Match with its ETag, 200 once it has changed', async () => {
    const etag = (await made()).headers.get('etag')!;
    for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await send('GET', '/INFOLETTRE', undefined, { 'If-None-Match': held });
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', etag]);
    }
    await put({ ...OBJET, nom: 'Autre' });
    expect((await send('GET', '/INFOLETTRE', undefined, { 'If-None-Match': etag })).status).toBe(200);
  });

  it('404 ObjetConsentement.NotFound, the same for another tenant’s as for none', async () => {
    await made();
    const other = await app.tenant();
    const foreign = await app.send(other, 'GET', `${PATH}/INFOLETTRE`);
    expectProblem(foreign, 404, 'ObjetConsentement.NotFound');
    expect(comparable(foreign)).toEqual(comparable(await app.send(other, 'GET', `${PATH}/RIEN`)));
    expectProblem(await get('infolettre'), 404, 'ObjetConsentement.NotFound');
  });

  it('400 for an identifier that cannot be one, and for an unknown parameter', async () => {
    expectFaults(await get('x'.repeat(256)), { '{idExterne}': 'type' });
    expectFaults(await send('GET', '/%00'), { '{idExterne}': 'type' });
    expectFaults(await send('GET', '/INFOLETTRE?limite=1'), { '?limite': 'unknown' });
  });
});

describe.each([
  ['the collection', (objet: typeof OBJET, headers?: Record<string, string>) => put(objet, headers)],
  [
    'its identifier',
    ({ idExterne, ...rest }: typeof OBJET, headers?: Record<string, string>) =>
      send('PUT', `/${encodeURIComponent(idExterne)}`, rest, headers),
  ],
])('PUT of a consent object under %s', (_where, replace) => {
  it('200 replaces the name; identifiers and creation stay, derniereMAJ moves', async () => {
    await made();
    await age();
    const before = (await get('INFOLETTRE')).json;
    const replaced = await replace({ ...OBJET, nom: ' Courriels ' });
    expect([replaced.status, replaced.headers.get('location')]).toEqual([200, null]);
    expect(replaced.json).toEqual({
      ...before,
      nom: 'Courriels',
      derniereMAJ: expect.stringMatching(INSTANT),
    });
    expect(replaced.json.derniereMAJ > before.derniereMAJ).toBe(true);
    expect(replaced.text).toBe((await get('INFOLETTRE')).text);
    expect(replaced.headers.get('etag')).toBe((await get('INFOLETTRE')).headers.get('etag'));
    expect(await stored()).toEqual(['INFOLETTRE: Courriels']);
  });

  it('200 keeps derniereMAJ and the ETag when nothing changes, even sent back as read', async () => {
    await made();
    await age();
    const read = await get('INFOLETTRE');
    for (const same of [OBJET, read.json, { ...OBJET, nom: ` ${OBJET.nom} ` }] as (typeof OBJET)[]) {
      const answer = await replace(same);
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([
        200,
        read.text,
        read.headers.get('etag'),
      ]);
    }
  });

  it('404 ObjetConsentement.NotFound for none and for another tenant’s; nothing is made', async () => {
    expectProblem(await replace(OBJET), 404, 'ObjetConsentement.NotFound');
    const other = await app.tenant();
    await app.send(other, 'POST', PATH, OBJET);
    expectProblem(await replace({ ...OBJET, nom: 'Autre' }), 404, 'ObjetConsentement.NotFound');
    expect(await stored()).toEqual([]);
    expect((await app.send(other, 'GET', `${PATH}/INFOLETTRE`)).json).toMatchObject(OBJET);
  });

  it('400 for an invalid record changes nothing', async () => {
    await made();
    expectFaults(await replace({ idExterne: 'INFOLETTRE' } as typeof OBJET), { '/nom': 'required' });
    expectFaults(await replace({ ...OBJET, type: 'x' } as typeof OBJET), { '/type': 'unknown' });
    expect(await stored()).toEqual(['INFOLETTRE: Recevoir l’infolettre']);
  });

  it('412 Precondition.Echouee for a stale or weak If-Match; the ETag, a list of them or * pass', async () => {
    const etag = (await made()).headers.get('etag')!;
    const name = (nom: string, ifMatch: string) => replace({ ...OBJET, nom }, { 'If-Match': ifMatch });
    expectProblem(await name('A', '"stale"'), 412, 'Precondition.Echouee');
    expectProblem(await name('A', `W/${etag}`), 412, 'Precondition.Echouee');
    const changed = await name('B', `"x", ${etag}`);
    expect(changed.status).toBe(200);
    expectProblem(await name('C', etag), 412, 'Precondition.Echouee');
    expect((await name('D', changed.headers.get('etag')!)).status).toBe(200);
    expect((await name('E', '*')).json.nom).toBe('E');
  });

  it('twenty changes at once with one ETag: exactly one succeeds; negative control: without it all do', async () => {
    const etag = (await made()).headers.get('etag')!;
    const all = (headers?: Record<string, string>) =>
      Promise.all(times(20, (n) => replace({ ...OBJET, nom: `N-${n}` }, headers)));
    const answers = await all({ 'If-Match': etag });
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await get('INFOLETTRE')).json).toEqual(passed[0]!.json);
    expect((await all()).filter(({ status }) => status === 200)).toHaveLength(20);
  });
});

describe('PUT /b2b/v2/objet-consentement', () => {
  it('400 without an identifier', async () => {
    expectFaults(await put({ nom: 'x' }), { '/idExterne': 'required' });
  });
});

describe('PUT /b2b/v2/objet-consentement/:idExterne', () => {
  it('the body may repeat the identifier, in either casing; another one is 400 and changes nothing', async () => {
    await made();
    await made({ idExterne: 'TEXTOS', nom: 'Textos' });
    for (const sent of [
      { idExterne: 'TEXTOS' },
      { IdExterne: ' TEXTOS ' },
      { idExterne: null },
      { idExterne: '' },
    ]) {
      expect((await send('PUT', '/TEXTOS', { ...sent, nom: 'Messages' })).status).toBe(200);
    }
    for (const idExterne of ['INFOLETTRE', 'textos', 'AUTRE']) {
      expectFaults(await send('PUT', '/TEXTOS', { idExterne, nom: 'Autre' }), { '/idExterne': 'path' });
    }
    expect(await stored()).toEqual(['INFOLETTRE: Recevoir l’infolettre', 'TEXTOS: Messages']);
  });
});

describe('DELETE /b2b/v2/objet-consentement/:idExterne', () => {
  it('204 deletes, then 404 ObjetConsentement.NotFound; the identifier is free again', async () => {
    const first = (await made()).json;
    const deleted = await send('DELETE', '/INFOLETTRE');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expectProblem(await send('DELETE', '/INFOLETTRE'), 404, 'ObjetConsentement.NotFound');
    expectProblem(await get('INFOLETTRE'), 404, 'ObjetConsentement.NotFound');
    expect(await stored()).toEqual([]);
    expect((await made()).json.idUnique).not.toBe(first.idUnique);
  });

  it('412 Precondition.Echouee for a stale If-Match; 204 with the ETag', async () => {
    const etag = (await made()).headers.get('etag')!;
    const stale = await send('DELETE', '/INFOLETTRE', undefined, { 'If-Match': '"stale"' });
    expectProblem(stale, 412, 'Precondition.Echouee');
    expect((await send('DELETE', '/INFOLETTRE', undefined, { 'If-Match': etag })).status).toBe(204);
  });

  it('twenty deletions at once: one is 204, the others 404', async () => {
    await made();
    const answers = await Promise.all(times(20, () => send('DELETE', '/INFOLETTRE')));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...times(19, () => 404)]);
  });
});

describe('consent objects of the syncs', () => {
  it('V1, V2 and single writes work on the same ones', async () => {
    await syncedV1(app, tenant, { objetsConsentement: [{ idExterne: 'V1', nom: 'De V1' }] });
    await synced(app, tenant, { ObjetsConsentement: [{ IdExterne: 'V2', Nom: 'De V2' }] });
    await made({ idExterne: 'SEUL', nom: 'De POST' });
    expect(await stored()).toEqual(['V1: De V1', 'V2: De V2', 'SEUL: De POST']);
    expectProblem(await post({ idExterne: 'V1', nom: 'x' }), 409, 'ObjetConsentement.IdExterneDejaUtilise');
    expect((await send('PUT', '/V2', { nom: 'De PUT' })).status).toBe(200);
    const again = await synced(app, tenant, {
      ObjetsConsentement: ['V1', 'SEUL', 'NEUF'].map((IdExterne) => ({ IdExterne, Nom: 'De V2 encore' })),
    });
    expect(again.json.ObjetsConsentement).toEqual({ AddCount: 1, UpdateCount: 2, Erreurs: [] });
    const v1 = await syncedV1(app, tenant, {
      objetsConsentement: [
        { idExterne: 'SEUL', nom: 'De V1 enfin' },
        { idExterne: 'DERNIER', nom: 'De V1' },
      ],
    });
    expect(v1.json).toEqual({ created: 1, updated: 1, errors: [] });
    expect(await stored()).toEqual([
      'V1: De V2 encore',
      'V2: De PUT',
      'SEUL: De V1 enfin',
      'NEUF: De V2 encore',
      'DERNIER: De V1',
    ]);
    // An object that is missing in a sync stays; a sync can create a deleted one again.
    expect((await send('DELETE', '/V1')).status).toBe(204);
    const anew = await synced(app, tenant, { ObjetsConsentement: [{ IdExterne: 'V1', Nom: 'Neuf' }] });
    expect(anew.json.ObjetsConsentement).toMatchObject({ AddCount: 1 });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['V1', () => syncedV1(app, tenant, { objetsConsentement: [OBJET] })],
    [
      'V2',
      () => synced(app, tenant, { ObjetsConsentement: [{ IdExterne: OBJET.idExterne, Nom: OBJET.nom }] }),
    ],
  ])('a %s sync of the same keeps derniereMAJ and the ETag', async (_version, sync) => {
    await made();
    await age();
    const before = await get('INFOLETTRE');
    await sync();
    const after = await get('INFOLETTRE');
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
  });

  it('a V2 sync reports invalid records, and writes the others', async () => {
    const answer = await app.send(tenant, 'POST', '/b2b/v2/sync', {
      ObjetsConsentement: [
        { IdExterne: 'A', Nom: 'A' },
        { IdExterne: 'B' },
        { IdExterne: 'A', Nom: 'encore' },
        { IdExterne: 'C', Nom: 'C', Accepte: true },
        'D',
      ],
    });
    expect(answer.status).toBe(200);
    const { AddCount, UpdateCount, Erreurs } = answer.json.ObjetsConsentement;
    expect([AddCount, UpdateCount]).toEqual([1, 0]);
    expect(Erreurs.map(({ IdUnique }: { IdUnique: string }) => IdUnique)).toEqual(['B', 'A', 'C', '']);
    expect(await stored()).toEqual(['A: A']);
  });

  it('single writes and syncs of the same at once: no 5xx, one row', async () => {
    const body = { ObjetsConsentement: [{ IdExterne: OBJET.idExterne, Nom: 'De la sync' }] };
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        ...times(4, () => post(OBJET)),
        ...times(4, () => app.send(tenant, 'POST', '/b2b/v2/sync', body)),
        ...times(4, (n) => put({ ...OBJET, nom: `N-${n}` })),
        ...times(2, () => send('DELETE', '/INFOLETTRE')),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const syncs = answers.slice(4, 8);
      expect(syncs.map(({ json }) => json.ObjetsConsentement.Erreurs)).toEqual(times(4, () => []));
      expect((await stored()).length).toBeLessThanOrEqual(1);
    }
  });
});
