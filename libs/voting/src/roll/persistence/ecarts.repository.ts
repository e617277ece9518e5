import { Injectable } from '@nestjs/common';
import { EMPLOYES, TODAY } from '#membership/relations';
import { FRESH_PLANS } from '#platform/database/fresh-plans.sql';
import { jsonList, jsonObject, type Page } from '#platform/database/json-items';
import { linesOf, TouchedIds } from '#platform/database/touched-ids';
import { Transactions } from '#platform/database/transactions';
import type { Nature } from '../domain/ecart.fields';
import type { RollChange } from '../../campagne/persistence/campagne.repository';
import { ListeElectoraleRepository } from './liste-electorale.repository';
import { CANDIDATES, MATCHING, matchingAmong } from './matching.sql';
import { VOTERS_AT_ONCE } from './votants.bulk';

/** Properties of a voter that a list gives, each with its columns on the roll and among the expected voters. */
const PROPERTIES = {
  Prenom: ['prenom', 'prenom'],
  Nom: ['nom', 'nom'],
  Courriel: ['courriel', 'courriel'],
  SyndicatIdExterne: ['syndicat_id_externe', 'syndicat_id_externe'],
  EmployeurIdentifiantExterne: ['employeur_identifiant_externe', 'identifiant_externe_employeur'],
  Poids: ['poids', 'poids'],
} as const;

const PAIRS = Object.entries(PROPERTIES);
const COLUMNS = PAIRS.map(([, [column]]) => column).join(', ');
const ON_ROLL = PAIRS.map(([, [column]]) => `v.${column}`).join(', ');
const EXPECTED = PAIRS.map(([, [, expected]]) => `a.${expected}`).join(', ');

/** A part of a long response ends with the difference that makes it this long, in bytes. Each part compares again. */
export const PART_BYTES = 4_194_304;

/** Most pairs of a criterion and an employee that one statement looks at: it then needs less than 200 MB of memory. */
const PAIRS_AT_ONCE = 400_000;

/** Memory of each sort and hash table of a comparison. `comparisons` bounds how many there are at once. */
const WORK_MEM_MB = 32;

/** Number of criteria up to which their pairs need not be counted: there is one of each and an employee at most. */
const FEW_CRITERIA = 4;

/** Employees that are compared by one statement, in the order of their creation: those after an id and up to another one. */
export interface Range {
  readonly after: string | null;
  readonly upTo: string | null;
}

/** SQL of the names of a criterion. It makes equal sets of names equal. */
const sorted = (names: string): string =>
  `CASE WHEN ${names} IS NOT NULL THEN ARRAY(SELECT DISTINCT unnest(${names}) ORDER BY 1) END AS ${names}`;

/** The lists of the campaign `$2` and their different criteria. A list without a given day is one of the current day. */
const LISTES = `
  liste AS MATERIALIZED (
    SELECT l.*, dense_rank() OVER (ORDER BY syndicats, employeurs, employes, jour) AS critere,
      row_number() OVER (ORDER BY date_creation, id_unique) AS rang
    FROM (
      SELECT id_unique, ${sorted('syndicats')}, ${sorted('employeurs')}, ${sorted('employes')}, poids, date_creation,
        CASE WHEN jour_donne THEN actifs_le ELSE ${TODAY} END AS jour
      FROM liste_electorale WHERE tenant_id = $1 AND campagne_id = $2
    ) l
  ), critere AS MATERIALIZED (
    SELECT DISTINCT ON (critere) critere, jour, syndicats, employeurs, employes FROM liste ORDER BY critere
  )`;

/**
 * The voters of the campaign `$2` that the lists of the campaign would make now. The list that added a voter comes first,
 * then the oldest. Lists with the same criteria are evaluated once. An employee whose voter a request deleted is expected by
 * later lists only.
 */
