import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { RowStep } from '#platform/bulk/copied-rows';
import { opening, sealing } from '#platform/bulk/sealed-rows';
import type { SealedColumn } from '#platform/database/sealed-columns';
import { SecretBox } from '#platform/ops/secret-box';

/** A key of images: encrypted, and the step that encrypts rows with it. */
export interface ImageKey {
  readonly cle: Buffer;
  readonly sealed: RowStep;
}

/** The keys of the images of syncs. A key encrypts the images of one sync, and is removed with them. */
export const SYNC_SEALED: SealedColumn = {
  ...{ table: 'sync', key: 'id_unique', keyType: 'uuid', column: 'cle' },
  context: (tenantId, id) => `sync ${tenantId} ${id}`,
};

@Injectable()
export class ImageKeys {
  constructor(private readonly box: SecretBox) {}

  make(tenantId: string, syncId: string): ImageKey {
    const key = randomBytes(32);
    return { cle: this.box.seal(key, SYNC_SEALED.context(tenantId, syncId)), sealed: sealing(key) };
  }

  /** Returns the step that decrypts the images of a sync. */
  opened(tenantId: string, syncId: string, cle: Buffer): RowStep {
    return opening(this.box.open(cle, SYNC_SEALED.context(tenantId, syncId)));
  }
}
