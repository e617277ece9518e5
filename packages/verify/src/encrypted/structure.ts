import { sha256 } from '../bytes.js';
import { canonical } from '../json.js';
import { base64url, identifier } from './files.js';
import { type Point } from './group.js';

/** Number of options of a question, and the least and most that a ballot may choose. */
export interface Allowed {
  readonly options: number;
  readonly least: number;
  readonly most: number;
}

/** The parts of scrutin.json that make the structure of a ballot. */
export interface Voted {
  readonly campagneId: string;
  readonly seuilAnonymat: number;
  readonly questions: readonly {
    readonly QuestionId: string;
    readonly Titre: string;
    readonly MinReponses: number;
    readonly MaxReponses: number;
    readonly Options: readonly { readonly OptionId: string; readonly Libelle: string }[];
  }[];
}

/** The values that bind the proofs of a ballot, except the voter. */
export interface Election {
  readonly campaign: Uint8Array;
  /** Z */
  readonly ceremony: Uint8Array;
  /** Y */
  readonly key: Point;
  /** S */
  readonly structure: Uint8Array;
  readonly questions: readonly Allowed[];
}

export function electionOf(vote: Voted, ceremony: Uint8Array, key: Point): Election {
  const questions = vote.questions.map(({ MinReponses, MaxReponses, Options }) => ({
    options: Options.length,
    least: Math.max(1, MinReponses),
    most: Math.min(Options.length, MaxReponses),
  }));
  const structure = canonical({
    campagneId: vote.campagneId.toLowerCase(),
    questions: vote.questions.map(({ QuestionId, Titre, Options }, place) => ({
      Libelles: Options.map(({ Libelle }) => Libelle),
      MaxReponses: questions[place]!.most,
      MinReponses: questions[place]!.least,
      Options: Options.map(({ OptionId }) => OptionId.toLowerCase()),
      QuestionId: QuestionId.toLowerCase(),
      Titre,
    })),
    seuilAnonymat: vote.seuilAnonymat,
  });
  return {
    campaign: identifier(vote.campagneId, 'campagneId'),
    ceremony,
    key,
    structure: sha256(Buffer.from(structure)),
    questions,
  };
}

/** V, in base64url. */
export const voterOf = (campaign: Uint8Array, voter: string): string =>
  base64url(sha256(Buffer.from('mandat/chiffre/1/votant'), campaign, identifier(voter, 'VotantId')));
