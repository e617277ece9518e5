import { EXAMPLE_CLIENT_ID, ClientsService } from '../../../libs/clients/src';
import { CourrielsService, EXAMPLE_COURRIEL_ID } from '../../../libs/messaging/src';
import { MODULES } from '../../../libs/access/src/caller';
import { CampagnesService, VOTING_EXAMPLE_IDS } from '../../../libs/voting/src';
import { TEST_ACTOR } from '../../setup/actor';
import type { TestApp } from '../../setup/test-app';
import type { More } from './call';

const COURRIEL = '/b2b/v2/courriel';

/** Name of a key, in addition to those of the demonstration tenant. */
const WITHOUT_VOTE = 'of the demonstration tenant, without the module of votes';
const WITHOUT_QUOTA = 'of a client that may send no e-mail';

/** An email to voters of a campaign. */
const TO_VOTERS = '0198c2d4-7c21-7d40-8a13-5e9b0c4f6b01';
/** A campaign without voters. */
const WITHOUT_VOTERS = '0198c2d4-7c21-7d40-8a13-5e9b0c4f6b02';
const NOTHING = '00000000-0000-4000-8000-000000000000';

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
  const quotaless = await app.tenant({ quotaCourrielsParJour: 0 });
  await app.send(quotaless, 'POST', '/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' });
  return new Map([
    [WITHOUT_VOTE, cle.cle],
    [WITHOUT_QUOTA, quotaless.cle],
  ]);
}

/** Requests to emails that the document alone does not give. */
export const MORE_OF_MESSAGING: Readonly<Record<string, More>> = {
  'POST /b2b/v2/courriel': {
    changes: [
      { destinataires: { campagneId: NOTHING, cible: 'tous' } },
      { destinataires: { campagneId: WITHOUT_VOTERS, cible: 'nonVotants' } },
    ],
    calls: [
      {
        key: WITHOUT_VOTE,
        body: {
          destinataires: { campagneId: NOTHING, cible: 'tous' },
          sujet: 'Rappel',
          corpsHtml: '<p>Votez.</p>',
        },
      },
      {
        key: WITHOUT_QUOTA,
        body: { destinataires: { idExternes: ['E-1'] }, sujet: 'Rappel', corpsHtml: '<p>Votez.</p>' },
      },
    ],
  },
  'GET /b2b/v2/courriel/:id/destinataires': {
    calls: [
      { path: `${COURRIEL}/${EXAMPLE_COURRIEL_ID}/destinataires` },
      { path: `${COURRIEL}/${TO_VOTERS}/destinataires` },
      { key: WITHOUT_VOTE, path: `${COURRIEL}/${TO_VOTERS}/destinataires` },
    ],
  },
};
