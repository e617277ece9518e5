import { QUESTION } from '../../domain/voting.errors';
import { DomainError, type InputFault, invalidRequest } from '#platform/errors/domain-error';
import type { NestedOptionRecord, QuestionRecord } from './question.fields';
import { fr, type Text } from '#platform/errors/text';

/** A question as it is kept: every default filled in. `maxReponses` is null where all options may be ranked. */
export type QuestionContent = Readonly<ReturnType<typeof contentOf>>;

/** Default options of a Proposition. */
const POUR_CONTRE: readonly NestedOptionRecord[] = [{ Libelle: 'Pour' }, { Libelle: 'Contre' }];

/**
 * Fills in the defaults of a question and checks what its properties say together (docs/contract.md, "Questions and
 * options").
 *
 * @throws DomainError `Question.PreferentielNonSupporte`, `Requete.Invalide`
 */
export function contentOf(record: QuestionRecord) {
  const type = record.Type;
  const estPreferentiel = record.EstPreferentiel ?? false;
  if (estPreferentiel && type === 'Proposition') {
    const detail = {
      en: 'A Proposition cannot be ranked: set EstPreferentiel to false, or choose another type.',
      fr: fr(
        'Une Proposition ne peut pas être préférentielle : mettez EstPreferentiel à false, ou choisissez un autre type.',
      ),
    };
    throw new DomainError(QUESTION.PreferentielNonSupporte, detail);
  }
  const nombreElus = type === 'Election' ? (record.NombreElus ?? 1) : null;
  const minReponses = record.MinReponses ?? 1;
  const most = estPreferentiel ? null : (nombreElus ?? 1);
  const maxReponses = record.MaxReponses ?? (most === null ? null : Math.max(most, minReponses));
  const faults: InputFault[] = [];
  const fault = (name: string, detail: Text): void => {
    faults.push({ pointer: `/${name}`, code: 'range', detail });
  };
  if (type !== 'Election' && record.NombreElus != null) fault('NombreElus', ELECTION_ONLY);
  if (maxReponses !== null && maxReponses < minReponses) fault('MaxReponses', BELOW_MIN);
  if (type === 'Proposition' && (maxReponses ?? 1) > 1) {
    const name = minReponses > 1 ? 'MinReponses' : 'MaxReponses';
    fault(name, ONE_ANSWER);
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return {
    titre: record.Titre,
    description: record.Description ?? null,
    type,
    estPreferentiel,
    ordreReponsesAleatoire: record.OrdreReponsesAleatoire ?? 0,
    minReponses,
    maxReponses,
    nombreElus,
  };
}

const ELECTION_ONLY: Text = {
  en: 'is for the type Election only',
  fr: fr('sert au type Election seulement'),
};
const BELOW_MIN: Text = {
  en: 'must not be below MinReponses',
  fr: fr('ne doit pas être inférieur à MinReponses'),
};
const ONE_ANSWER: Text = {
  en: 'must be 1: a Proposition has one answer',
  fr: fr('doit être 1 : une Proposition a une seule réponse'),
};

/**
 * The options that a question is to have, in their order: by `Ordre` where it is given, else by their place in the list.
 */
export function optionsOf({ Type, Options }: QuestionRecord): readonly NestedOptionRecord[] {
  if (Type === 'Proposition' && !Options?.length) return POUR_CONTRE;
  return (Options ?? [])
    .map((option, index) => ({ option, place: option.Ordre ?? index + 1 }))
    .sort((one, other) => one.place - other.place)
    .map(({ option }) => option);
}

/** The list with one of its elements at a place, from 1; at the end where the list is shorter. */
export function moved(ids: readonly string[], id: string, place: number): string[] {
  const others = ids.filter((other) => other !== id);
  return others.toSpliced(Math.min(place - 1, others.length), 0, id);
}
