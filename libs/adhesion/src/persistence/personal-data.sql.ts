import {
  IDENTITY,
  IS_IDENTITY,
  mergedId,
  type PersonalData,
  renamedReference,
  RENOMMAGES,
} from '#membership/relations';

const OF_CARDS = 'adhesion_id = ANY (:adhesions::uuid[])';
const SIGNATURES = `(${OF_CARDS} OR demande_id = ANY (:demandes::uuid[]))`;
const PNG = `'data:image/png;base64,' || replace(encode(png, 'base64'), E'\\n', '')`;

const identitiesIn = (table: string): string =>
  `SELECT ${IDENTITY} FROM ${table} WHERE tenant_id = :tenantId AND id_externe_employe = :employe`;

/** SQL of the ids of requests for which no employee was found. */
const unknown = (condition: string): string =>
  `SELECT id_unique FROM demande_adhesion WHERE tenant_id = :tenantId AND id_externe_employe IS NULL AND ${condition}`;

/** SQL of the cards and requests with a signature image. */
export const WITH_IMAGE = `SELECT coalesce(adhesion_id, demande_id) AS id FROM signature_manuscrite
  WHERE tenant_id = :tenantId AND ${SIGNATURES} ORDER BY id_unique`;

export const ADHESION_PERSONAL_DATA: PersonalData = {
  rows: [
    { section: 'paiements', table: 'paiement', where: OF_CARDS, audited: true, erased: 'removed' },
    {
      section: 'autorisationsPaiement',
      table: 'autorisation_paiement',
      where: OF_CARDS,
      audited: true,
      erased: 'removed',
    },
    {
      section: 'signatures',
      table: 'signature_manuscrite',
      where: SIGNATURES,
      shown: { png: PNG },
      order: ['id_unique'],
      erased: { with: 'adhesion' },
    },
    {
      section: 'consentementsDemandes',
      table: 'consentement_demande',
      where: 'demande_id = ANY (:demandes::uuid[])',
      order: ['demande_id', 'id_externe_objet'],
      erased: { with: 'demande_adhesion' },
    },
    {
      section: 'demandesAdhesion',
      table: 'demande_adhesion',
      // The rows are locked. A conciliation may have given one to another employee just before.
      where: `id_unique = ANY (:demandes::uuid[]) AND (id_externe_employe IS NULL OR id_externe_employe = :employe)`,
      erased: 'removed',
    },
    {
      section: 'adhesions',
      table: 'adhesion',
      where: 'id_unique = ANY (:adhesions::uuid[])',
      erased: 'removed',
    },
  ],
  identities: [
    ...['adhesion', 'demande_adhesion'].map(identitiesIn),
    // A request that was sent with an identifier may be another person's who mistyped it.
    `SELECT ${IDENTITY} FROM demande_adhesion WHERE tenant_id = :tenantId AND id_externe_employe IS NULL
       AND employe_id_externe_envoye IS NULL AND id_unique = ANY (:demandes::uuid[])`,
  ],
  ids: {
    adhesions: (lock) => `SELECT id_unique AS id FROM adhesion
      WHERE tenant_id = :tenantId AND id_externe_employe = :employe ORDER BY id_unique ${lock}`,
    // The last are requests that were deleted with the employee: events name them.
    demandes: (lock) => `SELECT id FROM (
        SELECT id_unique AS id FROM demande_adhesion
        WHERE tenant_id = :tenantId AND (id_externe_employe IS NULL OR id_externe_employe = :employe) AND id_unique = ANY (ARRAY(
          SELECT id_unique FROM demande_adhesion WHERE tenant_id = :tenantId AND id_externe_employe = :employe
          UNION ALL ${unknown('employe_id_externe_envoye = :idExterne')}
          UNION ALL ${unknown(IS_IDENTITY)}
          UNION ALL SELECT unnest(:demandes::uuid[])))
        ORDER BY id_unique ${lock}) d
      UNION ALL
      SELECT id FROM unnest(:demandes::uuid[]) id WHERE NOT EXISTS (
        SELECT FROM demande_adhesion d WHERE d.tenant_id = :tenantId AND d.id_unique = id)`,
  },
  identifiers: {
    ...renamedReference('adhesion', 'id_externe_employe'),
    ...renamedReference('demande_adhesion', 'id_externe_employe'),
    // A decision takes it for the employee's identifier.
    'demande_adhesion.employe_id_externe_envoye': {
      set: `UPDATE demande_adhesion d SET employe_id_externe_envoye = r.nouveau FROM ${RENOMMAGES} r
        WHERE d.tenant_id = :tenantId AND d.employe_id_externe_envoye = r.ancien`,
    },
  },
  mergedIds: { 'adhesion.employe_id_unique': mergedId('adhesion', 'employe_id_unique') },
  beforeErasure: [
    // Requests that a conciliation gave to another employee.
    `UPDATE demande_adhesion SET employe_id_externe_envoye = NULL
     WHERE tenant_id = :tenantId AND employe_id_externe_envoye = :idExterne AND id_externe_employe <> :idExterne`,
  ],
  notPersonal: { formulaire: 'forms', formulaire_champ: 'forms', formulaire_objet: 'forms' },
};
