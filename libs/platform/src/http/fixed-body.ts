import type { Response } from 'express';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { holds } from './etag';
import { etagOf } from '../input/if-match';
import type { Language } from '../errors/text';
import { announceLanguage } from './language';

type Encoding = 'br' | 'gzip' | 'identity';

/** An encoding of the content, with its own ETag. */
interface Representation {
  readonly encoding: Encoding;
  readonly bytes: Buffer;
  readonly etag: string;
}

const pack = {
  /** A third smaller than gzip in the same time; the best quality takes forty times as long for a tenth more. */
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

/** A cache may answer with it for five minutes; after a release, that is how long an older document is seen. */
const CACHE_CONTROL = 'public, max-age=300, must-revalidate';

/** A body that is the same for every caller: made and compressed once, then answered from memory. */
export class FixedBody {
  private made?: Promise<readonly Representation[]>;

  /**
   * @param type as `Content-Type` has it; pictures are not compressed a second time
   * @param language of a body that there is in each language
   */
  constructor(
    private readonly type: string,
    private readonly make: () => string | Buffer,
    private readonly language?: Language,
  ) {}

  /** Makes the body, unless it is there, and returns its encodings, the smallest first. */
  prepare(): Promise<readonly Representation[]> {
    return (this.made ??= this.encode(Buffer.from(this.make())));
  }

  /** Answers a GET or HEAD in the smallest encoding that it accepts, with 304 where the caller holds that one. */
  async answer(response: Response): Promise<void> {
    const request = response.req;
    const all = await this.prepare();
    const chosen = all.find(({ encoding }) => request.acceptsEncodings(encoding)) ?? all.at(-1)!;
    response.setHeader('Cache-Control', CACHE_CONTROL);
    response.vary('Accept-Encoding');
    if (this.language) announceLanguage(response, this.language);
    response.setHeader('ETag', chosen.etag);
    if (holds(request, chosen.etag)) {
      response.removeHeader('Content-Type');
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', this.type);
    response.setHeader('Content-Length', chosen.bytes.length);
    if (chosen.encoding !== 'identity') response.setHeader('Content-Encoding', chosen.encoding);
    response.end(chosen.bytes);
  }

  private async encode(bytes: Buffer): Promise<readonly Representation[]> {
    const plain: [Encoding, Buffer] = ['identity', bytes];
    const encoded: [Encoding, Buffer][] = this.type.startsWith('image/')
      ? [plain]
      : [['br', await pack.br(bytes)], ['gzip', await pack.gzip(bytes)], plain];
    return encoded.map(([encoding, body]) => ({ encoding, bytes: body, etag: etagOf(body) }));
  }
}
