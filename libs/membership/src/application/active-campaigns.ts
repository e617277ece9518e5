import { Injectable } from '@nestjs/common';

/** Checks that the context of campaigns makes before data of an employee is deleted. */
export interface ActiveCampaignCheck {
  /**
   * Whether the employee is a voter of an active campaign (Planifie or VoteOuvert), in the ambient transaction, which
   * holds the employee's row FOR UPDATE: an answer of false must stay true until it ends.
   *
   * @param syndicats only voters of one of these unions, or of none, count; every voter does if absent
   */
  hasVoter(tenantId: string, idExterneEmploye: string, syndicats?: readonly string[]): Promise<boolean>;

  /**
   * Votes that are published and have not ended, with the number of their voters who are among employees, in the ambient
   * transaction. Those with the most voters come first.
   *
   * @param employes table of the employees, with the column `id_externe`
   */
  votesOf(
    tenantId: string,
    employes: string,
    most: number,
  ): Promise<{ campagneId: string; titre: string; votants: number }[]>;

  /** Takes an employee, who is about to be deleted, off the rolls of campaigns that have not been published. */
  release(tenantId: string, idExterneEmploye: string): Promise<void>;
}

/**
 * Asks the context of campaigns, which registers its check here: it imports this context, and not the reverse. Without a
 * check nothing is deleted, because voters would be unknown.
 */
@Injectable()
export class ActiveCampaigns {
  private registered: ActiveCampaignCheck | undefined;

  register(check: ActiveCampaignCheck): void {
    this.registered = check;
  }

  get check(): ActiveCampaignCheck {
    if (!this.registered) throw new Error('No check of active campaigns is registered: load VotingModule.');
    return this.registered;
  }
}
