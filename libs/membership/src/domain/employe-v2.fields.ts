import { capitalized, identifier, readOnlyOf, type RecordOf, text } from '#platform/input/field';
import { EMPLOYE_FIELDS, PERSONNE_FIELDS } from './employe.fields';
import { fr } from '#platform/errors/text';

/** Maximum length of each list in one employee. */
const MOST_NESTED = 1_000;

/**
 * Maximum size of an employee's employments, memberships and custom values together, in bytes of JSON. They are read whole.
 */
export const MOST_NESTED_BYTES = 1_048_576;

/** Maximum number of memberships that signings may give an employee. */
export const MOST_MEMBERSHIPS = 1_000;

/** An employment of a V2 employee (docs/contract.md, "V2 sync"). */
export const EMPLOI_FIELDS = {
  IdentifiantExterne: identifier({
    required: true,
    description: 'Partner-defined identifier of the employment, unique for its employee.',
    example: 'EMPLOI-1',
  }),
  IdentifiantExterneEmployeur: identifier({
    required: true,
    description: 'External identifier of the employer, which must exist.',
    example: 'EMP-100',
  }),
  Matricule: text(255, {
    required: true,
    description: 'Employee number at the employer.',
    example: '20451',
  }),
  DateDebut: {
    kind: 'date',
    description: 'Start; null if unknown. Absent: the stored one stays.',
    example: '2020-03-01T00:00:00Z',
  },
  DateFin: {
    kind: 'date',
    description:
      'End: the employment is over from this day on; null means ongoing. Absent: a stored end that lies ahead stays, and one that has passed goes. An end before the start is an error of the record.',
    example: '2027-03-01T00:00:00Z',
  },
  Actif: readOnlyOf('boolean', 'Whether it is active on the current day.', true),
} as const;

/** A membership of a V2 employee in a union. */
export const MEMBERSHIP_FIELDS = {
  SyndicatIdExterne: identifier({
    required: true,
    description: 'External identifier of the union, which must exist.',
    example: 'SYN-10',
  }),
  DateAdhesion: {
    kind: 'date',
    required: true,
    description: 'Since when the employee is a member.',
    example: '2021-05-01T00:00:00Z',
  },
  DateFin: {
    kind: 'date',
    description:
      'End: the membership is over from this day on; null means ongoing. Absent: a stored end that lies ahead stays, and one that has passed goes. An end before `DateAdhesion` is an error of the record.',
    example: '2027-05-01T00:00:00Z',
  },
} as const;

/** Filters of the search for employments, combined with AND. */
export const EMPLOI_FILTERS = {
  idExterneEmploye: {
    ...EMPLOYE_FIELDS.idExterne,
    required: false,
    description: 'Employments of this employee.',
    renames: ['idExterne', 'employeIdExterne'],
  },
  identifiantExterneEmployeur: {
    ...EMPLOI_FIELDS.IdentifiantExterneEmployeur,
    required: false,
    description: 'Employments at this employer.',
    renames: ['employeurIdentifiantExterne', 'idExterneEmployeur'],
  },
  idExterneSyndicat: {
    ...MEMBERSHIP_FIELDS.SyndicatIdExterne,
    required: false,
    description: 'Employments at employers of this union.',
    renames: ['syndicatIdExterne'],
  },
  matricule: { ...EMPLOI_FIELDS.Matricule, required: false, description: 'Employments with this number.' },
  actifLe: {
    kind: 'date',
    description:
      'Employments that are active on this day. A date-time stands for its day in the client’s time zone.',
    example: '2026-01-31T00:00:00Z',
  },
} as const;

/** A custom-field value as V2 writes it (docs/contract.md, "Custom fields"). */
export const VALEUR_FIELDS = {
  NomChamp: identifier({
    required: true,
    description: 'Name of the custom field, which must exist.',
    example: 'Quart de travail',
  }),
  Valeur: text(10_000, {
    description:
      'The value as text: a date in ISO 8601, `true` or `false`, a choice by its external identifier. Empty or null removes the value.',
    asText: {
      en: '"true" or "false" for a boolean, AAAA-MM-JJ or a date-time for a date, a choice by its external identifier',
      fr: fr(
        '"true" ou "false" pour un booléen, AAAA-MM-JJ ou une date et heure pour une date, un choix par son identifiant externe',
      ),
    },
    example: 'NUIT',
  }),
} as const;

/** An employee of a V2 sync. */
export const EMPLOYE_V2_FIELDS = {
  IdExterne: EMPLOYE_FIELDS.idExterne,
  ...capitalized(PERSONNE_FIELDS),
  ValeursChampUtilisateur: {
    kind: 'rows',
    max: MOST_NESTED,
    description:
      'Values of custom fields; values of fields that are left out stay. An invalid value is an error of the employee.',
  },
  Emplois: {
    kind: 'rows',
    max: MOST_NESTED,
    description:
      'Employments. Empty, null or absent leaves the stored ones as they are. Otherwise a stored employment that is left out is deactivated: its `DateFin` becomes the current day. An employment that is sent again without `DateFin` is active again.',
  },
  Adhesions: {
    kind: 'rows',
    max: MOST_NESTED,
    description: 'Memberships; a membership that is left out stays.',
  },
  idUnique: EMPLOYE_FIELDS.idUnique,
  derniereMAJ: EMPLOYE_FIELDS.derniereMAJ,
  dateCreation: EMPLOYE_FIELDS.dateCreation,
} as const;

export type EmploiFilter = RecordOf<typeof EMPLOI_FILTERS>;
export type ValeurRecord = RecordOf<typeof VALEUR_FIELDS>;
