import { Injectable } from '@nestjs/common';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';

/** The public keys of all processes that have signed, in the directory. */
@Injectable()
export class DossierKeysRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Keeps a key for ever. */
  async add(kid: string, clePublique: Uint8Array): Promise<void> {
    await this.transactions.execute(ADMINISTRATION, {
      text: 'INSERT INTO cle_dossier (kid, cle_publique) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      values: [kid, Buffer.from(clePublique)],
    });
  }

  /** Whether a campaign in a cell is published and its count not signed yet. */
  async hasVotes(cell: string): Promise<boolean> {
    const [row] = await this.transactions.query<{ votes: boolean }>(
      { cell },
      {
        text: `SELECT EXISTS (SELECT FROM campagne
                 WHERE publiee AND NOT urne_scellee OR dossier_du OR chiffree AND NOT dechiffree) AS votes`,
        values: [],
      },
    );
    return row!.votes;
  }

  /** Returns the keys, the newest first. */
  async all(): Promise<Buffer[]> {
    const rows = await this.transactions.query<{ cle: Buffer }>(ADMINISTRATION, {
      name: 'dossier_keys',
      text: 'SELECT cle_publique AS cle FROM cle_dossier ORDER BY date_creation DESC, kid',
      values: [],
    });
    return rows.map(({ cle }) => cle);
  }
}
