import { TestApp, type TestTenant } from '../setup/test-app';
import { perFile } from '../setup/fixtures';

const EMPLOI = '{"IdentifiantExterne":"EM-1","IdentifiantExterneEmployeur":"EMP-1","Matricule":"1"}';

describe('a property that one object has twice', () => {
  const app = perFile(() => TestApp.start());
  let tenant: TestTenant;

  beforeAll(async () => {
    tenant = await app.tenant();
    const employeurs = [{ idExterne: 'EMP-1', nom: 'Aciérie' }];
    await app.send(tenant, 'POST', '/b2b/v1/employe/sync', { employeurs });
  });

  it.each([
    ['POST', '/b2b/v1/employe', '{"idExterne":"E-1","prenom":"A","nom":"B","nom":"C"}', '/nom'],
    ['POST', '/b2b/v1/employe', '{"idExterne":"E-1","prenom":"A","nom":"B","\\u006eom":"C"}', '/nom'],
    ['POST', '/b2b/v1/employe', '{"idExterne":"E-1","prenom":"A","nom":"B","Nom":"C"}', '/Nom'],
    [
      'POST',
      '/b2b/v1/employe',
      '{"idExterne":"E-1","prenom":"A","nom":"B","idUnique":"1","idUnique":"2"}',
      '/idUnique',
    ],
    [
      'POST',
      '/b2b/v2/champ-utilisateur',
      '{"nom":"A","type":"choix","choix":[{"idExterne":"1","libelle":"a","libelle":"b"}]}',
      '/choix/0/libelle',
    ],
    ['POST', '/b2b/v2/sync', '{"Employes":[],"Employes":[]}', '/Employes'],
    ['POST', '/b2b/v2/sync', '{"Employes":[],"employes":[]}', '/employes'],
  ])('%s %s %s: 400 at %s', async (method, path, body, pointer) => {
    const { status, json } = await app.send(tenant, method, path, body);
    expect({ status, errors: json.errors }).toMatchObject({
      status: 400,
      errors: [{ pointer, code: 'duplicate' }],
    });
  });

  it.each(['"Emplois"', '"\\u0045mplois"', '"emplois"'])(
    'a record of a sync with Emplois and %s is refused alone, and its employments go on',
    async (second) => {
      const record = (list: string): string => `{"IdExterne":"E-9","Prenom":"A","Nom":"B",${list}}`;
      const first = `{"Employes":[${record(`"Emplois":[${EMPLOI}]`)}]}`;
      expect((await app.send(tenant, 'POST', '/b2b/v2/sync', first)).text).not.toContain('Message');
      const sound = '{"IdExterne":"E-10","Prenom":"A","Nom":"B"}';
      const both = `{"Employes":[${record(`"Emplois":[${EMPLOI}],${second}:[]`)},${sound}]}`;
      const { json } = await app.send(tenant, 'POST', '/b2b/v2/sync', both);
      expect(json.Employes.Erreurs).toEqual([
        { IdUnique: 'E-9', Message: expect.stringMatching(/emplois (twice|is sent twice)/i) },
      ]);
      const employe = await app.send(tenant, 'GET', '/b2b/v2/employe/E-9');
      expect(employe.json.emplois).toMatchObject([{ identifiantExterne: 'EM-1', dateFin: null }]);
    },
  );

  it('a nested property twice refuses the record of the sync by its place', async () => {
    const twice = EMPLOI.replace('}', ',"Matricule":"2"}');
    const body = `{"Employes":[{"IdExterne":"E-11","Prenom":"A","Nom":"B","Emplois":[${EMPLOI},${twice}]}]}`;
    const { json } = await app.send(tenant, 'POST', '/b2b/v2/sync', body);
    expect(json.Employes.Erreurs).toEqual([
      { IdUnique: 'E-11', Message: 'the record has Emplois/1/Matricule twice; send it once' },
    ]);
  });

  it('a V1 sync refuses the record', async () => {
    const body = '{"employes":[{"idExterne":"E-12","prenom":"A","nom":"B","nom":"C"}]}';
    const { text } = await app.send(tenant, 'POST', '/b2b/v1/employe/sync', body);
    expect(text).toContain('the record has nom twice; send it once');
  });
});
