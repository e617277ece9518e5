import { expectFaults, expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import { synced } from './synced';
import { perFile, perTest } from '../setup/fixtures';

const EMPLOYEUR = { idExterne: 'EMP-1', nom: 'Aciérie du Saint-Laurent' };

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());

const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.send(tenant, method, `/b2b/v1${path}`, body, headers);

async function rows(): Promise<Record<string, unknown>[]> {
  const text = 'SELECT * FROM employeur WHERE tenant_id = $1 ORDER BY date_creation, id_unique';
  return (await app.database.query(text, [tenant.tenantId])).rows;
}

async function created(): Promise<string> {
  const answer = await send('POST', '/employeur', EMPLOYEUR);
  expect(answer.status).toBe(201);
  return answer.headers.get('etag')!;
}

const employee = (identifiantExterneEmployeur: string | null) => ({
  ...{ idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur },
});

describe('POST /b2b/v1/employeur', () => {
  it('201 with the item, Location and ETag', async () => {
    const answer = await send('POST', '/employeur', { IdExterne: ' EMP/1 ', nom: ' Aciérie ' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe('/b2b/v1/employeur/EMP%2F1');
    expect(answer.json).toEqual({
      idExterne: 'EMP/1',
      nom: 'Aciérie',
      idUnique: expect.any(String),
      derniereMAJ: answer.json.dateCreation,
      dateCreation: expect.stringMatching(/Z$/),
    });
    const read = await app.send(tenant, 'GET', answer.headers.get('location')!);
    expect([read.text, read.headers.get('etag')]).toEqual([answer.text, answer.headers.get('etag')]);
    expect(await rows()).toEqual([expect.objectContaining({ id_externe: 'EMP/1', nom: 'Aciérie' })]);
  });

  it('400 lists all errors at once and writes nothing', async () => {
    expectFaults(await send('POST', '/employeur', { nom: '', ville: 'Lévis' }), {
      '/idExterne': 'required',
      '/nom': 'required',
      '/ville': 'unknown',
    });
    const long = { idExterne: 'x'.repeat(256), nom: 'x'.repeat(256) };
    expectFaults(await send('POST', '/employeur', long), { '/idExterne': 'length', '/nom': 'length' });
    expectFaults(await send('POST', '/employeur?force=1', EMPLOYEUR), { '?force': 'unknown' });
    expect(await rows()).toEqual([]);
  });

  it('409 Employeur.IdExterneDejaUtilise for a second record with the same identifier', async () => {
    await created();
    const again = await send('POST', '/employeur', { ...EMPLOYEUR, nom: 'Autre' });
    expectProblem(again, 409, 'Employeur.IdExterneDejaUtilise');
    expect(await rows()).toEqual([expect.objectContaining({ nom: EMPLOYEUR.nom })]);
    expect((await app.send(await app.tenant(), 'POST', '/b2b/v1/employeur', EMPLOYEUR)).status).toBe(201);
  });
});

describe('GET /b2b/v1/employeur/:idExterne', () => {
  it('404 Employeur.NotFound for an unknown employer and another tenant’s', async () => {
    await created();
    expectProblem(await send('GET', '/employeur/EMP-0'), 404, 'Employeur.NotFound');
    const foreign = await app.send(await app.tenant(), 'GET', '/b2b/v1/employeur/EMP-1');
    expectProblem(foreign, 404, 'Employeur.NotFound');
  });

  it('304 for If-None-Match with its ETag', async () => {
    const etag = await created();
    const answer = await send('GET', '/employeur/EMP-1', undefined, { 'If-None-Match': etag });
    expect([answer.status, answer.text]).toEqual([304, '']);
  });
});

describe('PUT /b2b/v1/employeur', () => {
  it('200 replaces the name, and keeps derniereMAJ if nothing changes', async () => {
    const etag = await created();
    await app.database.query(`UPDATE employeur SET derniere_maj = derniere_maj - interval '1 minute'`);
    const aged = (await send('GET', '/employeur/EMP-1')).json;
    expect((await send('PUT', '/employeur', aged)).json).toEqual(aged);
    const replaced = await send('PUT', '/employeur', { idExterne: 'EMP-1', Nom: 'Fonderie', idUnique: 'x' });
    expect(replaced.status).toBe(200);
    expect(replaced.json).toMatchObject({
      nom: 'Fonderie',
      idUnique: aged.idUnique,
      dateCreation: aged.dateCreation,
    });
    expect(replaced.json.derniereMAJ > aged.derniereMAJ).toBe(true);
    expect(replaced.headers.get('etag')).not.toBe(etag);
    expect(await rows()).toEqual([expect.objectContaining({ nom: 'Fonderie' })]);
  });

  it('404 Employeur.NotFound creates nothing', async () => {
    expectProblem(await send('PUT', '/employeur', EMPLOYEUR), 404, 'Employeur.NotFound');
    expect(await rows()).toEqual([]);
  });

  it('400 without a name', async () => {
    await created();
    expectFaults(await send('PUT', '/employeur', { idExterne: 'EMP-1' }), { '/nom': 'required' });
  });

  it('412 Precondition.Echouee for a stale or weak If-Match; 200 for the ETag or *', async () => {
    const etag = await created();
    const put = (nom: string, ifMatch: string) =>
      send('PUT', '/employeur', { ...EMPLOYEUR, nom }, { 'If-Match': ifMatch });
    expectProblem(await put('A', '"stale"'), 412, 'Precondition.Echouee');
    expectProblem(await put('A', `W/${etag}`), 412, 'Precondition.Echouee');
    expect((await put('B', etag)).status).toBe(200);
    expectProblem(await put('C', etag), 412, 'Precondition.Echouee');
    expect((await put('D', '*')).status).toBe(200);
    expect(await rows()).toEqual([expect.objectContaining({ nom: 'D' })]);
  });
});

describe('DELETE /b2b/v1/employeur/:idExterne', () => {
  it('204 deletes, then 404 Employeur.NotFound', async () => {
    await created();
    expectProblem(
      await app.send(await app.tenant(), 'DELETE', '/b2b/v1/employeur/EMP-1'),
      404,
      'Employeur.NotFound',
    );
    expect((await send('DELETE', '/employeur/EMP-1')).status).toBe(204);
    expect(await rows()).toEqual([]);
    expectProblem(await send('DELETE', '/employeur/EMP-1'), 404, 'Employeur.NotFound');
  });

  it('409 Employeur.EmploisActifs while an employee works for it, 204 afterwards', async () => {
    await created();
    await send('POST', '/employe', employee('EMP-1'));
    expectProblem(await send('DELETE', '/employeur/EMP-1'), 409, 'Employeur.EmploisActifs');
    expect(await rows()).toHaveLength(1);
    expect((await send('PUT', '/employe', employee(null))).status).toBe(200);
    expect((await send('DELETE', '/employeur/EMP-1')).status).toBe(204);
  });

  it('deletes its ended employments and no others; 409 Employeur.EmploisActifs while one has not ended', async () => {
    const employeurs = ['EMP-1', 'EMP-2'];
    const write = (DateFin: string | null) => {
      const Emplois = employeurs.map((IdentifiantExterneEmployeur) => ({
        ...{ IdentifiantExterne: IdentifiantExterneEmployeur, IdentifiantExterneEmployeur, Matricule: '1' },
        DateFin: IdentifiantExterneEmployeur === 'EMP-1' ? DateFin : '2024-01-01',
      }));
      const Employeurs = employeurs.map((IdentifiantExterne) => ({ IdentifiantExterne, Nom: 'Usine' }));
      return synced(app, tenant, {
        Syndicats: [{ IdentifiantExterne: 'SYN', Nom: 'Syndicat', Employeurs }],
        Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy', Emplois }],
      });
    };
    const emplois = async (): Promise<string[]> => {
      const { json } = await app.send(tenant, 'GET', '/b2b/v2/emploi');
      return json.map((emploi: { identifiantExterne: string }) => emploi.identifiantExterne).sort();
    };
    await write(null);
    expectProblem(await send('DELETE', '/employeur/EMP-1'), 409, 'Employeur.EmploisActifs');
    expect(await emplois()).toEqual(['EMP-1', 'EMP-2']);
    await write('2024-01-01');
    expect((await send('DELETE', '/employeur/EMP-1')).status).toBe(204);
    expect(await emplois()).toEqual(['EMP-2']);
  });

  it('412 Precondition.Echouee for a stale If-Match; 204 with the ETag', async () => {
    const etag = await created();
    const stale = await send('DELETE', '/employeur/EMP-1', undefined, { 'If-Match': '"stale"' });
    expectProblem(stale, 412, 'Precondition.Echouee');
    expect((await send('DELETE', '/employeur/EMP-1', undefined, { 'If-Match': etag })).status).toBe(204);
  });

  it('employees move to it during the deletion: one of the two wins, and every employee has an existing employer', async () => {
    await created();
    await send('POST', '/employe', employee(null));
    const answers = await Promise.all([
      send('PUT', '/employe', employee('EMP-1')),
      send('DELETE', '/employeur/EMP-1'),
      send('PUT', '/employe', { ...employee('EMP-1'), prenom: 'Ève' }),
    ]);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
    const employe = (await send('GET', '/employe/E-1')).json;
    expect(await rows()).toHaveLength(employe.identifiantExterneEmployeur ? 1 : 0);
  });
});
