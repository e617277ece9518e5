import { ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { EXAMPLE_IDS } from '../../http/examples';

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** A file of a bundle. */
export class DossierFichierItem extends ItemOf({
  nom: value.text('Its name in the archive.', 'manifeste.json'),
  octets: value.integer('Its size in bytes.', 1_842),
  sha256: value.text('Its SHA-256 in hexadecimal.', SHA256),
}) {}

/** The bundle of a sealed ballot box (docs/verification.md). */
export class DossierItem extends ItemOf({
  campagneId: value.id('The campaign.', EXAMPLE_IDS.comptee),
  empreinte: value.text('SHA-256 of `manifeste.json` in hexadecimal: it names the whole bundle.', SHA256),
  fichiers: value.list(DossierFichierItem, 'In the order of the archive.'),
}) {}

/** Data of the event `campagne.scellee`. */
export class CampagneScelleeData extends ItemOf({
  campagneId: value.id('The campaign.', EXAMPLE_IDS.comptee),
  titre: value.text('Its title.', 'Renouvellement de la convention collective'),
  empreinte: value.text('SHA-256 of `manifeste.json` in hexadecimal.', SHA256),
}) {}

/** A voter's own line of the roll in the bundle. */
export class PreuveVotantItem extends ItemOf({
  VotantId: value.id('The voter.', EXAMPLE_IDS.votantCompte),
  Ligne: value.text(
    'The line, canonical JSON.',
    `{"ADroitDeVote":true,"AVote":true,"EmployeurIdentifiantExterne":null,"Poids":"1","SyndicatIdExterne":null,"VotantId":"${EXAMPLE_IDS.votantCompte}"}`,
  ),
  Sel: value.text(
    'The salt of the leaf, 32 bytes in base64url.',
    'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  ),
  Feuille: value.text(
    'The leaf, as `liste.bin` has it, in base64url: SHA-256 of a zero byte, the salt and the line.',
    'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  ),
}) {}
