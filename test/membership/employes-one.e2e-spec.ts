import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import { synced } from './synced';
import { perFile, perTest } from '../setup/fixtures';

const EMPLOYE = {
  idExterne: 'E-1',
  prenom: 'Zoé',
  nom: "L'Écuyer",
  ville: 'Lévis',
  courriel: 'zoe@example.org',
};

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());
let etag: string;

beforeEach(async () => {
  etag = (await send('POST', '/employe', EMPLOYE)).headers.get('etag')!;
});

const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.send(tenant, method, `/b2b/v1${path}`, body, headers);

async function row(): Promise<Record<string, unknown> | undefined> {
  const text = `SELECT * FROM employe WHERE tenant_id = $1 AND id_externe = 'E-1'`;
  return (await app.database.query(text, [tenant.tenantId])).rows[0];
}

/** Makes the row a minute older, because a later `derniereMAJ` must differ. */
async function age(): Promise<Date> {
  const text = `UPDATE employe SET derniere_maj = derniere_maj - interval '1 minute', date_creation = date_creation - interval '1 minute'
                WHERE tenant_id = $1 RETURNING derniere_maj`;
  const { rows } = await app.database.query<{ derniere_maj: Date }>(text, [tenant.tenantId]);
  etag = (await send('GET', '/employe/E-1')).headers.get('etag')!;
  return rows[0]!.derniere_maj;
}

describe('GET /b2b/v1/employe/:idExterne', () => {
  it('404 Employe.NotFound, the same for an unknown employee and another tenant’s', async () => {
    const other = await app.tenant();
    const unknown = await app.send(other, 'GET', '/b2b/v1/employe/E-0');
    const foreign = await app.send(other, 'GET', '/b2b/v1/employe/E-1');
    expectProblem(foreign, 404, 'Employe.NotFound');
    const comparable = ({ json, headers }: typeof unknown) => ({
      ...json,
      instance: '',
      traceId: '',
      headers: [...headers.keys()],
    });
    expect(comparable(foreign)).toEqual(comparable(unknown));
  });

  it('404 for the same identifier in another case', async () => {
    expectProblem(await send('GET', '/employe/e-1'), 404, 'Employe.NotFound');
  });

  it('304 without a body for If-None-Match with the ETag, strong, weak, in a list, or *', async () => {
    // fetch adds `Cache-Control: no-cache` to such a request; nevertheless the response must be 304, not 200.
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await send('GET', '/employe/E-1', undefined, { 'If-None-Match': value });
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await send('GET', '/employe/E-1', undefined, { 'If-None-Match': '"x"' })).status).toBe(200);
    await send('PUT', '/employe', { ...EMPLOYE, prenom: 'Ève' });
    expect((await send('GET', '/employe/E-1', undefined, { 'If-None-Match': etag })).status).toBe(200);
  });

  it('400 for an invalid identifier, and for an unknown parameter', async () => {
    expectFaults(await send('GET', `/employe/${'x'.repeat(256)}`), { '{idExterne}': 'type' });
    expectFaults(await send('GET', '/employe/%00'), { '{idExterne}': 'type' });
    expectFaults(await send('GET', '/employe/%20'), { '{idExterne}': 'type' });
    expectProblem(await send('GET', '/employe/%E9'), 400, 'Requete.Invalide');
    expectFaults(await send('GET', '/employe/E-1?champs=nom'), { '?champs': 'unknown' });
  });
});

