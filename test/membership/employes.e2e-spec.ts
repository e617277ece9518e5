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

  it('400 for an identifier with a variation selector, which is invisible', async () => {
    expectFaults(await send('POST', '/employe', { ...EMPLOYE, idExterne: '❤\uFE0F' }), {
      '/idExterne': 'characters',
    });
  });

  it('400 Employe.EmployeurInconnu for an unknown employer, or another tenant’s', async () => {
    const other = await app.tenant();
    await app.send(other, 'POST', '/b2b/v1/employeur', { idExterne: 'EMP-9', nom: 'Ailleurs' });
    const sent = { ...EMPLOYE, identifiantExterneEmployeur: 'EMP-9' };
    expectProblem(await send('POST', '/employe', sent), 400, 'Employe.EmployeurInconnu');
    expect(await rows()).toEqual([]);
  });
});
