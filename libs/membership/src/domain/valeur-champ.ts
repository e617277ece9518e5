import { parseDate } from '#shared/time/wire-date';
import type { TypeChamp } from './champ-utilisateur.fields';

/** A custom field as far as its values are concerned. */
export interface ChampDefinition {
  readonly nom: string;
  readonly type: TypeChamp;
  readonly obligatoire: boolean;
  /** External identifiers of the choices; empty for other types. */
  readonly choix: ReadonlySet<string>;
}

/** A value in the column of its field's type, the others null; or `removed`, where none is sent. */
export type Valeur =
  | { readonly removed: true }
  | {
      readonly removed: false;
      readonly texte: string | null;
      readonly date: Date | null;
      readonly booleen: boolean | null;
      readonly choix: string | null;
    };

const EMPTY = { removed: false, texte: null, date: null, booleen: null, choix: null } as const;

/**
 * Reads the text that V2 writes for a custom field (specification, "Custom-field value"; decisions, section 7).
 *
 * @param sent trimmed; null for an empty text
 * @returns the value, or a sentence that says what is wrong with it
 */
export function readValeur(champ: ChampDefinition, sent: string | null): Valeur | string {
  if (sent === null) {
    return champ.obligatoire ? 'must not be removed, since the field is mandatory' : { removed: true };
  }
  switch (champ.type) {
    case 'texte':
      return { ...EMPTY, texte: sent };
    case 'date': {
      const date = parseDate(sent);
      return date ? { ...EMPTY, date } : 'must be an ISO 8601 date-time with Z or an offset, or a date';
    }
    case 'booleen':
      return sent === 'true' || sent === 'false'
        ? { ...EMPTY, booleen: sent === 'true' }
        : 'must be true or false';
    case 'choix':
      return champ.choix.has(sent)
        ? { ...EMPTY, choix: sent }
        : 'must be the external identifier of a choice of the field';
  }
}