describe('PUT /b2b/v1/employe', () => {
  it('keeps an absent adresse1 and codePostal, which V2 wrote; null clears them', async () => {
    const address = { adresse1: '125, rue Saint-Jean', codePostal: 'G9A 1B2' };
    const names = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    await synced(app, tenant, { Employes: [{ ...names, ...address, ville: 'Laval' }] });
    const put = async (more: object): Promise<unknown> =>
      (await send('PUT', '/employe', { ...names, ...more })).json;
    expect(await put({ nom: 'Côté' })).toMatchObject({ ...address, nom: 'Côté', ville: null });
    expect(await put({ adresse1: null, codePostal: '' })).toMatchObject({ adresse1: null, codePostal: null });
  });

  it('200 replaces every writable field and clears absent optional ones', async () => {
    const before = await age();
    const replaced = await send('PUT', '/employe', {
      idExterne: 'E-1',
      prenom: 'Ève',
      nom: 'Roy',
      noMembre: 'M-1',
    });
    expect(replaced.status).toBe(200);
    expect(replaced.json).toMatchObject({ prenom: 'Ève', noMembre: 'M-1', ville: null, courriel: null });
    expect(replaced.headers.get('etag')).not.toBe(etag);
    expect(replaced.text).toBe((await send('GET', '/employe/E-1')).text);
    expect(Date.parse(replaced.json.derniereMAJ)).toBeGreaterThan(before.getTime());
    expect(Date.parse(replaced.json.dateCreation)).toBe(before.getTime());
    expect(await row()).toMatchObject({ prenom: 'Ève', ville: null, courriel: null });
  });

  it('200 keeps derniereMAJ and the ETag if nothing changes, also for the response of a read', async () => {
    const before = await age();
    const read = (await send('GET', '/employe/E-1')).json;
    for (const same of [EMPLOYE, read, { ...EMPLOYE, prenom: ' Zoé ', province: '' }]) {
      const answer = await send('PUT', '/employe', same);
      expect([answer.status, answer.headers.get('etag')]).toEqual([200, etag]);
      expect(answer.json).toEqual(read);
    }
    expect((await row())?.derniere_maj).toEqual(before);
  });

  it('ignores read-only fields', async () => {
    const idUnique = (await row())?.id_unique;
    const sent = {
      ...EMPLOYE,
      prenom: 'Ève',
      idUnique: tenant.tenantId,
      dateCreation: '2001-01-01',
      derniereMAJ: null,
    };
    const { json } = await send('PUT', '/employe', sent);
    expect(json).toMatchObject({ prenom: 'Ève', idUnique });
    expect(json.dateCreation > '2020').toBe(true);
  });

  it('404 Employe.NotFound creates no employee, for an unknown id and for another tenant’s', async () => {
    const nobody = randomUUID();
    expectProblem(await send('PUT', '/employe', { ...EMPLOYE, idExterne: nobody }), 404, 'Employe.NotFound');
    const foreign = await app.send(await app.tenant(), 'PUT', '/b2b/v1/employe', {
      ...EMPLOYE,
      prenom: nobody,
    });
    expectProblem(foreign, 404, 'Employe.NotFound');
    const { rows } = await app.database.query('SELECT 1 FROM employe WHERE id_externe = $1 OR prenom = $1', [
      nobody,
    ]);
    expect(rows).toEqual([]);
  });

  it('400 Employe.EmployeurInconnu changes nothing', async () => {
    const sent = { ...EMPLOYE, prenom: 'Ève', identifiantExterneEmployeur: 'EMP-0' };
    expectProblem(await send('PUT', '/employe', sent), 400, 'Employe.EmployeurInconnu');
    expect(await row()).toMatchObject({ prenom: 'Zoé', identifiant_externe_employeur: null });
  });

  it('400 for an invalid record or an unknown parameter', async () => {
    expectFaults(await send('PUT', '/employe', { idExterne: 'E-1', prenom: 'Ève' }), { '/nom': 'required' });
    expectFaults(await send('PUT', '/employe?force=1', EMPLOYE), { '?force': 'unknown' });
  });

  it('412 Precondition.Echouee for a stale or weak If-Match; 200 for the ETag, a list with it or *', async () => {
    const put = (prenom: string, ifMatch: string) =>
      send('PUT', '/employe', { ...EMPLOYE, prenom }, { 'If-Match': ifMatch });
    expectProblem(await put('Ève', '"stale"'), 412, 'Precondition.Echouee');
    expectProblem(await put('Ève', `W/${etag}`), 412, 'Precondition.Echouee');
    expect(await row()).toMatchObject({ prenom: 'Zoé' });
    const changed = await put('Ève', `"x", ${etag}`);
    expect(changed.status).toBe(200);
    expectProblem(await put('Léa', etag), 412, 'Precondition.Echouee');
    expect((await put('Léa', changed.headers.get('etag')!)).status).toBe(200);
    expect((await put('Ian', '*')).json).toMatchObject({ prenom: 'Ian' });
  });

  it('twenty changes at once with one ETag: exactly one succeeds', async () => {
    const attempts = Array.from({ length: 20 }, (_, i) =>
      send('PUT', '/employe', { ...EMPLOYE, prenom: `P${i}` }, { 'If-Match': etag }),
    );
    const answers = await Promise.all(attempts);
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    expect(await row()).toMatchObject({ prenom: passed[0]!.json.prenom });
  });

  it('negative control: the same twenty without If-Match all succeed', async () => {
    const attempts = Array.from({ length: 20 }, (_, i) =>
      send('PUT', '/employe', { ...EMPLOYE, prenom: `P${i}` }),
    );
    expect((await Promise.all(attempts)).filter(({ status }) => status === 200)).toHaveLength(20);
  });
});

describe('DELETE /b2b/v1/employe/:idExterne', () => {
  it('204 deletes, then 404 Employe.NotFound', async () => {
    const deleted = await send('DELETE', '/employe/E-1');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await row()).toBeUndefined();
    expectProblem(await send('DELETE', '/employe/E-1'), 404, 'Employe.NotFound');
    expectProblem(await send('GET', '/employe/E-1'), 404, 'Employe.NotFound');
  });

  it('412 Precondition.Echouee for a stale If-Match; 204 with the ETag', async () => {
    const stale = await send('DELETE', '/employe/E-1', undefined, { 'If-Match': '"stale"' });
    expectProblem(stale, 412, 'Precondition.Echouee');
    expect(await row()).toBeDefined();
    expect((await send('DELETE', '/employe/E-1', undefined, { 'If-Match': etag })).status).toBe(204);
  });
});
