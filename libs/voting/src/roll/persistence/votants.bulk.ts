import { REQUETE } from '#platform/errors/platform.errors';
import { VOTANT } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import { FRESH_PLANS } from '#platform/database/fresh-plans.sql';
import { EMPLOYES, EMPLOYEURS, SYNDICATS } from '#membership/relations';
import { Presence } from '#platform/bulk/presence';
import { Stage, type StageColumns, type StagedRow, StageTable } from '#platform/bulk/stage';
import { keepStatistics } from '#platform/bulk/keep-statistics';
import { linesOf, TouchedIds } from '#platform/database/touched-ids';
import { Transactions } from '#platform/database/transactions';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import { FIXED_BY_VOTE, FIXED_ONCE_VOTED } from '../domain/votant.entity';
import type { VotantRecord } from '../domain/votant.fields';
import type { RollChange } from '../../campagne/persistence/campagne.repository';
import { lockManyNamed, lockNamed } from './employe-locks';
import { fr, type Text } from '#platform/errors/text';
import { NAMES_NO } from '#membership/vocabulary';

/** Properties of a voter that a write can change, each with its column and the type of this column in a stage. */
const PROPERTIES = {
  Identifiant: ['identifiant', 'identifier'],
  Courriel: ['courriel', 'text'],
  EmployeIdExterne: ['employe_id_externe', 'identifier'],
  SyndicatIdExterne: ['syndicat_id_externe', 'identifier'],
  EmployeurIdentifiantExterne: ['employeur_identifiant_externe', 'identifier'],
  Prenom: ['prenom', 'text'],
  Nom: ['nom', 'text'],
  ADroitDeVote: ['a_droit_de_vote', 'boolean'],
  Poids: ['poids', 'text'],
} as const satisfies Partial<Record<keyof VotantRecord, readonly [string, StageColumns[string]]>>;

const PROPERTY_NAMES = Object.keys(PROPERTIES) as (keyof typeof PROPERTIES)[];

const COLUMNS: StageColumns = {
  n: 'integer',
  present: 'integer',
  votant_id: 'identifier',
  new_id: 'identifier',
  ...Object.fromEntries(Object.values(PROPERTIES)),
};

const VOTANTS = new StageTable('stage_votant', COLUMNS);

/** Properties that null clears. Null in another property changes nothing, like an absent property. */
const CLEARED: readonly string[] = [
  'Identifiant',
  'Courriel',
  'EmployeIdExterne',
  'SyndicatIdExterne',
  'EmployeurIdentifiantExterne',
] satisfies (keyof typeof PROPERTIES)[];

const PRESENCE = new Presence(CLEARED);

/** SQL, of a changed row: a bit for each property that differs, in their order. */
const CHANGED_FIELDS = Object.values(PROPERTIES)
  .map(([column], place) => `(old.${column} IS DISTINCT FROM new.${column})::int * ${1 << place}`)
  .join(' + ');

/** A rule that a record breaks: its code, the property, and what is wrong. */
export interface VotantFault {
  readonly error: ErrorDefinition;
  /** The property whose value does not exist; absent if the record breaks another rule. */
  readonly property?: string;
  readonly message: Text;
}

/** A record that was not written, by its place among all that were sent. */
type RefusedVotant = VotantFault & { readonly n: number };

/**
 * A rule with the SQL condition under which a record breaks it. Aliases: the staged record `s`, the voter `v` with its VotantId,
 * the voter `named` with its Identifiant, and the voter `enrolled` with its employee.
 */
type Rule = VotantFault & { readonly when: string };

/** Rules on the identifiers of a record, in the order in which they are answered. */
const NAMES: readonly Rule[] = [
  {
    error: VOTANT.NotFound,
    message: {
      en: 'The campaign has no voter with this VotantId.',
      fr: fr("La campagne n'a aucun votant avec ce VotantId."),
    },
    when: 's.votant_id IS NOT NULL AND v.id_unique IS NULL',
  },
  mustExist('EmployeIdExterne', EMPLOYES, NAMES_NO.employe),
  mustExist('SyndicatIdExterne', SYNDICATS, NAMES_NO.syndicat),
  mustExist('EmployeurIdentifiantExterne', EMPLOYEURS, NAMES_NO.employeur),
  {
    error: VOTANT.IdentifiantDejaUtilise,
    message: {
      en: 'Another voter of the campaign has this Identifiant. Give its VotantId to change it, or another Identifiant.',
      fr: fr(
        'Un autre votant de la campagne a cet Identifiant. Donnez son VotantId pour le modifier, ou un autre Identifiant.',
      ),
    },
    when: 'named.id_unique IS NOT NULL AND named.id_unique IS DISTINCT FROM v.id_unique',
  },
  {
    error: VOTANT.EmployeDejaInscrit,
    message: {
      en: 'The employee is another voter of the campaign. Give the VotantId of that voter to change it.',
      fr: fr(
        "L'employé est un autre votant de la campagne. Donnez le VotantId de ce votant pour le modifier.",
      ),
    },
    when: 'enrolled.id_unique IS NOT NULL AND enrolled.id_unique IS DISTINCT FROM v.id_unique',
  },
];

