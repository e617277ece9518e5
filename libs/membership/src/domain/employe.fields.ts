import { identifier, type RecordOf, text } from '#platform/input/field';
import { READ_ONLY_FIELDS } from './read-only.fields';
import { fr } from '#platform/errors/text';

/** Identity of an employee. */
const IDENTITE_FIELDS = {
  prenom: text(255, { required: true, description: 'First name.', example: 'Marie-Ève' }),
  nom: text(255, { required: true, description: 'Last name.', example: "L'Écuyer" }),
  noMembre: text(255, { description: 'Member number.', example: 'M-204511' }),
  courriel: text(254, {
    format: 'email',
    description: 'E-mail address.',
    example: 'marie-eve.lecuyer@example.org',
  }),
} as const;

/** Contact data of an employee. */
const COORDONNEES_FIELDS = {
  telephonePrincipal: text(50, { description: 'Main telephone number.', example: '418 555-0142' }),
  adresse1: text(255, { description: 'Street address.', example: '125, rue Saint-Jean, app. 4' }),
  ville: text(255, { description: 'City.', example: 'Trois-Rivières' }),
  province: text(50, { description: 'Province code.', example: 'QC' }),
  codePostal: text(20, { description: 'Postal code.', example: 'G9A 1B2' }),
} as const;

/** The person: fields that V1 and V2 write in the same way and that a card stores as signed. */
export const PERSONNE_FIELDS = { ...IDENTITE_FIELDS, ...COORDONNEES_FIELDS } as const;

export type PersonneRecord = RecordOf<typeof PERSONNE_FIELDS>;

/** An employee as partners write it through V1 (docs/contract.md, "Employees"). */
export const EMPLOYE_FIELDS = {
  idExterne: identifier({
    required: true,
    description: 'Partner-defined identifier of the employee; case-sensitive, never changes.',
    example: 'E-1001',
  }),
  ...IDENTITE_FIELDS,
  identifiantExterneEmployeur: identifier({
    description:
      'External identifier of the employer, which must exist. If V2 keeps the employee’s employments, this is the employer of the most recent active one. Writing another employer begins the employment `V1`; writing none ends only the employment `V1`.',
    example: 'EMP-100',
  }),
  ...COORDONNEES_FIELDS,
  valeursChampUtilisateur: {
    kind: 'readOnly',
    isList: true,
    description: 'Values of custom fields, as V1 shows them; V2 writes them.',
    writeShape: {
      property: 'NomChamp',
      detail: {
        en: 'are read-only in V1; write custom values with V2 (`ValeursChampUtilisateur` of `POST /b2b/v2/sync` or `/b2b/v2/employe/upsert`)',
        fr: fr(
          'sont en lecture seule en V1; écrivez les valeurs des champs utilisateur avec la V2 (`ValeursChampUtilisateur` de `POST /b2b/v2/sync` ou de `/b2b/v2/employe/upsert`)',
        ),
      },
    },
  },
  ...READ_ONLY_FIELDS,
} as const;

export type EmployeRecord = RecordOf<typeof EMPLOYE_FIELDS>;
