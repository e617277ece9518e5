import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { CopiedRows } from '#platform/bulk/copied-rows';
import { openPieces, sealPieces } from '#platform/bulk/sealed-pieces';
import type { SealedColumn } from '#platform/database/sealed-columns';
import { SecretBox } from '#platform/ops/secret-box';

/** Encrypted images, and their encrypted key. */
export interface SealedImages {
  readonly images: readonly Buffer[];
  readonly cle: Buffer;
}

/** The keys of the images of syncs. A key encrypts the images of one sync, and is removed with them. */
export const SYNC_SEALED: SealedColumn = {
  ...{ table: 'sync', key: 'id_unique', keyType: 'uuid', column: 'cle' },
  context: (tenantId, id) => `sync ${tenantId} ${id}`,
};

/** Encrypts the images of syncs. */
@Injectable()
export class ImageBox {
  constructor(private readonly box: SecretBox) {}

  seal(tenantId: string, syncId: string, notes: CopiedRows): SealedImages {
    const key = randomBytes(32);
    const cle = this.box.seal(key, SYNC_SEALED.context(tenantId, syncId));
    return { images: sealPieces(key, notes.pieces()), cle };
  }

  /** Does the same as `open`, but returns undefined if the pieces were altered. */
  openWhole(tenantId: string, syncId: string, { images, cle }: SealedImages): CopiedRows | undefined {
    const key = this.box.open(cle, SYNC_SEALED.context(tenantId, syncId));
    try {
      return CopiedRows.ofPieces(openPieces(key, images));
    } catch {
      return undefined;
    }
  }

  open(tenantId: string, syncId: string, { images, cle }: SealedImages): CopiedRows {
    return CopiedRows.ofPieces(openPieces(this.box.open(cle, SYNC_SEALED.context(tenantId, syncId)), images));
  }
}
