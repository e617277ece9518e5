import { MODULES } from '../../../libs/access/src/caller';
import { ClientsService, EXAMPLE_CLIENT_ID } from '../../../libs/clients/src';
import { CourrielsService } from '../../../libs/messaging/src';
import { CampagnesService, VOTING_EXAMPLE_IDS } from '../../../libs/voting/src';
import { TEST_ACTOR } from '../../setup/actor';
import type { TestApp } from '../../setup/test-app';

/** A campaign without voters. */
export const WITHOUT_VOTERS = '0198c2d4-7c21-7d40-8a13-5e9b0c4f6b02';

/** An email to voters of a campaign. */
export const TO_VOTERS = '0198c2d4-7c21-7d40-8a13-5e9b0c4f6b01';

/** Name of a key, in addition to those of the demonstration tenant. */
export const WITHOUT_VOTE = 'of the demonstration tenant, without the module of votes';

export const WITHOUT_QUOTA = 'of a client that may send no e-mail';

/**
 * Creates an email on the demonstration tenant that the requests below need.
 *
 * @returns keys by name
 */
export async function holdCourriels(app: TestApp, tenantId: string): Promise<ReadonlyMap<string, string>> {
  const cle = await app.app.get(ClientsService).issueCle(TEST_ACTOR, EXAMPLE_CLIENT_ID, {
    nom: 'Without votes',
    environnement: 'staging',
    role: 'partenaire',
    modules: ['carteMembre'],
  });
  const actor = { cleId: cle.id, requestId: 'test' };
  const dates = {
    ouvertureDuVoteUtc: new Date('2099-01-01T13:00:00Z'),
    fermetureDuVoteUtc: new Date('2099-01-08T22:00:00Z'),
  };
  await app.app
    .get(CampagnesService)
    .create(tenantId, actor, { titre: 'Cartes à personne', ...dates }, WITHOUT_VOTERS);
  await app.app.get(CourrielsService).create(
    tenantId,
    { actor, modules: MODULES },
    {
      destinataires: { campagneId: VOTING_EXAMPLE_IDS.ouverte, cible: 'tous' },
      sujet: 'Rappel',
      corpsHtml: '<p>Votez.</p>',
    },
    TO_VOTERS,
  );
  await app.database.query(
    `UPDATE courriel_destinataire SET etat = 'Refuse', echeance = NULL, code_smtp = 550
     WHERE courriel_id = $1 AND ordre = 1`,
    [TO_VOTERS],
  );
  await app.database.query(
    `UPDATE courriel_destinataire SET etat = 'Rejete', echeance = NULL, code_smtp = 550, statut = '5.1.1'
     WHERE courriel_id = $1 AND ordre = 2`,
    [TO_VOTERS],
  );
  const quotaless = await app.tenant({ quotaCourrielsParJour: 0 });
  await app.send(quotaless, 'POST', '/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' });
  return new Map([
    [WITHOUT_VOTE, cle.cle],
    [WITHOUT_QUOTA, quotaless.cle],
  ]);
}
