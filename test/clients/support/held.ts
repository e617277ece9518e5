import {
  ClientsService,
  EXAMPLE_CLE_ADMIN_ID,
  EXAMPLE_CLIENT_ID,
  EXAMPLE_CLOSED_CLIENT_ID,
  EXAMPLE_FORMER_CLIENT_ID,
} from '../../../libs/clients/src';
import { TEST_ACTOR } from '../../setup/actor';
import type { TestApp } from '../../setup/test-app';

/** A client whose erasure is done. */
export const ERASED_CLIENT = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b07';

export const ENDED_CLE = '5b0c8f5e-94c1-4a0e-8f0a-6d0f0c9d7e99';

/** Issues a key that has expired, and makes clients that may be erased, and that are. */
export async function holdCles(app: TestApp): Promise<void> {
  const clients = app.app.get(ClientsService);
  await clients.create(TEST_ACTOR, { id: EXAMPLE_FORMER_CLIENT_ID, nom: 'Parti', modules: [] });
  await clients.create(TEST_ACTOR, { id: EXAMPLE_CLOSED_CLIENT_ID, nom: 'Fermé', modules: [] });
  await clients.create(TEST_ACTOR, { id: ERASED_CLIENT, nom: 'Effacé', modules: [] });
  await app.database.query(
    `UPDATE client SET suspendu_le = now() - interval '31 days', raison_suspension = 'Résilié',
       suppression_demandee_le = CASE WHEN id = $2 THEN now() END, efface_le = CASE WHEN id = $2 THEN now() END
     WHERE id IN ($1, $2)`,
    [EXAMPLE_CLOSED_CLIENT_ID, ERASED_CLIENT],
  );
  await clients.issueAdminCle('Expirée', EXAMPLE_CLE_ADMIN_ID);
  await app.database.query(`UPDATE cle SET expire_le = now() WHERE id = $1`, [EXAMPLE_CLE_ADMIN_ID]);
  await clients.issueCle(TEST_ACTOR, EXAMPLE_CLIENT_ID, {
    ...{ id: ENDED_CLE, nom: 'Terminée', environnement: 'staging', role: 'partenaire' },
    expireLe: new Date('2020-01-01'),
  });
}

/** A client whose data space has been moved. */
export const MOVED_CLIENT = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b03';

/** Makes the data spaces that are moved, that could not be moved, and that were moved. */
export async function holdMoves(app: TestApp, tenantId: string): Promise<void> {
  const clients = app.app.get(ClientsService);
  const cle = { nom: 'Déplacement', environnement: 'production', role: 'partenaire' } as const;
  await clients.issueCle(TEST_ACTOR, EXAMPLE_CLIENT_ID, cle);
  await clients.create(TEST_ACTOR, { id: MOVED_CLIENT, nom: 'Déplacé', modules: [] });
  const { tenantId: moved } = await clients.issueCle(TEST_ACTOR, MOVED_CLIENT, cle);
  await app.database.query(
    `INSERT INTO deplacement (tenant_id, cellule_origine, cellule, etat, erreur, date_bascule, date_fin) VALUES
       ($1, 'principal', 'nord', 'Echouee', '{"code": "Deplacement.VoteOuvert", "detail": "A vote is open."}', NULL, now()),
       ($2, 'nord', 'principal', 'Reussie', NULL, now(), now())`,
    [tenantId, moved],
  );
}

/** The only administrator's key that works. */
export const LIMITED_CLE = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b06';

export const ERASED_PATH = `/admin/v1/clients/${ERASED_CLIENT}`;
