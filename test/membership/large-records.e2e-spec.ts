import { SyndicatsService } from '../../libs/membership/src/application/syndicats.service';
import { TestApp, type TestTenant } from '../setup/test-app';
import { perFile } from '../setup/fixtures';
import { openTenant, sign } from '../adhesion/support/cards';
import { synced, times } from './synced';

const MIB = 1_048_576;
const WIDE = '𝄞';

const app = perFile(() => TestApp.own('volume'));
let tenant: TestTenant;

beforeEach(async () => {
  tenant = await app.tenant();
  await synced(app, tenant, {
    Syndicats: [
      {
        IdentifiantExterne: 'SYN',
        Nom: 'Local',
        Employeurs: [{ IdentifiantExterne: 'EMP', Nom: 'Usine' }],
      },
    ],
  });
});

const employe = (IdExterne: string, nested: object) => ({ IdExterne, Prenom: 'Zoé', Nom: 'Roy', ...nested });
/** Employments of about 1.8 KB. */
const emplois = (from: number, count: number) =>
  times(count, (n) => ({
    IdentifiantExterne: `${from + n}${WIDE.repeat(200)}`,
    IdentifiantExterneEmployeur: 'EMP',
    Matricule: WIDE.repeat(200),
  }));

const sync = async (...Employes: object[]) => {
  const { status, json } = await app.send(tenant, 'POST', '/b2b/v2/sync', { Employes });
  expect(status).toBe(200);
  return json;
};
const sizeOf = async (path: string): Promise<number> =>
  Buffer.byteLength(JSON.stringify((await app.send(tenant, 'GET', path)).json));

describe('An employee', () => {
  it('growth beyond 1 MiB over syncs is rejected with the nested records; others are written', async () => {
    await sync(employe('E', { Emplois: emplois(0, 400) }));
    const { Employes, Emplois, Adhesions } = await sync(
      employe('E', {
        Emplois: emplois(400, 300),
        Adhesions: [{ SyndicatIdExterne: 'SYN', DateAdhesion: '2026-01-01' }],
      }),
      employe('F', { Emplois: emplois(0, 1) }),
    );
    expect(Employes).toEqual({
      AddCount: 1,
      UpdateCount: 0,
      Erreurs: [
        {
          IdUnique: 'E',
          Message: expect.stringMatching(
            /^Emplois, Adhesions and ValeursChampUtilisateur would have 1,\d{3},\d{3} bytes with what is stored, and may have 1,048,576\. Use the identifiers/,
          ) as string,
        },
      ],
    });
    expect(Emplois).toEqual({ AddCount: 1, UpdateCount: 0, Erreurs: [] });
    expect(Adhesions).toEqual({ AddCount: 0, UpdateCount: 0, Erreurs: [] });
    expect(await sizeOf('/b2b/v2/employe/E')).toBeLessThan(MIB);
  });

  it('already larger than 1 MiB: can be read and sent again, but cannot grow', async () => {
    await sync(employe('E', { Emplois: emplois(0, 1) }));
    await app.database.query(
      `INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur, matricule)
       SELECT $1, 'E', n || repeat('${WIDE}', 200), 'EMP', repeat('${WIDE}', 200) FROM generate_series(1, 1000) n`,
      [tenant.tenantId],
    );
    expect(await sizeOf('/b2b/v2/employe/E')).toBeGreaterThan(MIB);
    expect((await sync(employe('E', { Emplois: emplois(0, 1) }))).Employes.Erreurs).toEqual([]);
    expect((await sync(employe('E', { Emplois: emplois(5_000, 1) }))).Employes.Erreurs).toHaveLength(1);
  });

  it('counts custom values as JSON has them, and those that are replaced or removed no longer', async () => {
    for (let n = 0; n < 20; n++) {
      const champ = { nom: `C-${n}`, type: 'texte' };
      expect((await app.send(tenant, 'POST', '/b2b/v2/champ-utilisateur', champ)).status).toBe(201);
    }
    const valeurs = (from: number, to: number, Valeur: string | null) =>
      employe('E', {
        ValeursChampUtilisateur: times(to - from, (n) => ({ NomChamp: `C-${from + n}`, Valeur })),
      });
    // JSON has 60,000 bytes for each.
    const long = `a${'\u0001'.repeat(9_998)}a`;
    expect((await sync(valeurs(0, 17, long))).Employes.Erreurs).toEqual([]);
    expect((await sync(valeurs(0, 17, long))).Employes.Erreurs).toEqual([]);
    expect((await sync(valeurs(17, 18, long))).Employes.Erreurs).toHaveLength(1);
    expect((await sync(valeurs(0, 1, null))).Employes.Erreurs).toEqual([]);
    expect((await sync(valeurs(17, 18, long))).Employes.Erreurs).toEqual([]);
    expect(await sizeOf('/b2b/v2/employe/E')).toBeLessThan(1.1 * MIB);
  });

  it('with 1,000 memberships gets no further one by a signature', async () => {
    const open = await openTenant(app);
    const { tenantId } = open;
    await app.database.query(
      `INSERT INTO syndicat (tenant_id, id_externe, nom) SELECT $1, 'S-' || n, 'Local' FROM generate_series(1, 1000) n`,
      [tenantId],
    );
    await app.database.query(
      `INSERT INTO membership (tenant_id, id_externe_employe, syndicat_id_externe, date_adhesion)
       SELECT $1, 'E-1', 'S-' || n, now() FROM generate_series(1, 1000) n`,
      [tenantId],
    );
    const signing = (syndicatIdExterne: string) =>
      sign(app, open.plateforme, { employeIdExterne: 'E-1', syndicatIdExterne });
    expect((await signing('S-7')).status).toBe(201);
    const { status, json } = await signing('SYN-1');
    expect(status).toBe(400);
    expect(json).toMatchObject({
      code: 'Requete.Invalide',
      errors: [
        {
          pointer: '/syndicatIdExterne',
          detail: expect.stringContaining('the employee has 1,000 memberships') as string,
        },
      ],
    });
  });
});

