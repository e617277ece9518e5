import { Findings, Malformed } from '../findings.js';
import { parsed } from '../json.js';
import { type Given } from '../log.js';
import { count, digest, holding, list, record, type Shape, text } from '../shapes.js';
import { decoded, sha256 } from '../bytes.js';
import { assertProven, readBallot } from './ballot.js';
import { base64url, properPoint, scalar } from './files.js';
import { equal, IDENTITY, plus, scalarOf, times, timesBase } from './group.js';
import { electionOf, type Voted, voterOf } from './structure.js';

const questionShape = holding({
  QuestionId: text,
  Titre: text,
  MinReponses: count,
  MaxReponses: count,
  Options: list(text),
  Libelles: list(text),
});

/** A question of `GET …/scrutin`, as the bundle has it. */
const question: Shape<Voted['questions'][number]> = (value, at) => {
  const { Options, Libelles, ...rest } = questionShape(value, at);
  if (Libelles.length !== Options.length)
    throw new Malformed(`${at}Libelles`, `${Options.length} labels`, `${Libelles.length}`);
  return { ...rest, Options: Options.map((OptionId, place) => ({ OptionId, Libelle: Libelles[place]! })) };
};

/** Members of `GET …/scrutin` to which a ballot is bound. */
const voteShape = holding({
  campagneId: text,
  seuilAnonymat: count,
  ceremonie: digest('base64url'),
  cle: properPoint,
  questions: list(question),
});
const openedShape = record({
  scrutin: voteShape,
  VotantId: text,
  bulletin: text,
  choix: list(list(count)),
  aleas: list(scalar),
});

/** The choices of an opened ballot, in words. */
export interface Opened {
  readonly findings: Findings;
  readonly campaign?: string;
  readonly voter?: string;
  /** To be compared with the receipt that the device showed before it knew that the ballot would be opened. */
  readonly receipt?: string;
  readonly choices: readonly { readonly title: string; readonly labels: readonly string[] }[];
}

/** Checks that an opened ballot encrypts the choices that it names, in the vote that was given if there is one. */
export function checkOpened(audit: Given, vote: Given | undefined): Opened {
  const findings = new Findings();
  const opened = findings.attempt(audit.name, () => openedShape(parsed(audit.bytes), ''));
  const given = vote && findings.attempt(vote.name, () => voteShape(parsed(vote.bytes), ''));
  if (!opened || (vote && !given)) return { findings, choices: [] };
  const { scrutin, VotantId, bulletin, choix, aleas } = opened;
  const file = audit.name;
  const election = findings.attempt(file, () => {
    return electionOf(scrutin, scrutin.ceremonie, scrutin.cle);
  });
  if (!election) return { findings, choices: [] };
  const { campaign, structure, ceremony, key: Y, questions } = election;
  if (given) {
    const compared = findings.begin();
    findings.attempt(vote.name, () => {
      const expected = electionOf(given, given.ceremonie, given.cle);
      const same = (name: string, one: Uint8Array, other: Uint8Array): void =>
        findings.same(file, name, base64url(one), base64url(other));
      same('scrutin: structure (S)', expected.structure, structure);
      same('scrutin.ceremonie', given.ceremonie, ceremony);
      same('scrutin.cle', given.cle, Y);
    });
    compared({
      en: `${file}: the ballot is one of the vote of ${vote.name}`,
      fr: `${file} : le bulletin est un bulletin du vote de ${vote.name}`,
    });
  }

  const checked = findings.begin();
  findings.attempt(file, () => {
    const bytes = decoded(bulletin, 'base64url');
    if (!bytes) throw new Malformed('bulletin', 'base64url', bulletin.slice(0, 60));
    const sealed = readBallot(bytes, questions);
    findings.same(file, 'number of choix', questions.length, choix.length);
    findings.same(file, 'number of aleas', sealed.slots.flat().length, aleas.length);
    let at = 0;
    for (const [place, slots] of sealed.slots.entries()) {
      const chosen = choix[place] ?? [];
      const wrong = chosen.find(
        (option, index) => option >= slots.length - 1 || chosen.indexOf(option) < index,
      );
      if (wrong !== undefined)
        throw new Malformed(`choix[${place}]`, `places from 0 to ${slots.length - 2}, each once`, `${wrong}`);
      for (const [slot, { alpha, beta }] of slots.entries()) {
        const r = aleas[at++] ?? scalarOf(0);
        const isSet = slot === 0 ? chosen.length === 0 : chosen.includes(slot - 1);
        const plain = isSet ? timesBase(scalarOf(1)) : IDENTITY;
        if (!equal(timesBase(r), alpha) || !equal(plus(plain, times(r, Y)), beta))
          findings.differs(
            file,
            `ciphertext of questions[${place}], ${slot === 0 ? 'abstention' : `option ${slot - 1}`}`,
            isSet ? 'chosen' : 'not chosen',
            'another value, or of another aleas',
          );
      }
    }
    assertProven(sealed, Buffer.from(voterOf(campaign, VotantId), 'base64url'), election);
  });
  checked({
    en: `${file}: the ciphertexts are those of the choices, and all proofs hold for voter ${VotantId}`,
    fr: `${file} : les textes chiffrés sont ceux des choix, et toutes les preuves valent pour l’électeur ${VotantId}`,
  });
  return {
    ...{ findings, campaign: scrutin.campagneId, voter: VotantId },
    receipt: base64url(sha256(Buffer.from(bulletin, 'base64url'))),
    choices: (given ?? scrutin).questions.map(({ Titre, Options }, place) => ({
      title: Titre,
      labels: (choix[place] ?? []).map((one) => Options[one]?.Libelle ?? `${one}`),
    })),
  };
}
