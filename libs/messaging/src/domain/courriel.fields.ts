import { type RecordOf, text } from '#platform/input/field';
import { CIBLES, ETATS_DESTINATAIRE, type EtatDestinataire } from './courriel.types';

/** Employees that one letter names: with identifiers of their usual length, what fits into a body. */
export const MOST_NAMED = 10_000;

/** Whom a letter goes to: employees by their identifiers, or voters of a campaign (docs/contract.md, "E-mail"). */
export const DESTINATAIRES_FIELDS = {
  idExternes: {
    kind: 'texts',
    max: MOST_NAMED,
    length: 255,
    mayRepeat: true,
    description:
      'External identifiers of employees, 1 to 10,000. Who is named twice is written to once. Each must be known.',
    example: ['E-1001', 'E-1002'],
  },
  campagneId: text(36, {
    format: 'uuid',
    description: 'A campaign (GUID), in the place of `idExternes`. Needs the module `vote`.',
  }),
  cible: {
    kind: 'choice',
    values: CIBLES,
    description:
      'With `campagneId`: all voters (`tous`), or those who have the right to vote and have not voted at the moment of this request (`nonVotants`).',
  },
} as const;

/** A letter by e-mail. */
export const COURRIEL_FIELDS = {
  destinataires: {
    kind: 'record',
    of: DESTINATAIRES_FIELDS,
    required: true,
    description: 'Whom it goes to: either `idExternes`, or `campagneId` with `cible`.',
  },
  sujet: text(255, {
    required: true,
    description: 'The subject, in one line.',
    example: 'Assemblée générale du 12 mars',
  }),
  corpsHtml: text(200_000, {
    required: true,
    description:
      'The letter as HTML, sent beside a version in plain text that is made from it. It is cleaned before it is stored and sent. Kept are text, headings, lists, tables and images; links to https and mailto; images from https; the attributes of tables that mail programs need; inline styles of text, boxes and tables, without functions other than rgb and hsl. Removed are scripts, forms and their fields, event handlers, frames, style elements, classes, ids, comments and all other addresses: http, relative, javascript and data. A letter is refused if nothing to be seen is left of it, if it has more than 20,000 tags, or more than 200,000 characters once cleaned.',
    example: '<p>L’assemblée générale aura lieu le <b>12 mars</b> à 19 h.</p>',
  }),
} as const;

export type CourrielRecord = RecordOf<typeof COURRIEL_FIELDS>;

/** Filter of the list of recipients. */
export const DESTINATAIRE_FILTER_FIELDS = {
  etat: {
    kind: 'choice',
    values: ETATS_DESTINATAIRE satisfies EtatDestinataire[],
    description: 'Only recipients in this state.',
    example: 'Refuse',
  },
} as const;
