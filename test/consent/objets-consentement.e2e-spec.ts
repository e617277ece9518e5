import { expectProblem } from '../http/expect-problem';
import { GUID, INSTANT, synced, syncedV1, times } from '../membership/synced';
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
});

describe('GET /b2b/v2/objet-consentement', () => {
  it('without limite, 6,000 are streamed complete', async () => {
    await synced(app, tenant, {
      ObjetsConsentement: times(6_000, (n) => ({ IdExterne: `O-${n}`, Nom: `Objet ${n}` })),
    });
    const answer = await send('GET', '');
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(new Set(answer.json.map(({ idExterne }: typeof OBJET) => idExterne)).size).toBe(6_000);
    expect(answer.json).toHaveLength(6_000);
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
