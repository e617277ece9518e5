import type { TestApp, TestTenant } from '../setup/test-app';
import { allRowsRead } from './rows-read';
import { synced, times } from './synced';

const COUNT = 600;
/** Lists with the number of their items. */
const LISTS: readonly (readonly [path: string, items: number])[] = [
  ['/b2b/v2/syndicat', COUNT],
  ['/b2b/v1/employe', COUNT],
  ['/b2b/v2/employe', COUNT],
  ['/b2b/v2/emploi', COUNT],
  ['/b2b/v2/emploi?idExterneSyndicat=SYN-0', COUNT / 10],
];

/** Fills a data space with unions and employees, each with one row of every other table that lists show. */
async function filled(app: TestApp): Promise<TestTenant> {
  const tenant = await app.tenant();
  await app.send(tenant, 'POST', '/b2b/v2/champ-utilisateur', { nom: 'Surnom', type: 'texte' });
  const Syndicats = times(COUNT, (n) => ({
    IdentifiantExterne: `SYN-${n}`,
    Nom: 'Syndicat',
    Employeurs: [{ IdentifiantExterne: `EMP-${n % 10}`, Nom: 'Usine' }],
  }));
  const Employes = times(COUNT, (n) => ({
    ...{ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: 'Roy' },
    Emplois: [{ IdentifiantExterne: 'EM', IdentifiantExterneEmployeur: `EMP-${n % 10}`, Matricule: `${n}` }],
    Adhesions: [{ SyndicatIdExterne: `SYN-${n % 5}`, DateAdhesion: '2020-01-01' }],
    ValeursChampUtilisateur: [{ NomChamp: 'Surnom', Valeur: 'Zo' }],
  }));
  await synced(app, tenant, { Syndicats, Employes });
  return tenant;
}

it('lists of a data space that no statistics know read each row a few times', async () => {
  const writes = async (app: TestApp): Promise<TestTenant> => {
    await filled(app);
    await app.database.query('ANALYZE');
    return filled(app);
  };
  const before = await allRowsRead(writes);
  const after = await allRowsRead(async (app) => {
    const tenant = await writes(app);
    for (const [path, items] of LISTS) {
      const { status, json } = await app.send(tenant, 'GET', path);
      expect([status, json.length]).toEqual([200, items]);
    }
  });
  const tables = ['syndicat', 'syndicat_employeur', 'employe', 'emploi', 'membership'];
  for (const table of [...tables, 'valeur_champ_employe']) {
    const read = after.get(table)! - before.get(table)!;
    expect([table, read < COUNT * 25]).toEqual([table, true]);
  }
});

it('a sync reads each earlier sync a few times, however few of them statistics know', async () => {
  const SYNCS = 150;
  const read = await allRowsRead(async (app) => {
    const tenant = await app.tenant();
    for (let n = 0; n < SYNCS; n++)
      await synced(app, tenant, { Syndicats: [{ IdentifiantExterne: 'SYN-1', Nom: `Syndicat ${n}` }] });
  });
  expect(read.get('sync')).toBeGreaterThan(SYNCS);
  expect(read.get('sync')! / SYNCS ** 2).toBeLessThan(5);
});