describe('A union', () => {
  const path = '/b2b/v2/syndicat/SYN';
  const most = { code: 'Requete.Invalide', detail: expect.stringContaining('8,388,608 bytes') as string };

  /** Gives the union employers of about 1 KB each. */
  const grow = async (from: number, count: number, nom = `repeat('${WIDE}', 245)`) => {
    await app.database.query(
      `INSERT INTO employeur (tenant_id, id_externe, nom) SELECT $1, 'X-' || n, ${nom} FROM generate_series($2::int, $3::int) n`,
      [tenant.tenantId, from, from + count - 1],
    );
    await app.database.query(
      `INSERT INTO syndicat_employeur SELECT $1, 'SYN', 'X-' || n FROM generate_series($2::int, $3::int) n`,
      [tenant.tenantId, from, from + count - 1],
    );
  };
  const rename = (idExterne: string, nom: string) =>
    app.send(tenant, 'PUT', '/b2b/v1/employeur', { idExterne, nom });
  const link = (IdentifiantExterne: string, Nom: string) =>
    app.send(tenant, 'POST', '/b2b/v2/sync', {
      Syndicats: [{ IdentifiantExterne: 'SYN', Nom: 'Local', Employeurs: [{ IdentifiantExterne, Nom }] }],
    });

  it('employers reach 8 MiB: every request that would exceed it is rejected', async () => {
    await grow(1, 8_150);
    const before = await app.send(tenant, 'GET', path);
    expect(await sizeOf(path)).toBeGreaterThan(7.9 * MIB);
    await expect(grow(10_000, 1_000)).rejects.toThrow('SYN');
    await app.database.query(
      `INSERT INTO employeur (tenant_id, id_externe, nom) SELECT $1, 'Y-' || n, 'Y' FROM generate_series(1, 400) n`,
      [tenant.tenantId],
    );
    const added = await app.send(tenant, 'POST', '/b2b/v2/sync', {
      Syndicats: [
        {
          IdentifiantExterne: 'SYN',
          Nom: 'Local',
          Employeurs: times(400, (n) => ({ IdentifiantExterne: `Y-${n}`, Nom: WIDE.repeat(255) })),
        },
      ],
    });
    expect(added.status).toBe(400);
    expect(added.json).toMatchObject(most);
    expect((await app.send(tenant, 'GET', path)).json).toEqual(before.json);
    // Names that grow, of employers that are linked already.
    await app.database.query(
      `UPDATE employeur SET nom = 'X' WHERE tenant_id = $1 AND id_externe LIKE 'X-1%'`,
      [tenant.tenantId],
    );
    await grow(20_000, 1_080);
    const long = { nom: WIDE.repeat(255) };
    const renamed = await app.send(tenant, 'POST', '/b2b/v1/employe/sync', {
      employeurs: times(1_000, (n) => ({ idExterne: `X-${1_000 + n}`, ...long })),
    });
    expect(renamed.status).toBe(400);
    expect(renamed.json).toMatchObject(most);
    for (let n = 100; n < 200; n++) {
      const { status, json } = await rename(`X-${n}`, long.nom);
      if (status === 200) continue;
      expect(status).toBe(400);
      expect(json).toMatchObject(most);
      // Fewer bytes are always taken.
      expect((await rename('X-999', 'Z')).status).toBe(200);
      return;
    }
    throw new Error('No name was refused.');
  });

  it('is read in parts, and has an ETag that changes with each name', async () => {
    await grow(1, 8_000);
    const answer = await app.send(tenant, 'GET', path);
    expect(answer.status).toBe(200);
    expect(answer.json.employeurs).toHaveLength(8_001);
    const etag = answer.headers.get('etag')!;
    const again = () => app.send(tenant, 'GET', path, undefined, { 'If-None-Match': etag });
    expect((await again()).status).toBe(304);
    expect((await link('EMP', 'Autre usine')).status).toBe(200);
    expect((await again()).status).toBe(200);
  });

  it('a change between two parts stops the reading with an error', async () => {
    await grow(1, 2_000);
    const { parts } = await app.app.get(SyndicatsService).get(tenant.tenantId, 'SYN');
    const reading = parts();
    expect((await reading.next()).done).toBe(false);
    expect((await link('EMP', 'Autre usine')).status).toBe(200);
    await expect(reading.next()).rejects.toThrow('The item has changed while it was read.');
  });
});
