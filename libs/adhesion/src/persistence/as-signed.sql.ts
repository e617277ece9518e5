import { PERSONNE_FIELDS } from '#membership/vocabulary';
import { namesOf, snakeCase } from '#platform/input/field';
import type { AsSigned } from '../domain/as-signed';

/** The properties that cards and requests share; the columns have their names in snake_case. */
const PROPERTIES = [
  ...namesOf(PERSONNE_FIELDS),
  'syndicatIdExterne',
  'dateSignature',
  'transactionId',
  'aSignatureManuscrite',
  'formulaireId',
  'valeursChamp',
] as const satisfies (keyof AsSigned)[];

/**
 * Returns a statement that inserts the signed data and returns the row's `id`.
 *
 * @param others further columns of the table with their values
 */
export function insertSigned(
  table: 'adhesion' | 'demande_adhesion',
  signed: AsSigned,
  others: Readonly<Record<string, unknown>>,
): { text: string; values: unknown[] } {
  const columns = [...PROPERTIES.map(snakeCase), ...Object.keys(others)];
  const values = [
    ...PROPERTIES.map((property) =>
      property === 'valeursChamp' ? JSON.stringify(signed.valeursChamp) : (signed[property] ?? null),
    ),
    ...Object.values(others),
  ];
  const places = values.map((_, index) => `$${index + 1}`);
  return {
    text: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')}) RETURNING id_unique AS id`,
    values,
  };
}
