import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActiveCampaigns, type ActiveCampaignCheck } from '#membership';
import { VotantRepository } from '../persistence/votant.repository';

/** Answers for campaigns where employees and cards ask whether they may go. */
@Injectable()
export class EmployeVoters implements ActiveCampaignCheck, OnModuleInit {
  constructor(
    private readonly repository: VotantRepository,
    private readonly campaigns: ActiveCampaigns,
  ) {}

  onModuleInit(): void {
    this.campaigns.register(this);
  }

  hasVoter(tenantId: string, employe: string, syndicats?: readonly string[]): Promise<boolean> {
    return this.repository.isVoter(tenantId, employe, syndicats);
  }

  release(tenantId: string, employe: string): Promise<void> {
    return this.repository.removeFromDrafts(tenantId, employe);
  }
}
