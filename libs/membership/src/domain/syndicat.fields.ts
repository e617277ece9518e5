import { capitalized, identifier, text } from '#platform/input/field';
import { EMPLOYEUR_FIELDS } from './employeur.fields';
import { READ_ONLY_FIELDS } from './read-only.fields';

/** A union of a V2 sync (docs/contract.md, "V2 sync"). */
export const SYNDICAT_V2_FIELDS = {
  IdentifiantExterne: identifier({
    required: true,
    description: 'Partner-defined identifier of the union; case-sensitive, never changes.',
    example: 'SYN-10',
  }),
  Nom: text(255, { required: true, description: 'Name of the union.', example: 'Syndicat des aciéristes' }),
  Employeurs: {
    kind: 'rows',
    description:
      'Employers of the union. Each is created or updated, and linked with the union; a link is never removed by leaving it out. An employer may be nested in several unions.',
  },
  ...READ_ONLY_FIELDS,
} as const;

/** An employer nested in a union of a V2 sync. */
export const EMPLOYEUR_V2_FIELDS = capitalized({
  identifiantExterne: EMPLOYEUR_FIELDS.idExterne,
  nom: EMPLOYEUR_FIELDS.nom,
});
