// Writes libs/voting/src/chiffrement/http/encrypted-examples.ts: the guardian's files and the sealed ballots of the demonstration's encrypted
// votes. Each run draws new secrets and does not store them. Needed after a change of the format, or of the votes in
// apps/cli/src/demonstration-campaigns.ts. Build first:
//   node tools/encrypted-examples.mjs
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { seal } from '@mandat/ballot';
import {
  base64url,
  ballotLine,
  ballotOf,
  bytesOf,
  ceremonyOf,
  countOf,
  drawPolynomial,
  drawSecrets,
  libsodium,
  lineOf,
  makeAgreement,
  makeDecryption,
  makeKeys,
  makeShares,
  secretShare,
  Sums,
} from '@mandat/ballot/guardians';
import { format, resolveConfig } from 'prettier';

const { EXAMPLE_IDS: IDS } = createRequire(import.meta.url)('../dist/libs/voting/src/http/examples.js');
const FILE = 'libs/voting/src/chiffrement/http/encrypted-examples.ts';
const GUARDIAN = 'Ariane Lapointe';

const group = await libsodium();

/** The only guardian of a vote. */
function guardianOf(campagneId) {
  const [secrets, polynomial] = [drawSecrets(), drawPolynomial(1)];
  const fichiers = [];
  const state = () => ceremonyOf(group, { campagneId, seuil: 1, gardiens: [GUARDIAN], fichiers });
  return {
    fichiers,
    finish() {
      fichiers.push(makeKeys(state(), 1, secrets));
      fichiers.push(makeShares(state(), 1, secrets, polynomial));
      fichiers.push(makeAgreement(state(), 1, secrets));
      const ceremony = state();
      return { cle: base64url(group.encode(ceremony.key)), ceremonie: base64url(ceremony.digest(3)) };
    },
    decrypt(count) {
      const share = secretShare(state(), 1, secrets, polynomial);
      return makeDecryption(state(), count, 1, { seed: secrets.seed, share });
    },
  };
}

const open = guardianOf(IDS.chiffreeOuverte);
open.finish();

const ended = guardianOf(IDS.aDechiffrer);
const scrutin = {
  ...{ campagneId: IDS.aDechiffrer, ...ended.finish(), seuilAnonymat: 1 },
  questions: [
    {
      ...{ QuestionId: IDS.questionADechiffrer, MinReponses: 1, MaxReponses: 1 },
      Titre: 'Acceptez-vous la cotisation ?',
      Options: [IDS.optionADechiffrer, IDS.optionADechiffrerAutre],
      Libelles: ['Oui', 'Non'],
    },
  ],
};
const bulletins = [IDS.votantChiffre, IDS.votantChiffreAutre].map((voter) =>
  seal(scrutin, voter, [[0]]).cast(),
);

// As the service counts them: both voters are of one class, and the lines are in the order of receipts.
const voterOf = (id) =>
  hash(
    'sha256',
    Buffer.concat([
      Buffer.from('mandat/chiffre/1/votant'),
      ...[IDS.aDechiffrer, id].map((uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex')),
    ]),
    'buffer',
  );
const ballots = bulletins
  .map(({ VotantId, BulletinChiffre }) => ({
    ...{ bytes: bytesOf(BulletinChiffre), voter: voterOf(VotantId), classe: 1, weight: 10_000n },
  }))
  .toSorted((one, other) =>
    Buffer.compare(...[one, other].map(({ bytes }) => hash('sha256', bytes, 'buffer'))),
  );
const sums = new Sums(group, [2]);
for (const ballot of ballots) sums.add(ballotOf(ballotLine(ballot).trimEnd()));
const lines = [...sums.lines()].map(lineOf).join('');
const count = countOf(group, [2], lines, hash('sha256', ballots.map(ballotLine).join(''), 'buffer'));

const draft = guardianOf(IDS.chiffree);
draft.finish();

const examples = {
  gardien: GUARDIAN,
  premierFichier: draft.fichiers[0],
  ceremonies: { [IDS.chiffreeOuverte]: open.fichiers, [IDS.aDechiffrer]: ended.fichiers },
  bulletins,
  dechiffrement: ended.decrypt(count),
};
const text = `import type { FichierRecord } from '../domain/chiffrement.fields';

/** Guardian, files and ballots of the demonstration's encrypted votes. tools/encrypted-examples.mjs has written them. */
export const ENCRYPTED_EXAMPLES: {
  readonly gardien: string;
  readonly premierFichier: FichierRecord;
  /** The files of each ceremony that has ended, by campaign. */
  readonly ceremonies: Readonly<Record<string, readonly FichierRecord[]>>;
  readonly bulletins: readonly { readonly VotantId: string; readonly BulletinChiffre: string }[];
  readonly dechiffrement: FichierRecord;
} = ${JSON.stringify(examples)};
`;
writeFileSync(FILE, await format(text, { ...(await resolveConfig(FILE)), filepath: FILE }));
