import { Injectable } from '@nestjs/common';

/** What another context must tell of voters before something of an employee may go. */
export interface ActiveCampaignCheck {
  /**
   * Whether the employee is a voter of an active campaign (Planifie or VoteOuvert), in the ambient transaction, which
   * holds the employee's row FOR UPDATE: an answer of false must stay true until it ends.
   *
   * @param syndicats only voters of one of these unions, or of none, count; every voter does if absent
   */
  hasVoter(tenantId: string, idExterneEmploye: string, syndicats?: readonly string[]): Promise<boolean>;

  /** Takes an employee, who is about to be deleted, off the rolls of campaigns that have not been published. */
  release(tenantId: string, idExterneEmploye: string): Promise<void>;
}

/**
 * The one door to that check, for cards and employees. Campaigns know of employees and not the reverse, so that the
 * context of campaigns registers itself here; as long as none has, no campaign is active.
 */
@Injectable()
export class ActiveCampaigns implements ActiveCampaignCheck {
  private readonly checks: ActiveCampaignCheck[] = [];

  register(check: ActiveCampaignCheck): void {
    this.checks.push(check);
  }

  async hasVoter(
    tenantId: string,
    idExterneEmploye: string,
    syndicats?: readonly string[],
  ): Promise<boolean> {
    for (const check of this.checks) {
      if (await check.hasVoter(tenantId, idExterneEmploye, syndicats)) return true;
    }
    return false;
  }

  async release(tenantId: string, idExterneEmploye: string): Promise<void> {
    for (const check of this.checks) await check.release(tenantId, idExterneEmploye);
  }
}
