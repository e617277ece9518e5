import { REQUETE } from '../errors/platform.errors';
import { isUtf8 } from 'node:buffer';
import { DomainError, invalidRequest } from '../errors/domain-error';
import { JsonFault, notJson, parseWithRows, TooManyRows } from './json-rows';
import { repeatedName } from './repeated-names';
import { shapeFault } from './json-shape';
import { SYNC_RECORD_BYTES, SYNC_RECORDS } from '../limits/request-sizes';

const ROW_LIMITS = { rows: SYNC_RECORDS, rowBytes: SYNC_RECORD_BYTES };

/**
 * Reads a body of JSON in UTF-8.
 *
 * @param rows whether lists are left to be read element by element (JsonRows)
 * @throws DomainError `Requete.Invalide`, `Requete.TropVolumineuse`
 */
export async function parseBody(sent: Buffer, rows: boolean): Promise<unknown> {
  if (!isUtf8(sent)) {
    throw invalidRequest([{ pointer: '', code: 'encoding', detail: 'the body must be valid UTF-8' }]);
  }
  const marked = sent[0] === 0xef && sent[1] === 0xbb && sent[2] === 0xbf;
  const json = marked ? sent.subarray(3) : sent;
  try {
    if (!rows) {
      const unfit = shapeFault(json);
      if (unfit) throw new JsonFault(0, `the body ${unfit}`);
      const body = JSON.parse(json.toString()) as unknown;
      const twice = repeatedName(json, body);
      return twice === undefined ? body : refuseRepeated(twice);
    }
    return await parseWithRows(json, ROW_LIMITS, refuseRepeated);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw error instanceof TooManyRows ? tooManyRecords() : invalidJson(error);
  }
}

function refuseRepeated(pointer: string): never {
  throw invalidRequest([{ pointer, code: 'duplicate', detail: 'is sent twice; send it once' }]);
}

/** Reports only the position of a syntax error, because V8's message quotes text that may be personal data. */
export function invalidJson(error: unknown): DomainError {
  const place = /position (\d+)/.exec((error as Error).message)?.[1];
  const detail = error instanceof JsonFault ? error.detail : notJson(place);
  return invalidRequest([{ pointer: '', code: 'json', detail }]);
}

function tooManyRecords(): DomainError {
  const most = SYNC_RECORDS.toLocaleString('en');
  return new DomainError(
    REQUETE.TropVolumineuse,
    `One sync takes at most ${most} records, of at most 2 MB each: send the rest in another one. Nothing was written.`,
  );
}
