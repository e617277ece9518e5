import { VOTANT } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import { linesOf, TouchedIds } from '#platform/database/touched-ids';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { Votant } from '../domain/votant.entity';
import { ACTIVE } from '../../campagne/persistence/campagne.sql';

/** A roll with voters who are some employees. */
export interface RollOf {
  readonly campagneId: string;
  readonly titre: string;
  /** Whether the campaign is published and has not ended. */
  readonly isActive: boolean;
  /** Ids of these voters. */
  readonly votants: readonly string[];
}

/** Voters, in the ambient transaction. */
@Injectable()
export class VotantRepository {
  constructor(private readonly transactions: Transactions) {}

  /** The voter, not locked. @throws DomainError `Votant.NotFound` */
  async find(tenantId: string, campagneId: string, idUnique: string): Promise<Votant> {
    return existing(await this.one({ tenantId, campagneId, idUnique }));
  }

  /** Locks the voter until the transaction ends, against votes and changes. @throws DomainError `Votant.NotFound` */
  async lock(tenantId: string, campagneId: string, idUnique: string): Promise<Votant> {
    return existing(await this.one({ tenantId, campagneId, idUnique }, 'pessimistic_write'));
  }

  /** Locks the voter for a change that keeps its key. Returns null if there is none. */
  lockToChange(tenantId: string, campagneId: string, idUnique: string): Promise<Votant | null> {
    return this.one({ tenantId, campagneId, idUnique }, 'for_no_key_update');
  }

  private one(
    where: Pick<Votant, 'tenantId' | 'campagneId' | 'idUnique'>,
    mode?: 'pessimistic_write' | 'for_no_key_update',
  ): Promise<Votant | null> {
    return this.transactions.manager().findOne(Votant, { where, ...(mode ? { lock: { mode } } : {}) });
  }

  /** Implements `ActiveCampaignCheck.votesOf`. */
  async votesOf(
    tenantId: string,
    employes: string,
    most: number,
  ): Promise<{ campagneId: string; titre: string; votants: number }[]> {
    const { rows } = await this.transactions
      .client()
      .query<{ campagneId: string; titre: string; votants: number }>(
        `SELECT c.id_unique AS "campagneId", c.titre, v.votants FROM (
           SELECT v.campagne_id, count(*)::int AS votants FROM ${employes} e
           JOIN votant v ON v.tenant_id = $1 AND v.employe_id_externe = e.id_externe GROUP BY v.campagne_id
         ) v JOIN campagne c ON c.tenant_id = $1 AND c.id_unique = v.campagne_id
         WHERE ${ACTIVE} ORDER BY v.votants DESC, c.id_unique LIMIT $2`,
        [tenantId, most],
      );
    return rows;
  }

  /**
   * Returns the campaigns of voters who are one of the employees, with these voters.
   *
   * @param holds keeps the campaigns from deletion; their rolls are locked before, as by other writers
   */
  async rollsOf(tenantId: string, employes: readonly string[], holds: boolean): Promise<RollOf[]> {
    const { rows } = await this.transactions.client().query<RollOf>(
      `SELECT c.id_unique AS "campagneId", c.titre, ${ACTIVE} AS "isActive", v.votants FROM campagne c JOIN (
         SELECT campagne_id, array_agg(id_unique) AS votants FROM votant
         WHERE tenant_id = $1 AND employe_id_externe = ANY ($2::text[]) GROUP BY campagne_id
       ) v ON v.campagne_id = c.id_unique WHERE c.tenant_id = $1 ORDER BY c.id_unique${holds ? ' FOR KEY SHARE OF c' : ''}`,
      [tenantId, employes],
    );
    return rows;
  }

  /** Leaves a voter of an ended campaign without its employee. */
  async detach({ tenantId, campagneId, idUnique }: Votant): Promise<void> {
    const where = { tenantId, campagneId, idUnique };
    await this.transactions.manager().update(Votant, where, { employeIdExterne: null });
  }

  /** Deletes a voter. */
  async remove({ tenantId, campagneId, idUnique }: Votant): Promise<void> {
    await this.transactions.manager().delete(Votant, { tenantId, campagneId, idUnique });
  }

  /** Deletes a voter. Electoral lists of before do not expect its employee any more. */
  async exclude(votant: Votant): Promise<void> {
    await this.remove(votant);
    const { tenantId, campagneId, employeIdExterne } = votant;
    if (employeIdExterne === null) return;
    await this.transactions.client().query(
      `INSERT INTO votant_ecarte (tenant_id, campagne_id, employe_id_externe, date_creation)
       VALUES ($1, $2, $3, clock_timestamp())
       ON CONFLICT (tenant_id, campagne_id, employe_id_externe) DO UPDATE SET date_creation = excluded.date_creation`,
      [tenantId, campagneId, employeIdExterne],
    );
  }