/** SQL: a property that the record has differs from the stored one. */
const differs = (name: keyof typeof PROPERTIES): string => {
  const [column] = PROPERTIES[name];
  return `(${PRESENCE.has(name)} AND s.${column} IS DISTINCT FROM v.${column})`;
};

/** `Votant.assertMayBecome` for many voters at once. */
const MAY_NOT_BECOME: Rule = {
  ...FIXED_ONCE_VOTED,
  when: `v.a_vote AND (NOT s.a_droit_de_vote OR s.poids::numeric <> v.poids
    OR ${(Object.keys(FIXED_BY_VOTE) as (keyof typeof FIXED_BY_VOTE)[]).map(differs).join(' OR ')})`,
};

/** The rule that an identifier names a row of a relation. */
function mustExist(property: keyof typeof PROPERTIES, relation: string, message: Text): Rule {
  const [column] = PROPERTIES[property];
  const id = `s.${column}`;
  return {
    error: REQUETE.Invalide,
    property,
    message,
    // An unchanged reference passes, although its row may be deleted since.
    when: `${id} IS NOT NULL AND ${id} IS DISTINCT FROM v.${column} AND NOT EXISTS (SELECT FROM ${relation} k WHERE k.tenant_id = $1 AND k.id_externe = ${id})`,
  };
}

/** SQL of records `s` with the columns of a stage, and the parameters that it adds after tenant and campaign. */
interface Source {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A record as a row of parameters: one record needs no stage. */
function sourceOf(staged: StagedVotant): Source {
  const columns = Object.entries(COLUMNS).map(
    ([name, type], index) => `$${index + 3}::${type === 'identifier' ? 'text COLLATE "C"' : type} AS ${name}`,
  );
  return { sql: `(SELECT ${columns.join(', ')})`, values: rowOf(staged) };
}

/** SQL that finds, for each record, the first rule that it breaks, by its number. */
function judged(source: string, rules: readonly Rule[]): string {
  const cases = rules.map(({ when }, index) => `WHEN ${when} THEN ${index}`).join('\n');
  return `SELECT s.n, CASE ${cases} END AS fault
    FROM ${source} s LEFT JOIN votant v ON v.tenant_id = $1 AND v.campagne_id = $2 AND v.id_unique = s.votant_id::uuid
    LEFT JOIN votant named ON named.tenant_id = $1 AND named.campagne_id = $2 AND named.identifiant = s.identifiant
    LEFT JOIN votant enrolled
      ON enrolled.tenant_id = $1 AND enrolled.campagne_id = $2 AND enrolled.employe_id_externe = s.employe_id_externe`;
}

/** A record on its way into the roll. */
export interface StagedVotant {
  /** Index of the record in the request. */
  readonly n: number;
  readonly record: VotantRecord;
  /** Identifier of a new voter; the service chooses one if absent. */
  readonly newId?: string | undefined;
}

/** Returns the values of a stage's columns. */
function rowOf({ n, record, newId }: StagedVotant): StagedRow {
  return [n, PRESENCE.of(record), record.VotantId, newId, ...PROPERTY_NAMES.map((name) => record[name])];
}

type VotantsChange = Required<Omit<RollChange, 'retires'>>;

/** Row that the merging statement returns. */
interface Merged {
  readonly created: number;
  readonly modified: number;
  /** Ids, a line each. */
  readonly createdIds: string | null;
  readonly modifiedIds: string | null;
  /** `CHANGED_FIELDS` of all rows. */
  readonly fields: number;
}

function changeOf(parts: readonly Merged[]): VotantsChange {
  const ajoutes = new TouchedIds();
  const modifies = new TouchedIds();
  let fields = 0;
  for (const part of parts) {
    ajoutes.add(part.created, part.createdIds);
    modifies.add(part.modified, part.modifiedIds);
    fields |= part.fields;
  }
  return { ajoutes, modifies, champs: PROPERTY_NAMES.filter((_name, place) => fields & (1 << place)) };
}

/** Maximum number of voters that one statement writes, within the statement timeout. */
export const VOTERS_AT_ONCE = 100_000;

/** Number of rows above which new plans for the checks of foreign keys save time. */
const MANY = 1_000;

/** Upserts voters of one campaign in a fixed number of statements, in the ambient transaction, which holds the roll. */
@Injectable()
export class VotantsBulk {
  constructor(private readonly transactions: Transactions) {}

