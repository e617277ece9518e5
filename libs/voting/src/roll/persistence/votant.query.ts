import { Injectable } from '@nestjs/common';
import { type FetchPage, JsonItems, jsonScalars, jsonText } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { VoterEmails } from './voter-emails';

/** Filters of a roll; those given hold together (docs/contract.md, "Voters"). */
export interface VotantFilter {
  syndicatIdExterne?: string | null;
  employeurIdentifiantExterne?: string | null;
  aVote?: boolean | null;
  aDroitDeVote?: boolean | null;
}

/** A voter whom a draw has chosen. */
export interface DrawnVotant {
  readonly id: string;
  /** The employee, the identifier or the names: the same in every data space with the same persons. */
  readonly cle: string;
  readonly aVote: boolean;
}

/** Voters of a campaign as JSON text. */
@Injectable()
export class VotantQuery {
  private made: JsonItems | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly emails: VoterEmails,
  ) {}

  /** Made at its first use, when the context of e-mail has registered. */
  private get items(): JsonItems {
    return (this.made ??= new JsonItems(this.transactions, {
      name: 'votant',
      table: 'votant',
      key: 'id_unique',
      columns: jsonText(
        jsonScalars({
          VotantId: 'id_unique',
          Identifiant: 'identifiant',
          Prenom: 'prenom',
          Nom: 'nom',
          Courriel: 'courriel',
          EmployeIdExterne: 'employe_id_externe',
          SyndicatIdExterne: 'syndicat_id_externe',
          EmployeurIdentifiantExterne: 'employeur_identifiant_externe',
          ADroitDeVote: 'a_droit_de_vote',
          AVote: 'a_vote',
          Poids: 'poids',
        }),
        this.emails.membersOf('votant'),
      ),
    }));
  }

  one(tenantId: string, campagneId: string, id: string): Promise<string | undefined> {
    return this.items.one(tenantId, id, [{ sql: 'campagne_id = ?', value: campagneId }]);
  }

  list(tenantId: string, campagneId: string, filter: VotantFilter): FetchPage {
    const { syndicatIdExterne, employeurIdentifiantExterne, aDroitDeVote } = filter;
    // Each of these has an index in the order of the list. Which of several leads to the fewest voters depends on the values.
    const indexed = [syndicatIdExterne != null, employeurIdentifiantExterne != null, aDroitDeVote === false];
    const planned = indexed.filter(Boolean).length > 1 ? ({ planned: 'for each value' } as const) : {};
    return this.items.pages(tenantId, [
      { sql: 'campagne_id = ?', value: campagneId },
      { sql: 'syndicat_id_externe = ?', value: syndicatIdExterne, ...planned },
      { sql: 'employeur_identifiant_externe = ?', value: employeurIdentifiantExterne, ...planned },
      { sql: 'a_vote = ?', value: filter.aVote },
      // A literal, because only then PostgreSQL uses the partial index of voters without the right.
      { sql: 'NOT a_droit_de_vote AND ?', value: aDroitDeVote === false ? true : null },
      { sql: 'a_droit_de_vote AND ?', value: aDroitDeVote === true ? true : null },
    ]);
  }

  /** Number of voters who have the right to vote. */
  async countWithRight(tenantId: string, campagneId: string): Promise<number> {
    const [row] = await this.transactions.query<{ count: number }>(
      { tenantId },
      {
        name: 'votant_with_right',
        text: `SELECT count(*)::int AS count FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND a_droit_de_vote`,
        values: [tenantId, campagneId],
      },
    );
    return row!.count;
  }

  /** Draws voters who have the right to vote: the same for the same seed and persons. */
  draw(tenantId: string, campagneId: string, graine: string, count: number): Promise<DrawnVotant[]> {
    return this.transactions.query<DrawnVotant>(
      { tenantId },
      {
        name: 'votant_draw',
        text: `SELECT id_unique AS id, cle, a_vote AS "aVote" FROM votant, LATERAL (
                 SELECT coalesce(employe_id_externe, identifiant, concat_ws(' ', prenom, nom, courriel)) AS cle
               ) k
               WHERE tenant_id = $1 AND campagne_id = $2 AND a_droit_de_vote
               ORDER BY sha256(convert_to($3 || E'\\n' || cle, 'UTF8')), id_unique LIMIT $4`,
        values: [tenantId, campagneId, graine, count],
      },
    );
  }
}
