import { describeDate, parseDate } from '#platform/input/wire-date';
import type { TypeChamp } from './champ-utilisateur.fields';
import { fr, type Text } from '#platform/errors/text';

/** A custom field as far as its values are concerned. */
export interface ChampDefinition {
  readonly nom: string;
  readonly type: TypeChamp;
  readonly obligatoire: boolean;
  /** Labels of the choices by their external identifiers; empty for other types. */
  readonly choix: ReadonlyMap<string, string>;
}

/** A value in the column of its field's type, the others null. */
export interface ValeurPresente {
  readonly removed: false;
  readonly texte: string | null;
  readonly date: Date | null;
  readonly booleen: boolean | null;
  readonly choix: string | null;
}

/** A value, or `removed` where none is sent. */
export type Valeur = { readonly removed: true } | ValeurPresente;

/** A sentence without subject that says what is wrong with a value. */
export interface WrongValeur {
  readonly fault: Text;
}

/** Choices that an error lists at most: their number, and characters of their identifiers. */
export const SHOWN_CHOICES = 20;
const SHOWN_CHOICES_LENGTH = 500;

const EMPTY = { removed: false, texte: null, date: null, booleen: null, choix: null } as const;

/**
 * Reads the text that V2 writes for a custom field (docs/contract.md, "Custom fields").
 *
 * @param sent trimmed; null for an empty text
 * @returns the value, or a sentence that says what is wrong with it
 */
export function readValeur(champ: ChampDefinition, sent: string | null): Valeur | WrongValeur {
  if (sent === null) {
    return champ.obligatoire ? { fault: NOT_REMOVABLE } : { removed: true };
  }
  switch (champ.type) {
    case 'texte':
      return { ...EMPTY, texte: sent };
    case 'date': {
      const date = parseDate(sent);
      return date ? { ...EMPTY, date } : { fault: describeDate(sent) };
    }
    case 'booleen':
      return sent === 'true' || sent === 'false'
        ? { ...EMPTY, booleen: sent === 'true' }
        : { fault: NO_BOOLEAN };
    case 'choix':
      return champ.choix.has(sent) ? { ...EMPTY, choix: sent } : { fault: noChoice(champ.choix) };
  }
}

const NOT_REMOVABLE: Text = {
  en: 'must not be removed, since the field is mandatory',
  fr: fr('ne doit pas être retiré, car le champ est obligatoire'),
};
const NO_BOOLEAN: Text = { en: 'must be true or false', fr: fr('doit être true ou false') };

function noChoice(choix: ChampDefinition['choix']): Text {
  const shown = shownChoices(choix);
  return {
    en: `must be the external identifier of a choice of the field: ${shown}`,
    fr: fr`doit être l'identifiant externe d'un choix du champ : ${shown}`,
  };
}

/** Returns the first choices of a field, in at most some hundred characters. */
function shownChoices(choix: ChampDefinition['choix']): string {
  const shown: string[] = [];
  let length = 0;
  for (const id of choix.keys()) {
    length += id.length;
    if (shown.length === SHOWN_CHOICES || length > SHOWN_CHOICES_LENGTH) return [...shown, '…'].join(', ');
    shown.push(id);
  }
  return shown.join(', ');
}

/** A value in the flat shape of V1: the columns of other types are null, and a choice is its label. */
export interface ValeurV1 {
  readonly nom: string;
  readonly valeurTexte: string | null;
  readonly valeurDate: string | null;
  readonly valeurBooleen: boolean | null;
  readonly valeurChoix: string | null;
}

/** A value in the polymorphic shape of V2: a choice is its external identifier. */
export type ValeurV2 =
  | { readonly type: 'texte' | 'date'; readonly nom: string; readonly valeur: string }
  | { readonly type: 'booleen'; readonly nom: string; readonly valeur: boolean }
  | { readonly type: 'choix'; readonly nom: string; readonly idExterneChoix: string };

export function valeurV1({ nom, choix }: ChampDefinition, valeur: ValeurPresente): ValeurV1 {
  return {
    nom,
    valeurTexte: valeur.texte,
    valeurDate: valeur.date?.toISOString() ?? null,
    valeurBooleen: valeur.booleen,
    valeurChoix: valeur.choix === null ? null : (choix.get(valeur.choix) ?? valeur.choix),
  };
}

export function valeurV2({ nom }: ChampDefinition, valeur: ValeurPresente): ValeurV2 {
  const { texte, date, booleen, choix } = valeur;
  if (texte !== null) return { type: 'texte', nom, valeur: texte };
  if (date !== null) return { type: 'date', nom, valeur: date.toISOString() };
  if (booleen !== null) return { type: 'booleen', nom, valeur: booleen };
  return { type: 'choix', nom, idExterneChoix: choix ?? '' };
}