const attendus = (matching: string): string => `${LISTES}, attendu AS (
    SELECT DISTINCT ON (m.id_externe) m.*, coalesce(own.id_unique, c.id_unique) AS liste_electorale_id,
      coalesce(own.poids, c.poids) AS poids
    FROM (${matching}) m
    JOIN (
      SELECT DISTINCT ON (critere) critere, id_unique, poids, rang, max(date_creation) OVER (PARTITION BY critere) AS derniere
      FROM liste ORDER BY critere, rang
    ) c ON c.critere = m.critere
    LEFT JOIN votant v ON v.tenant_id = $1 AND v.campagne_id = $2 AND v.employe_id_externe = m.id_externe
    LEFT JOIN liste own ON own.id_unique = v.liste_electorale_id AND own.critere = m.critere
    LEFT JOIN votant_ecarte x
      ON x.tenant_id = $1 AND x.campagne_id = $2 AND x.employe_id_externe = m.id_externe AND v.id_unique IS NULL
    WHERE x.date_creation IS NULL OR x.date_creation < c.derniere
    ORDER BY m.id_externe, own.id_unique IS NULL, c.rang
  )`;

/** SQL of the properties that differ. A voter to add has no values before, one to remove none after. */
const CHAMPS = jsonList(
  'row_to_json(c)',
  `FROM (VALUES ${PAIRS.map(([name, [column, expected]]) => `('${name}', to_json(v.${column}), to_json(a.${expected}))`).join(', ')})
   c (champ, avant, apres) WHERE c.avant::text IS DISTINCT FROM c.apres::text`,
);

/**
 * The differences between the roll and the expected voters. Voters without an employee and manually written voters have no
 * differences. Voters who have voted are marked, because their differences are neither shown nor applied.
 */
const ecarts = (isAmong: (column: string) => string): string => `
  SELECT CASE WHEN v.id_unique IS NULL THEN 'AAjouter' WHEN a.id_externe IS NULL THEN 'ARetirer' ELSE 'AModifier' END AS nature,
    v.id_unique AS votant_id, e.id_unique AS employe_id, e.id_externe AS employe_id_externe, a.liste_electorale_id, a.adhesion_debut, a.emploi_debut,
    v.a_vote IS TRUE AS a_vote,
    ${PAIRS.map(([, [column, expected]]) => `a.${expected} AS ${column}`).join(', ')}, ${CHAMPS} AS champs
  FROM (SELECT * FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND employe_id_externe IS NOT NULL
      AND ${isAmong('employe_id_externe')}) v
    FULL JOIN attendu a ON a.id_externe = v.employe_id_externe
    JOIN ${EMPLOYES} e ON e.tenant_id = $1 AND e.id_externe = coalesce(v.employe_id_externe, a.id_externe)
  WHERE v.id_unique IS NULL OR v.liste_electorale_id IS NOT NULL
    AND (a.id_externe IS NULL OR (${ON_ROLL}) IS DISTINCT FROM (${EXPECTED}))`;

/** The statements of all employees, and of those of a range: after `$3` and up to `$4`. */
const WHOLE = { attendus: attendus(MATCHING), ecarts: ecarts(() => 'true') };
const isOfRange = (column: string): string => `${column} IN (SELECT id_externe FROM personne)`;
const OF_RANGE = {
  attendus: `personne AS MATERIALIZED (
    SELECT id_externe FROM ${EMPLOYES} WHERE tenant_id = $1
      AND ($3::uuid IS NULL OR id_unique > $3) AND ($4::uuid IS NULL OR id_unique <= $4)
  ), ${attendus(matchingAmong(isOfRange))}`,
  ecarts: ecarts(isOfRange),
};

/** SQL of the differences of a run: of the kinds `$3`, numbered after `$4` and up to `$5`. */
const OF_RUN = 'x.nature = ANY ($3) AND x.n > $4 AND x.n <= $5';
const OF_ECART = 'v.tenant_id = $1 AND v.campagne_id = $2 AND v.id_unique = x.votant_id AND NOT v.a_vote';
const X_COLUMNS = PAIRS.map(([, [column]]) => `x.${column}`).join(', ');

const ITEM = jsonObject({
  nature: 'x.nature',
  votantId: 'x.votant_id',
  employeIdExterne: 'x.employe_id_externe',
  champs: 'x.champs',
});

/** The digests of all differences, whatever kinds are asked for. A vote does not change them. */
const LIGNES = `SELECT coalesce(string_agg(
    md5(ROW (x.nature, x.votant_id, x.employe_id, x.liste_electorale_id, x.champs::text)::text), '' ORDER BY x.employe_id
  ), '') FROM ecart x`;

