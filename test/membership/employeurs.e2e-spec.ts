import { expectProblem } from '../http/expect-problem';
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

describe('DELETE /b2b/v1/employeur/:idExterne', () => {
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
