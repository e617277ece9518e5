import { expectProblem } from '../http/expect-problem';
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

  it('400 Employe.EmployeurInconnu changes nothing', async () => {
    const sent = { ...EMPLOYE, prenom: 'Ève', identifiantExterneEmployeur: 'EMP-0' };
    expectProblem(await send('PUT', '/employe', sent), 400, 'Employe.EmployeurInconnu');
    expect(await row()).toMatchObject({ prenom: 'Zoé', identifiant_externe_employeur: null });
  });
});
