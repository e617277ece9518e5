import { Injectable } from '@nestjs/common';
import type Sharp from 'sharp';
import { Databases } from '#platform/database/databases';
import type { InputFault } from '#platform/errors/domain-error';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import { REQUETE } from '#platform/errors/platform.errors';
import { BUDGETS } from '#platform/limits/budgets';
import { KeyedLimit } from '#platform/limits/keyed-limit';
import { SIGNATURE } from '../domain/adhesion.errors';
import { heightOf, MOST_PIXELS, pixelsOf, readPngDataUrl } from '../domain/png';
import { fr, type Text } from '#platform/errors/text';

const DAMAGED: Text = {
  en: 'is damaged: its pixels cannot be decoded. Encode it again',
  fr: fr('est endommagée : ses pixels ne peuvent pas être décodés. Encodez-la de nouveau'),
};

/** The bytes of a signature image; or its fault, and the error of a request without other faults. */
export type ReadSignature =
  | { readonly png: Buffer; readonly fault?: undefined; readonly error?: undefined }
  | { readonly png?: undefined; readonly fault: InputFault; readonly error: ErrorDefinition };

/** Reads signature images and decodes each once, beside the main thread and a few at once. */
@Injectable()
export class SignatureDecoder {
  private readonly decodings = new KeyedLimit(BUDGETS.images, undefined, BUDGETS.imagesInAll);
  private library: Promise<typeof Sharp> | undefined;

  constructor(private readonly databases: Databases) {}

  /** Loads the library: only the processes that decode do, because it blocks the main thread for 0.2 s and has 25 MB. */
  prepare(): Promise<typeof Sharp> {
    return (this.library ??= loadLibrary());
  }

  /** Returns an image only if viewers can show it. */
  async read(tenantId: string, url: string): Promise<ReadSignature> {
    const { png, fault } = readPngDataUrl(url);
    if (!png) return refused(REQUETE.Invalide, fault);
    const pixels = pixelsOf(png);
    if (!Buffer.isBuffer(pixels)) return refused(SIGNATURE.ImageInvalide, pixels);
    const client = await this.databases.clientOf(tenantId);
    if (await this.decodings.run(client, () => this.canBeShown(pixels))) return { png };
    return refused(SIGNATURE.ImageInvalide, DAMAGED);
  }

  /** Asks for the last row, because the library decodes all rows before it and keeps none of them. */
  private async canBeShown(png: Buffer): Promise<boolean> {
    const sharp = await this.prepare();
    const last = { left: 0, top: heightOf(png) - 1, width: 1, height: 1 };
    try {
      const image = sharp(png, { limitInputPixels: MOST_PIXELS ** 2 });
      await image.extract(last).raw().toBuffer();
      return true;
    } catch {
      return false;
    }
  }
}

/** Loads the library, and permits its decoder of PNG only. */
async function loadLibrary(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadPngBuffer'] });
  return sharp;
}

function refused(error: ErrorDefinition, detail: Text): ReadSignature {
  return { error, fault: { pointer: '/imageSignature', code: 'image', detail } };
}
