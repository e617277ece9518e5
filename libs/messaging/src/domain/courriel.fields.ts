import { type RecordOf, text } from '#platform/input/field';
import { CIBLES, ETATS_DESTINATAIRE, type EtatDestinataire } from './courriel.types';

/** Maximum employees of one email: with identifiers of their usual length, they fit into a request body. */
export const MOST_NAMED = 10_000;

/** Recipients of an email: employees by their identifiers, or voters of a campaign (docs/contract.md, "E-mail"). */
export const DESTINATAIRES_FIELDS = {
  idExternes: {
    kind: 'texts',
    max: MOST_NAMED,
    length: 255,
    mayRepeat: true,
    description:
      'External identifiers of employees, 1 to 10,000. An employee named twice gets one email. Each must exist.',
    example: ['E-1001', 'E-1002'],
  },
  campagneId: text(36, {
    format: 'uuid',
    description: 'A campaign (GUID), instead of `idExternes`. Requires the module `vote`.',
  }),
  cible: {
    kind: 'choice',
    values: CIBLES,
    description:
      'With `campagneId`: all voters (`tous`), voters who may vote and have not voted at the time of this request (`nonVotants`), or those of them whom no email of the campaign has reached (`nonJoints`): each was `Refuse`, `Rejete`, `SansAdresse` or `Retenu`, or there was none. Emails are kept for 30 days, and older ones do not count.',
  },
} as const;

/** An email. */
export const COURRIEL_FIELDS = {
  destinataires: {
    kind: 'record',
    of: DESTINATAIRES_FIELDS,
    required: true,
    description: 'The recipients: either `idExternes`, or `campagneId` with `cible`.',
  },
  sujet: text(255, {
    required: true,
    description: 'The subject, on one line.',
    example: 'Assemblée générale du 12 mars',
  }),
  corpsHtml: text(200_000, {
    required: true,
    format: 'html',
    description:
      'The email as HTML, sent with a plain-text version made from it. The service cleans it before it stores and sends it. It keeps text, headings, lists, tables and images; links to https and mailto; images from https; the attributes of tables that mail programs need; inline styles of text, boxes and tables, with the functions rgb and hsl only. It removes scripts, forms and their fields, event handlers, frames, style elements, classes, ids, comments and all other addresses: http, relative, javascript and data. An email is rejected if nothing visible is left of it, if it has more than 20,000 tags or 100 levels, or more than 200,000 characters after cleaning.',
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
