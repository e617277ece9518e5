import { Injectable } from '@nestjs/common';
import { Cells } from '#platform/database/databases';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { Outbox } from '#platform/events/outbox';
import type { SharedWork } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import { Clock } from '#platform/ops/clock';
import { CLE_EVENTS } from '../domain/clients.events';
import { ClientRepository } from '../persistence/client.repository';

/** Time before the end of a key at which its event is sent, in ms. */
const NOTICE_MS = 14 * 86_400_000;

/** Sends `cle.expireBientot`. */
@Injectable()
export class ExpiryService {
  private readonly work: SharedWork;

  constructor(
    private readonly transactions: Transactions,
    private readonly clients: ClientRepository,
    private readonly cells: Cells,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    sharing: WorkSharing,
  ) {
    this.work = sharing.of({ name: 'expiration', atOnce: 2, isLong: false, afterFailureMs: 0 });
  }

  /**
   * One round: writes the event of each key of the worker's cell that expires within 14 days, once for each key. Shared out by
   * client, and failures, as in `SharedWork`.
   */
  async tellAllDue(): Promise<void> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + NOTICE_MS);
    await this.work.each({
      find: (except) =>
        this.transactions.read(ADMINISTRATION, () =>
          this.clients.expiring(now, until, this.cells.ownNames, except),
        ),
      work: ({ id }) => this.tell(id, now, until),
    });
  }

  private async tell(id: string, now: Date, until: Date): Promise<void> {
    await this.transactions.run(ADMINISTRATION, async () => {
      const cle = await this.clients.announceExpiry(id, now, until);
      if (!cle) return;
      const { tenantId, ...data } = cle;
      const json = JSON.stringify({ ...data, expireLe: data.expireLe.toISOString() });
      this.transactions.beforeCommit({ tenantId }, async () => {
        // Another cell commits before the directory, so this may be repeated. A key has one such event, so it has the key's id.
        await this.outbox.add(tenantId, CLE_EVENTS.expireBientot, json, data.cleId);
      });
    });
  }
}
