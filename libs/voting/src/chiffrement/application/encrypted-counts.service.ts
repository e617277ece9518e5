import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import type { SharedWork } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import { ChiffrementRepository } from '../persistence/chiffrement.repository';
import { ProofsService } from './proofs.service';

/** Makes the sums of sealed encrypted votes, and combines what their guardians have decrypted (docs/encrypted-vote.md, "The count"). */
@Injectable()
export class EncryptedCountsService {
  private readonly work: SharedWork;

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: ChiffrementRepository,
    private readonly proofs: ProofsService,
    sharing: WorkSharing,
  ) {
    this.work = sharing.of({ name: 'dechiffrement', atOnce: 2, isLong: true });
  }

  /** All steps that are due, of all tenants. Shared out by client, and failures, as in `SharedWork`. */
  advanceAllDue(): Promise<void> {
    return this.work.each({
      find: (except) => this.repository.due(except),
      work: ({ tenantId, id }) => this.advance(tenantId, id),
    });
  }

  /** The next step of a campaign: its sums, or its result. All of it or nothing. @returns whether this call did one */
  async advance(tenantId: string, id: string): Promise<boolean> {
    const client = await this.transactions.clientOf({ tenantId });
    const scrutin = await this.repository.scrutin(tenantId, id);
    if (!scrutin) return false;
    const known = await this.transactions.read({ tenantId }, () => this.repository.find(tenantId, id));
    if (!known?.bulletins) {
      // The box is sealed: its ballots cannot change. A sum that another worker has made is the same.
      const { lignes, bulletins } = await this.proofs.sums(
        client,
        scrutin,
        this.repository.ballots(tenantId, id),
      );
      return this.transactions.run({ tenantId }, () =>
        this.repository.keepSums(tenantId, id, lignes, bulletins),
      );
    }
    const { bulletins, seuil, gardiens } = known;
    const options = scrutin.questions.map(({ Options }) => Options.length);
    const { of, fichiers } = await this.transactions.read({ tenantId }, async () => {
      const files = await this.repository.files(tenantId, id, 'ceremony');
      const ceremony = { campagneId: id, seuil, gardiens, fichiers: files.map(parsed) };
      const sommes = await this.repository.sums(tenantId, id);
      const decryptions = await this.repository.used(tenantId, id);
      return {
        of: { ceremony, options, bulletins, sommes },
        fichiers: decryptions.map(parsed),
      };
    });
    if (fichiers.length < seuil) return false;
    const sums = await this.proofs.result(client, of, fichiers);
    return this.transactions.run({ tenantId }, () => this.repository.keepResult(id, sums));
  }
}

const parsed = (text: string): object => JSON.parse(text) as object;
