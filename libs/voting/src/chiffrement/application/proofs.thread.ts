import { checker, randomScalar, sealWith } from '@mandat/ballot/check';
import {
  ballotOf,
  canonical,
  type Ceremony,
  type CeremonyDocument,
  ceremonyOf,
  checkDecryption,
  combine,
  countOf,
  type Decryption,
  decryptionOf,
  type Fault,
  type Group,
  libsodium,
  lineOf,
  type QuestionResult,
  Sums,
  weightOf,
  weightText,
} from '@mandat/ballot/guardians';
import { createHash, type Hash } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { DecryptedSum, SealedScrutin } from '../persistence/chiffrement.repository';
import type { CeremonyState, CheckedFile, Decryptions, ProofMessage } from './proofs.service';

// Requests and probes come first where all cores are busy. Linux gives each thread a priority, other systems the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

type Points = Group<Uint8Array>;

/** The last vote whose ballots were checked, prepared. */
let prepared: { readonly key: string; readonly checker: ReturnType<typeof checker> } | undefined;

/** Ballots that are being added. */
let adding: { readonly sums: Sums<Uint8Array>; readonly digest: Hash } | undefined;

const group = libsodium();

parentPort!.on('message', (message: ProofMessage) => {
  void group.then((points) => {
    const answer = answerOf(points, message);
    if (message.kind !== 'bulletins') parentPort!.postMessage(answer);
  });
});

function answerOf(points: Points, message: ProofMessage): unknown {
  switch (message.kind) {
    case 'bulletin': {
      const found = checkerOf(points, message.scrutin).check(message.votantId, message.bulletin);
      return found?.check;
    }
    case 'scellement': {
      const { scrutin, votantId, choix } = message;
      return sealWith(points, () => randomScalar(), scrutin, votantId, choix).cast().BulletinChiffre;
    }
    case 'ceremonie':
      return message.fichier
        ? checkedFile(points, message.ceremony, message.fichier)
        : stateOf(points, message.ceremony);
    case 'bulletins':
      return add(points, message.scrutin, message.lignes);
    case 'sommes':
      return added(points, message.scrutin);
    case 'dechiffrement': {
      const { ceremony, count } = read(points, message.of);
      return checked(checkDecryption(ceremony, count, message.fichier), message.fichier);
    }
    case 'resultat': {
      const { ceremony, count } = read(points, message.of);
      const decryptions = message.fichiers.map(
        (file) => decryptionOf(ceremony, count, file) as Decryption<Uint8Array>,
      );
      return combine(ceremony, count, decryptions).flatMap((results) => results.flatMap(sumsOf));
    }
  }
}

function checkerOf(points: Points, scrutin: SealedScrutin): ReturnType<typeof checker> {
  const key = `${scrutin.ceremonie} ${scrutin.publications}`;
  if (prepared?.key !== key) prepared = { key, checker: checker(points, scrutin) };
  return prepared.checker;
}

const parsed = (document: CeremonyDocument | Decryptions['ceremony']): CeremonyDocument =>
  document as CeremonyDocument;

function ceremony(points: Points, document: Decryptions['ceremony']): Ceremony<Uint8Array> {
  const found = ceremonyOf(points, parsed(document));
  // The files were checked before they were kept.
  if ('nom' in found) throw new Error(`A file of the ceremony of ${document.campagneId} fails ${found.nom}.`);
  return found;
}

function stateOf(points: Points, document: Decryptions['ceremony']): CeremonyState {
  const found = ceremony(points, document);
  const { round, awaited, failure } = found;
  if (failure) return { tour: 4, attendus: [], fautif: failure.gardien };
  if (round !== undefined) return { tour: round, attendus: awaited };
  return { tour: 4, attendus: [], cle: found.key, ceremonie: found.digest(3) };
}

function checkedFile(points: Points, document: Decryptions['ceremony'], file: object): CheckedFile {
  return checked(ceremony(points, document).take(file), file);
}

function checked(fault: Fault | undefined, file: object): CheckedFile {
  return fault ? { fault: { check: fault.nom, guardian: fault.gardien } } : { contenu: canonical(file) };
}

const optionsOf = ({ questions }: SealedScrutin): number[] => questions.map(({ Options }) => Options.length);

function add(points: Points, scrutin: SealedScrutin, lignes: readonly string[]): void {
  adding ??= { sums: new Sums(points, optionsOf(scrutin)), digest: createHash('sha256') };
  for (const ligne of lignes) {
    adding.digest.update(`${ligne}\n`);
    const ballot = ballotOf(ligne);
    if (!ballot || !adding.sums.add(ballot)) throw new Error('A ballot in the box has no points.');
  }
}

function added(points: Points, scrutin: SealedScrutin): { lignes: string[]; bulletins: Uint8Array } {
  add(points, scrutin, []);
  const { sums, digest } = adding!;
  adding = undefined;
  return { lignes: [...sums.lines()].map((line) => lineOf(line).trimEnd()), bulletins: digest.digest() };
}

function read(points: Points, of: Decryptions) {
  const lines = of.sommes.map((ligne) => `${ligne}\n`).join('');
  const count = countOf(points, of.options, lines, of.bulletins);
  if (!count) throw new Error(`The sums of ${of.ceremony.campagneId} cannot be read.`);
  return { ceremony: ceremony(points, of.ceremony), count };
}

/** The sums of a class and question, as `urne_dechiffrer` takes them. */
function sumsOf(result: QuestionResult, question: number): DecryptedSum[] {
  const { classe, bulletins, abstentions, options, poids, poidsAbstentions, total } = result;
  const expressed = weightText(weightOf(total)! - weightOf(poidsAbstentions)!);
  return [
    { classe, question, reponse: '', bulletins: abstentions, poids: poidsAbstentions },
    { classe, question, reponse: '=', bulletins: bulletins - abstentions, poids: expressed },
    ...options.map((votes, place) => ({
      classe,
      question,
      reponse: `=${place}`,
      bulletins: votes,
      poids: poids[place]!,
    })),
  ].filter((sum) => sum.bulletins > 0);
}