  /** @param records undefined for a record that is left out */
  async stage(records: Iterable<StagedVotant | undefined>): Promise<Stage> {
    const stage = new Stage(VOTANTS);
    function* rows(): Iterable<StagedRow | undefined> {
      for (const staged of records) yield staged && rowOf(staged);
    }
    await stage.fill(this.transactions.client(), rows());
    await Stage.load(this.transactions.client(), [stage]);
    return stage;
  }

  /**
   * Locks the employees that the stage names against deletion and renaming until the transaction ends. Call it before voters
   * are locked, because deletions of employees lock in this order.
   */
  async lockEmployes(tenantId: string, stage: Stage): Promise<void> {
    const named = `SELECT s.employe_id_externe FROM ${stage.name} s`;
    await (stage.count > MANY ? lockManyNamed : lockNamed)(this.transactions, tenantId, named);
  }

  /** Locks the employee of one record in the same way. */
  async lockEmploye(tenantId: string, { EmployeIdExterne }: VotantRecord): Promise<void> {
    if (EmployeIdExterne == null) return;
    await lockNamed(this.transactions, tenantId, '$2', [EmployeIdExterne]);
  }

  /**
   * Removes records whose names break a rule from the stage. Their employees are locked, so the result stays true.
   *
   * @returns these records, each with the first rule that it breaks
   */
  refuse(tenantId: string, campagneId: string, stage: Stage): Promise<RefusedVotant[]> {
    return this.judge(tenantId, campagneId, stage, NAMES);
  }

  /** Returns the first rule on identifiers that one record breaks. `Votant.assertMayBecome` checks the other rules. */
  async refusalOfNames(
    tenantId: string,
    campagneId: string,
    staged: StagedVotant,
  ): Promise<VotantFault | undefined> {
    const { sql, values } = sourceOf(staged);
    const { rows } = await this.transactions
      .client()
      .query<{ fault: number | null }>(judged(sql, NAMES), [tenantId, campagneId, ...values]);
    return NAMES[rows[0]!.fault ?? NAMES.length];
  }

  private async judge(
    tenantId: string,
    campagneId: string,
    stage: Stage,
    rules: readonly Rule[],
  ): Promise<RefusedVotant[]> {
    const client = this.transactions.client();
    // Without statistics of the roll, PostgreSQL expects one row: it would read all voters for each record.
    if (stage.count > MANY) await client.query('SET LOCAL enable_nestloop = off');
    const { rows } = await client.query<{ n: number; fault: number }>(
      `WITH judged AS (${judged(stage.name, rules)})
       DELETE FROM ${stage.name} s USING judged WHERE s.n = judged.n AND judged.fault IS NOT NULL
       RETURNING s.n, judged.fault`,
      [tenantId, campagneId],
    );
    if (stage.count > MANY) await client.query('RESET enable_nestloop');
    return rows.map(({ n, fault }) => ({ n, ...rules[fault]! }));
  }

