import { type InputFault, invalidRequest } from '#shared/errors/domain-error';
import { weightOf } from '#shared/numbers/weight';
import { isAdopted } from './majorite';
import type { Majorite, PointRecord, ResultatRecord, TypeVote } from './point.fields';

/** A point as it is kept: every default filled in. */
export interface PointContent {
  readonly titre: string;
  readonly ordre: number;
  readonly votable: boolean;
  /** Null of a point without a vote, as is the majority. */
  readonly typeVote: TypeVote | null;
  readonly majorite: Majorite | null;
}

/** A result as it is kept: weights as exact decimal numbers. */
export interface ResultatContent {
  readonly pour: number;
  readonly contre: number;
  readonly abstentions: number;
  readonly poidsPour: string;
  readonly poidsContre: string;
  readonly poidsAbstentions: string;
}

/**
 * Fills in the defaults of a point.
 *
 * @throws DomainError `Requete.Invalide` for a vote's property of a point without a vote
 */
export function pointOf({ titre, ordre, votable, typeVote, majorite }: PointRecord): PointContent {
  if (votable) {
    return {
      ...{ titre, ordre, votable },
      typeVote: (typeVote ?? 'secret') as TypeVote,
      majorite: (majorite ?? 'simple') as Majorite,
    };
  }
  const faults = Object.entries({ typeVote, majorite }).flatMap(([name, value]): InputFault[] =>
    value == null ? [] : [{ pointer: `/${name}`, code: 'range', detail: 'is for a votable point only' }],
  );
  if (faults.length > 0) throw invalidRequest(faults);
  return { titre, ordre, votable, typeVote: null, majorite: null };
}

/** Each weight with the count that it is of. */
const WEIGHED = {
  poidsPour: 'pour',
  poidsContre: 'contre',
  poidsAbstentions: 'abstentions',
} as const;

/**
 * Fills in the weights of a result, each as its count where it is absent.
 *
 * @throws DomainError `Requete.Invalide` where votes weigh nothing, or no vote weighs something
 */
export function resultatOf(record: ResultatRecord): ResultatContent {
  const faults: InputFault[] = [];
  const poids = (name: keyof typeof WEIGHED): string => {
    const count = record[WEIGHED[name]];
    const sent = record[name] ?? String(count);
    if ((weightOf(sent) === 0n) !== (count === 0)) {
      const detail = `must be 0 if, and only if, ${WEIGHED[name]} is 0`;
      faults.push({ pointer: `/${name}`, code: 'range', detail });
    }
    return sent;
  };
  const { pour, contre, abstentions } = record;
  const content = {
    ...{ pour, contre, abstentions },
    poidsPour: poids('poidsPour'),
    poidsContre: poids('poidsContre'),
    poidsAbstentions: poids('poidsAbstentions'),
  };
  if (faults.length > 0) throw invalidRequest(faults);
  return content;
}

/** Whether the proposal has the majority that its point demands. */
export function verdictOf(majorite: Majorite, resultat: ResultatContent): boolean {
  return isAdopted(majorite, {
    pour: weightOf(resultat.poidsPour),
    contre: weightOf(resultat.poidsContre),
    abstentions: weightOf(resultat.poidsAbstentions),
  });
}
