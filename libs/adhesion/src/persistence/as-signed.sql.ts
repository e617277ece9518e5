import type { AsSigned } from '../domain/as-signed';

/** The columns that cards and requests share, by their properties. */
const COLUMNS: Readonly<Record<keyof AsSigned, string>> = {
  syndicatIdExterne: 'syndicat_id_externe',
  prenom: 'prenom',
  nom: 'nom',
  courriel: 'courriel',
  telephonePrincipal: 'telephone_principal',
  adresse1: 'adresse1',
  ville: 'ville',
  province: 'province',
  codePostal: 'code_postal',
  noMembre: 'no_membre',
  dateSignature: 'date_signature',
  transactionId: 'transaction_id',
  aSignatureManuscrite: 'a_signature_manuscrite',
  formulaireId: 'formulaire_id',
  valeursChamp: 'valeurs_champ',
};
const PROPERTIES = Object.keys(COLUMNS) as (keyof AsSigned)[];

/**
 * A statement that adds a row of what was signed and answers its `id`.
 *
 * @param others further columns of the table with their values
 */
export function insertSigned(
  table: 'adhesion' | 'demande_adhesion',
  signed: AsSigned,
  others: Readonly<Record<string, unknown>>,
): { text: string; values: unknown[] } {
  const columns = [...PROPERTIES.map((property) => COLUMNS[property]), ...Object.keys(others)];
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