  /**
   * Writes the staged records except those that a cast ballot does not allow. Unchanged rows are not rewritten. A changed
   * voter counts as written manually, whatever list added it. Voters are locked only here, so they can vote until their row is written.
   *
   * @param last place of a record
   * @returns the change, and the records that were left out because their voters have voted
   */
  async write(
    tenantId: string,
    campagneId: string,
    stage: Stage,
    last: number,
  ): Promise<{ change: VotantsChange; late: RefusedVotant[] }> {
    const client = this.transactions.client();
    if (stage.count > MANY) await client.query(FRESH_PLANS);
    await keepStatistics(client, 'votant', stage.count);
    const parts: Merged[] = [];
    // In parts, because one statement for all could run into its timeout.
    const sql = `(SELECT * FROM ${stage.name} WHERE n >= $3 AND n < $4)`;
    for (let from = 0; from <= last; from += VOTERS_AT_ONCE) {
      parts.push(await this.merge(tenantId, campagneId, { sql, values: [from, from + VOTERS_AT_ONCE] }));
    }
    // A record that the merge skipped still differs from its voter, so it breaks the rule here. Written records do not differ.
    const late = await this.judge(tenantId, campagneId, stage, [MAY_NOT_BECOME]);
    await client.query(`TRUNCATE ${stage.name}`);
    return { change: changeOf(parts), late };
  }

  async writeOne(tenantId: string, campagneId: string, staged: StagedVotant): Promise<VotantsChange> {
    return changeOf([await this.merge(tenantId, campagneId, sourceOf(staged))]);
  }

  private async merge(tenantId: string, campagneId: string, { sql, values }: Source): Promise<Merged> {
    const next = PROPERTY_NAMES.map((name) => {
      const [column] = PROPERTIES[name];
      return CLEARED.includes(name)
        ? { column, value: `CASE WHEN ${PRESENCE.has(name)} THEN s.${column} ELSE v.${column} END` }
        : { column, value: `coalesce(s.${column}, v.${column})` };
    });
    const { rows } = await this.transactions.client().query<Merged>(
      `WITH merged AS (
         MERGE INTO votant v
         USING (
           SELECT s.n, s.present, s.votant_id::uuid AS id, s.identifiant,
             -- Made here, because the join with the roll may change the order of the records.
             CASE WHEN s.votant_id IS NULL THEN coalesce(s.new_id::uuid, uuidv7()) END AS new_id, s.employe_id_externe, s.syndicat_id_externe,
             s.employeur_identifiant_externe, s.a_droit_de_vote, trim_scale(s.poids::numeric) AS poids,
             CASE WHEN s.votant_id IS NULL THEN coalesce(s.prenom, e.prenom) ELSE s.prenom END AS prenom,
             CASE WHEN s.votant_id IS NULL THEN coalesce(s.nom, e.nom) ELSE s.nom END AS nom,
             CASE WHEN s.votant_id IS NULL THEN coalesce(s.courriel, e.courriel) ELSE s.courriel END AS courriel
           FROM ${sql} s LEFT JOIN ${EMPLOYES} e ON e.tenant_id = $1 AND e.id_externe = s.employe_id_externe
           ORDER BY s.n
         ) s
         ON v.tenant_id = $1 AND v.campagne_id = $2 AND v.id_unique = s.id
         WHEN MATCHED AND (${MAY_NOT_BECOME.when}) IS NOT TRUE AND (${next.map(({ column }) => `v.${column}`).join(', ')})
           IS DISTINCT FROM (${next.map(({ value }) => value).join(', ')}) THEN
           UPDATE SET ${next.map(({ column, value }) => `${column} = ${value}`).join(', ')}, liste_electorale_id = NULL,
             adhesion_debut = NULL, emploi_debut = NULL
         WHEN NOT MATCHED AND s.id IS NULL THEN
           INSERT (tenant_id, campagne_id, id_unique, identifiant, courriel, employe_id_externe, syndicat_id_externe,
             employeur_identifiant_externe, prenom, nom, a_droit_de_vote, poids)
           VALUES ($1, $2, s.new_id, s.identifiant, s.courriel, s.employe_id_externe, s.syndicat_id_externe,
             s.employeur_identifiant_externe, s.prenom, s.nom, coalesce(s.a_droit_de_vote, true), coalesce(s.poids, 1))
         RETURNING merge_action() AS action, v.id_unique AS id, ${CHANGED_FIELDS} AS fields
       )
       SELECT (count(*) FILTER (WHERE action = 'INSERT'))::int AS created, (count(*) FILTER (WHERE action = 'UPDATE'))::int AS modified,
         ${linesOf('id')} FILTER (WHERE action = 'INSERT') AS "createdIds",
         ${linesOf('id')} FILTER (WHERE action = 'UPDATE') AS "modifiedIds",
         coalesce(bit_or(fields) FILTER (WHERE action = 'UPDATE'), 0) AS fields FROM merged`,
      [tenantId, campagneId, ...values],
    );
    return rows[0]!;
  }
}
