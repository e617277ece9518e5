import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_CLE_ID, EXAMPLE_CLIENT_ID } from '#clients';
import { MODULES } from '#shared/access/caller';
import { type Config } from '#shared/config/config';
import { ServiceContext } from './service-context';

/** Keys of the demonstration tenant, by role. */
export interface DemonstrationKeys {
  partenaire: string;
  plateforme: string;
}

const NOM = 'Démonstration';

/** Enough that every "Execute" of Swagger UI finds the record its example names. */
const SAMPLE = {
  employeurs: [
    { idExterne: 'EMP-100', nom: 'Aciérie du Saint-Laurent' },
    { idExterne: 'EMP-200', nom: 'Centre de services scolaire de la Rivière' },
    { idExterne: 'EMP-300', nom: 'Imprimerie Belles-Feuilles' },
  ],
  objetsConsentement: [{ idExterne: 'INFOLETTRE', nom: 'Recevoir l’infolettre' }],
  employes: [
    {
      idExterne: 'E-1001',
      prenom: 'Marie-Ève',
      nom: "L'Écuyer",
      courriel: 'marie-eve.lecuyer@example.org',
      identifiantExterneEmployeur: 'EMP-100',
      ville: 'Trois-Rivières',
      province: 'QC',
    },
    {
      idExterne: 'E-1002',
      prenom: 'Jean-François',
      nom: 'Côté',
      courriel: 'jf.cote@example.org',
      identifiantExterneEmployeur: 'EMP-100',
      ville: 'Lévis',
      province: 'QC',
    },
    {
      idExterne: 'E-1003',
      prenom: 'Fatoumata',
      nom: 'Diallo',
      courriel: 'f.diallo@example.org',
      identifiantExterneEmployeur: 'EMP-200',
      ville: 'Montréal',
      province: 'QC',
    },
  ],
};

/**
 * Makes the demonstration tenant at the first start and finds its keys again at later ones. The keys are kept under
 * DATA_DIR, readable by their owner only; in another database, new ones are made.
 */
export async function demonstrationKeys(config: Config): Promise<DemonstrationKeys> {
  const file = join(config.dataDir, 'demonstration.json');
  return ServiceContext.use(config, async ({ clients, syncs, authentication }) => {
    if (existsSync(file)) {
      const kept = JSON.parse(readFileSync(file, 'utf8')) as DemonstrationKeys;
      const works = (cle: string): Promise<boolean> =>
        authentication.authenticate(cle).then(
          () => true,
          () => false,
        );
      if ((await works(kept.partenaire)) && (await works(kept.plateforme))) return kept;
    }
    const client =
      (await clients.list()).find(({ nom }) => nom === NOM) ??
      (await clients.create({ id: EXAMPLE_CLIENT_ID, nom: NOM, modules: [...MODULES] }));
    const issue = (role: 'partenaire' | 'plateforme') =>
      clients.issueCle(client.id, { nom: `Demonstration, ${role}`, environnement: 'staging', role });
    const partenaire = await issue('partenaire');
    const plateforme = await issue('plateforme');
    // A key to revoke: the example of that operation.
    if ((await clients.listCles(client.id)).every(({ id }) => id !== EXAMPLE_CLE_ID)) {
      await clients.issueCle(client.id, {
        id: EXAMPLE_CLE_ID,
        nom: 'To try a revocation',
        environnement: 'staging',
        role: 'partenaire',
      });
    }
    await syncs.sync(partenaire.tenantId!, SAMPLE, false);
    const keys = { partenaire: partenaire.cle, plateforme: plateforme.cle };
    mkdirSync(config.dataDir, { recursive: true });
    writeFileSync(file, JSON.stringify(keys, null, 2), { mode: 0o600 });
    return keys;
  });
}