  /** Locks those of the voters that there are. They are not loaded whole: a request may name all of a roll. */
  async lockAll(
    tenantId: string,
    campagneId: string,
    ids: readonly string[],
  ): Promise<Pick<Votant, 'idUnique' | 'mayLoseDroitDeVote'>[]> {
    const { rows } = await this.transactions.client().query<Pick<Votant, 'idUnique' | 'aVote'>>(
      `SELECT id_unique AS "idUnique", a_vote AS "aVote" FROM votant
       WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = ANY ($3::uuid[]) ORDER BY id_unique FOR UPDATE`,
      [tenantId, campagneId, ids],
    );
    return rows.map((row) => Object.assign(new Votant(), row));
  }

  /** Gives voters the right to vote, or takes it. @returns those whom it changed */
  async setDroitDeVote(
    tenantId: string,
    campagneId: string,
    ids: readonly string[],
    aDroitDeVote: boolean,
  ): Promise<TouchedIds> {
    const { rows } = await this.transactions.client().query<{ count: number; ids: string | null }>(
      `WITH changed AS (
       UPDATE votant SET a_droit_de_vote = $4
       WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = ANY ($3::uuid[]) AND a_droit_de_vote <> $4
         RETURNING id_unique
       ) SELECT count(*)::int AS count, ${linesOf('id_unique')} AS ids FROM changed`,
      [tenantId, campagneId, ids, aDroitDeVote],
    );
    return new TouchedIds().add(rows[0]!.count, rows[0]!.ids);
  }

  /**
   * Returns whether an employee is a voter of an active campaign. The caller has locked the employee. A result of false
   * stays true until the transaction ends: its voters do not change, and their campaigns do not become active.
   *
   * @param syndicats only voters of one of these unions, or of none, count; every voter does if absent
   */
  async hasVoter(tenantId: string, employe: string, syndicats?: readonly string[]): Promise<boolean> {
    const client = this.transactions.client();
    // Campaigns before their voters, in the order of a campaign's deletion. The locked employee gets no further voter.
    await client.query(
      `SELECT FROM campagne c WHERE c.tenant_id = $1 AND c.id_unique IN (
         SELECT v.campagne_id FROM votant v WHERE v.tenant_id = $1 AND v.employe_id_externe = $2
       ) ORDER BY c.id_unique FOR KEY SHARE`,
      [tenantId, employe],
    );
    await client.query(
      `SELECT campagne_id FROM votant WHERE tenant_id = $1 AND employe_id_externe = $2 ORDER BY campagne_id FOR SHARE`,
      [tenantId, employe],
    );
    // A separate statement: it sees the writes of a publication that had locked the campaign.
    const { rows } = await client.query<{ isVoter: boolean }>(
      `SELECT EXISTS (
         SELECT FROM votant v JOIN campagne c ON c.tenant_id = v.tenant_id AND c.id_unique = v.campagne_id
         WHERE v.tenant_id = $1 AND v.employe_id_externe = $2 AND ${ACTIVE}
           AND ($3::text[] IS NULL OR v.syndicat_id_externe IS NULL OR v.syndicat_id_externe = ANY ($3))
       ) AS "isVoter"`,
      [tenantId, employe, syndicats],
    );
    return rows[0]!.isVoter;
  }

  /**
   * Removes an employee from the rolls of unpublished campaigns. These have no votes, so each voter is removable
   * (`Votant.assertRemovable`).
   */
  async release(tenantId: string, employe: string): Promise<void> {
    await this.transactions.client().query(
      `WITH removed AS (
         DELETE FROM votant v USING campagne c
         WHERE v.tenant_id = $1 AND v.employe_id_externe = $2
           AND c.tenant_id = v.tenant_id AND c.id_unique = v.campagne_id AND NOT c.publiee AND NOT c.archivee
         RETURNING v.campagne_id
       ), locked AS (
         SELECT c.id_unique FROM campagne c WHERE c.tenant_id = $1 AND c.id_unique IN (SELECT campagne_id FROM removed)
         ORDER BY c.id_unique FOR NO KEY UPDATE
       )
       UPDATE campagne c SET nombre_votants = nombre_votants - 1 FROM locked
       WHERE c.tenant_id = $1 AND c.id_unique = locked.id_unique`,
      [tenantId, employe],
    );
  }
}

function existing(votant: Votant | null): Votant {
  if (!votant) throw noVotant();
  return votant;
}

/** The error for an unknown voter. */
export function noVotant(): DomainError {
  return new DomainError(VOTANT.NotFound);
}
