import { ADHESION_PERSONAL_DATA } from '#adhesion/relations';
import { CONSENT_PERSONAL_DATA } from '#consent/relations';
import { MEMBERSHIP_PERSONAL_DATA, type PersonalData } from '#membership/relations';
import { MESSAGING_PERSONAL_DATA } from '#messaging/relations';
import { SYNC_PERSONAL_DATA } from '#sync/relations';
import { VOTING_PERSONAL_DATA } from '#voting/relations';
import { WEBHOOKS_PERSONAL_DATA } from '#webhooks/relations';

const HAS_ID = 'EXISTS (SELECT FROM unnest(:ids::text[]) known WHERE position(known IN headers::text) > 0)';
const HAS_IDENTIFIER = `(position(:idExterne IN idempotency_key) > 0 OR position(:idUrl IN idempotency_key) > 0
  OR position('/' || :idUrl || '"' IN headers::text) > 0)`;

/** Tables of the platform, which knows no person, and of contexts without personal data. */
const IDEMPOTENCY: PersonalData = {
  // Recorded responses are encrypted, but a repeated request would still return them.
  rows: [{ where: HAS_ID }, { where: `${HAS_IDENTIFIER} AND NOT ${HAS_ID}`, named: 'date_creation' }].map(
    (rows) => ({
      ...{ section: 'reponsesEnregistrees', table: 'idempotency_record', ...rows },
      shown: { fingerprint: 'NULL', sealed_body: 'NULL' },
      order: ['date_creation', 'idempotency_key'],
      erased: 'removed',
    }),
  ),
  notPersonal: {},
};

const NOTES: PersonalData = {
  rows: [
    {
      section: 'anciensEmployes',
      table: 'ancien_employe',
      where: 'id_unique = ANY (:anciens::uuid[])',
      erased: 'removed',
    },
  ],
  identifiers: {
    'ancien_employe.id_externe': {
      kept: 'a note is about an employee who was deleted under this identifier',
    },
  },
  notPersonal: {},
};

const AUDITED = [ADHESION_PERSONAL_DATA, CONSENT_PERSONAL_DATA]
  .flatMap(({ rows }) => rows.filter(({ audited }) => audited))
  .map(({ table, where }) => `SELECT id_unique FROM ${table} WHERE tenant_id = :tenantId AND ${where}`);

/** SQL of the number of the last entry. */
export const LAST_ENTRY = `SELECT coalesce(max(numero), 0) AS numero FROM journal WHERE tenant_id = :tenantId`;

const AUDIT: PersonalData = {
  rows: [
    {
      section: 'journal',
      table: 'journal',
      // Entries of before the chain have no number. Those of the export itself are left out.
      where: `objet_id = ANY (:ids::uuid[] || ARRAY(${AUDITED.join(' UNION ALL ')})) AND coalesce(numero, 0) <= :numero`,
      shown: { empreinte: `encode(empreinte, 'hex')` },
      erased: { kept: 'ids only, which match no person after the erasure; a deletion would break the chain' },
    },
  ],
  notPersonal: { journal_tete: 'the end of the chain' },
};

const WITHOUT_PERSONS: PersonalData = {
  rows: [],
  notPersonal: {
    espace_ferme: 'data spaces that this cell does not write',
    horloge_essai: 'clocks of rehearsals',
    panne_essai: 'failures that a partner has asked for',
    point_seance: 'agendas and totals of votes',
    reglage: 'settings',
    seance: 'meetings, with counts of persons',
  },
};

/**
 * The personal data of all contexts, in the order of their erasure: rows that reference an employee before the employee.
 * A test fails if a table is in none of these lists.
 */
export const PERSONAL_DATA: readonly PersonalData[] = [
  WEBHOOKS_PERSONAL_DATA,
  ADHESION_PERSONAL_DATA,
  IDEMPOTENCY,
  VOTING_PERSONAL_DATA,
  SYNC_PERSONAL_DATA,
  CONSENT_PERSONAL_DATA,
  MEMBERSHIP_PERSONAL_DATA,
  NOTES,
  MESSAGING_PERSONAL_DATA,
  AUDIT,
  WITHOUT_PERSONS,
];

/** The order of a renaming: employees first, and voters last, because who votes meanwhile waits for the commit. */
export const RENAMING_ORDER: readonly PersonalData[] = [
  ...PERSONAL_DATA.filter((data) => data !== VOTING_PERSONAL_DATA).toReversed(),
  VOTING_PERSONAL_DATA,
];