interface Part {
  lignes: string;
  items: string | null;
  last: string | null;
  more: boolean;
}

interface Written {
  count: number;
  /** Ids, a line each. */
  ids: string | null;
}

/** Differences between the roll of a campaign and what its electoral lists would make now (docs/adr/0035). */
@Injectable()
export class EcartsRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly listes: ListeElectoraleRepository,
  ) {}

  /** Returns the ranges of employees that are compared one by one, because memory must not grow with lists times employees. */
  ranges(tenantId: string, campagneId: string): Promise<readonly Range[]> {
    return this.transactions.read({ tenantId }, () => this.rangesNow(tenantId, campagneId));
  }

  private async rangesNow(tenantId: string, campagneId: string): Promise<readonly Range[]> {
    const client = this.transactions.client();
    const parts = Math.ceil((await this.pairs(tenantId, campagneId)) / PAIRS_AT_ONCE);
    if (parts <= 1) return [{ after: null, upTo: null }];
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM (
         SELECT id_unique AS id, row_number() OVER (ORDER BY id_unique) AS n, count(*) OVER () AS count
         FROM ${EMPLOYES} WHERE tenant_id = $1
       ) e WHERE n % (count / $2 + 1) = 0 ORDER BY id`,
      [tenantId, parts],
    );
    const bounds = [null, ...rows.map(({ id }) => id), null];
    return bounds.slice(1).map((upTo, index) => ({ after: bounds[index]!, upTo }));
  }

  /** Returns how many pairs of a criterion and an employee the lists of a campaign have, at most. In the ambient transaction. */
  async pairs(tenantId: string, campagneId: string): Promise<number> {
    await this.expectManyRows();
    const pairs = await this.transactions.value<string>(
      `WITH ${LISTES}, nombre AS (SELECT count(*) FROM critere)
       SELECT CASE WHEN (SELECT count FROM nombre) > ${FEW_CRITERIA} THEN ${CANDIDATES}
         ELSE (SELECT count FROM nombre) * (SELECT count(*) FROM ${EMPLOYES} WHERE tenant_id = $1) END`,
      [tenantId, campagneId],
    );
    await this.transactions.client().query('RESET enable_nestloop; RESET work_mem');
    return Number(pairs);
  }

  /**
   * Returns a part of the differences of a range, in the order in which the employees were created, and the digests of all
   * differences of the range.
   *
   * @param nature only differences of this kind; all if absent
   */
  part(
    tenantId: string,
    campagneId: string,
    nature: Nature | null | undefined,
    range: Range,
    after: string | undefined,
  ): Promise<Page & { lignes: string }> {
    const { statements, bounds } = statementsOf(range);
    return this.transactions.read({ tenantId }, async () => {
      await this.expectManyRows();
      const [kind, start] = [3, 4].map((n) => `$${n + bounds.length}`);
      const { rows } = await this.transactions.client().query<Part>({
        text: `WITH ${statements.attendus}, ecart AS MATERIALIZED (${statements.ecarts}), item AS (
           SELECT ${ITEM}::text AS item, x.employe_id FROM ecart x
           WHERE NOT x.a_vote AND (${kind}::text IS NULL OR x.nature = ${kind}) AND (${start}::uuid IS NULL OR x.employe_id > ${start})
         ), measured AS (
           SELECT *, sum(octet_length(item)) OVER (ORDER BY employe_id) - octet_length(item) < ${PART_BYTES} AS fits FROM item
         )
         SELECT (${LIGNES}) AS lignes, string_agg(item, ',' ORDER BY employe_id) FILTER (WHERE fits) AS items,
           max(employe_id::text) FILTER (WHERE fits) AS last, coalesce(bool_or(NOT fits), false) AS more
         FROM measured`,
        values: [tenantId, campagneId, ...bounds, nature, after],
      });
      const { lignes, items, last, more } = rows[0]!;
      return {
        lignes,
        items: items === null ? [] : [items],
        ...(more && last !== null ? { next: { date: new Date(0), id: last } } : {}),
      };
    });
  }

  /**
   * Applies the differences of some kinds in the ambient transaction, which holds the roll. Voters who vote meanwhile stay
   * as they are.
   *
   * @returns what has changed; undefined if the differences are not those of the digest
   */
  async apply(
    tenantId: string,
    campagneId: string,
    empreinte: string,
    natures: readonly Nature[],
  ): Promise<Required<RollChange> | undefined> {
    const client = this.transactions.client();
    const ranges = await this.rangesNow(tenantId, campagneId);
    await this.expectManyRows();
    for (const [index, range] of ranges.entries()) {
      const { statements, bounds } = statementsOf(range);
      await client.query(
        `${index === 0 ? 'CREATE TEMPORARY TABLE difference ON COMMIT DROP AS' : 'INSERT INTO difference'}
         WITH ${statements.attendus} ${statements.ecarts}`,
        [tenantId, campagneId, ...bounds],
      );
    }
    await client.query(
      `CREATE TEMPORARY TABLE ecart ON COMMIT DROP AS
       SELECT row_number() OVER (ORDER BY x.employe_id_externe)::int AS n, x.* FROM difference x`,
    );
    await client.query('DROP TABLE difference');
    const read = await this.transactions.value<string>(`SELECT encode(sha256((${LIGNES})::bytea), 'hex')`);
    if (read !== empreinte) return undefined;
    const last = await this.transactions.value<number>('SELECT count(*)::int FROM ecart');
    await client.query(FRESH_PLANS);
    const [retires, modifies, ajoutes] = [new TouchedIds(), new TouchedIds(), new TouchedIds()];
    const champs = new Set<string>();
    // First, because voters wait for the rows that the other statements lock.
    if (natures.includes('AAjouter')) {
      const added = `(SELECT * FROM ecart WHERE nature = 'AAjouter')`;
      await this.listes.hold(tenantId, added);
      await this.listes.addVoters(tenantId, campagneId, added, last, ajoutes);
    }
    for (let from = 0; from < last; from += VOTERS_AT_ONCE) {
      const run = [tenantId, campagneId, natures, from, from + VOTERS_AT_ONCE];
      const { rows: removed } = await client.query<Written>(
        `WITH removed AS (
           DELETE FROM votant v USING ecart x WHERE x.nature = 'ARetirer' AND ${OF_RUN} AND ${OF_ECART} RETURNING v.id_unique
         ) SELECT count(*)::int AS count, ${linesOf('id_unique')} AS ids FROM removed`,
        run,
      );
      retires.add(removed[0]!.count, removed[0]!.ids);
      const { rows: changed } = await client.query<Written & { champs: string[] }>(
        `WITH changed AS (
           UPDATE votant v SET (${COLUMNS}, liste_electorale_id, adhesion_debut, emploi_debut)
             = ROW (${X_COLUMNS}, x.liste_electorale_id, x.adhesion_debut, x.emploi_debut)
           FROM ecart x WHERE x.nature = 'AModifier' AND ${OF_RUN} AND ${OF_ECART} RETURNING v.id_unique, x.champs
         ) SELECT count(*)::int AS count, ${linesOf('id_unique')} AS ids,
             ARRAY(SELECT DISTINCT c ->> 'champ' FROM changed, json_array_elements(champs) c) AS champs FROM changed`,
        run,
      );
      modifies.add(changed[0]!.count, changed[0]!.ids);
      for (const champ of changed[0]!.champs) champs.add(champ);
    }
    await client.query('DROP TABLE ecart');
    return {
      ajoutes,
      modifies,
      retires,
      champs: PAIRS.map(([name]) => name).filter((name) => champs.has(name)),
    };
  }

  /** PostgreSQL without statistics of the tenant expects one row of each table and would read all for each employee. */
  private async expectManyRows(): Promise<void> {
    await this.transactions
      .client()
      .query(
        `SELECT set_config('enable_nestloop', 'off', true), set_config('work_mem', '${WORK_MEM_MB}MB', true)`,
      );
  }
}

/** The statements of a range, and the values of its bounds. */
function statementsOf({ after, upTo }: Range): {
  statements: typeof WHOLE;
  bounds: readonly (string | null)[];
} {
  return after === null && upTo === null
    ? { statements: WHOLE, bounds: [] }
    : { statements: OF_RANGE, bounds: [after, upTo] };
}
