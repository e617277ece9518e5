import { Injectable } from '@nestjs/common';

/** Checks that the context of campaigns makes before a data space is moved. */
export interface MoveObstacleCheck {
  /** Whether a vote of the data space is open, opens within five minutes, or has a ballot box that is not sealed. */
  hasVote(tenantId: string): Promise<boolean>;
}

/** Asks the context of campaigns, which registers its check here: it imports this context, and not the reverse. */
@Injectable()
export class MoveObstacles {
  private registered: MoveObstacleCheck | undefined;

  register(check: MoveObstacleCheck): void {
    this.registered = check;
  }

  get check(): MoveObstacleCheck {
    if (!this.registered) throw new Error('No check of votes is registered: load VotingModule.');
    return this.registered;
  }
}
