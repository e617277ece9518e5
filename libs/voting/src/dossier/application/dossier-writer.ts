import { createHash, type Hash } from 'node:crypto';
import type { DossierFile, DossierRepository } from '../persistence/dossier.repository';

/** Bytes of a stored part. A larger one holds up other requests longer while it is decoded (docs/performance.md). */
const PART_BYTES = 2 ** 15;

/** Stores one file of a bundle part by part, in the ambient transaction, and computes its size and digest. */
export class DossierWriter {
  private readonly digest: Hash = createHash('sha256');
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private octets = 0;
  private place = 0;

  /** @param fichier place of the file in the archive */
  constructor(
    private readonly repository: DossierRepository,
    private readonly dossier: { readonly tenantId: string; readonly id: string },
    private readonly fichier: number,
  ) {}

  async write(data: Buffer | string): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    this.digest.update(bytes);
    this.octets += bytes.length;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.waitingBytes < PART_BYTES) return;
    let whole = Buffer.concat(this.waiting);
    for (; whole.length >= PART_BYTES; whole = whole.subarray(PART_BYTES))
      await this.store(whole.subarray(0, PART_BYTES));
    this.waiting = [whole];
    this.waitingBytes = whole.length;
  }

  /** Stores the rest. */
  async end(nom: string): Promise<DossierFile> {
    if (this.waitingBytes > 0) await this.store(Buffer.concat(this.waiting));
    return { nom, octets: this.octets, sha256: this.digest.digest('hex') };
  }

  private store(part: Buffer): Promise<void> {
    const { tenantId, id } = this.dossier;
    return this.repository.addPart(tenantId, id, this.fichier, this.place++, part);
  }
}
