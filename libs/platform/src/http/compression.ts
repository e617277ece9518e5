import { type ExecutionContext, Injectable, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import Negotiator from 'negotiator';
import { pipeline, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { CallerRequest } from '../limits/caller';
import { compressions } from '../limits/list-parts';
import { ProblemFilter } from './problem.filter';
import { streamable, whole } from './streamable';

/** Answers of fewer characters or bytes are sent as they are, because compressing them costs more than it saves. */
const LEAST_LENGTH = 1_024;

/** 2 MB of employees take 8 ms at this quality. The next one takes 52 ms, for a tenth fewer bytes. */
const BROTLI: zlib.BrotliOptions = {
  params: {
    [zlib.constants.BROTLI_PARAM_QUALITY]: 3,
    [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
  },
};

interface Encoding {
  readonly atOnce: (whole: string | Buffer) => Promise<Buffer>;
  readonly inParts: () => Transform;
}

const brotliCompress = promisify(zlib.brotliCompress);
const zstdCompress = promisify(zlib.zstdCompress);
const gzip = promisify(zlib.gzip);

/** The encodings, the preferred one first. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  zstd: { atOnce: (whole) => zstdCompress(whole), inParts: () => zlib.createZstdCompress() },
  br: { atOnce: (whole) => brotliCompress(whole, BROTLI), inParts: () => zlib.createBrotliCompress(BROTLI) },
  gzip: { atOnce: (whole) => gzip(whole), inParts: () => zlib.createGzip() },
};
const PREFERRED = [...Object.keys(ENCODINGS), 'identity'];

type CallerResponse = Response & { readonly req: CallerRequest };

/** The types of `negotiator` omit the option. */
interface EncodingChoice {
  encoding(
    available: readonly string[],
    options: { readonly preferred: readonly string[] },
  ): string | undefined;
}

/**
 * Compresses answers of `LEAST_LENGTH` and more as `Accept-Encoding` asks, those that are sent in parts too. Node's other threads do
 * the work. An ETag names the content, so it is the same in each encoding.
 */
@Injectable()
export class Compression {
  constructor(private readonly problems: ProblemFilter) {}

  /** Returns an answer as its caller takes it. */
  async compressed(answer: unknown, context: ExecutionContext): Promise<unknown> {
    const response = context.switchToHttp().getResponse<CallerResponse>();
    const encoding = isLong(answer) && isText(response) ? accepted(response) : undefined;
    if (!encoding) return Buffer.isBuffer(answer) ? whole([answer]) : answer;
    if (!(answer instanceof StreamableFile)) {
      const client = response.req.caller?.clientId ?? '';
      return whole([await compressions.run(client, () => encoding.atOnce(answer as string | Buffer))]);
    }
    const parts = encoding.inParts();
    // A failure or the end of the connection ends both streams.
    pipeline(answer.getStream(), parts, () => undefined);
    return streamable(this.problems, context, parts);
  }
}

/** Chooses the encoding of a response, and declares it. Undefined for none. */
function accepted(response: CallerResponse): Encoding | undefined {
  response.vary('Accept-Encoding');
  const choice = new Negotiator(response.req) as EncodingChoice;
  const name = choice.encoding(PREFERRED, { preferred: PREFERRED }) ?? 'identity';
  const encoding = ENCODINGS[name];
  if (encoding) response.setHeader('Content-Encoding', name);
  return encoding;
}

/** Whether an answer is long enough to compress it. */
function isLong(answer: unknown): boolean {
  if (typeof answer === 'string' || Buffer.isBuffer(answer)) return answer.length >= LEAST_LENGTH;
  return answer instanceof StreamableFile && (answer.getHeaders().length ?? Infinity) >= LEAST_LENGTH;
}

/** Whether an answer is text. A bundle is not: its digest is of the bytes that are sent. */
function isText(response: Response): boolean {
  return /json|^text/.test(String(response.getHeader('Content-Type')));
}
