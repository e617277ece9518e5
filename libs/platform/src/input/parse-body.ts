import { REQUETE } from '../errors/platform.errors';
import { isUtf8 } from 'node:buffer';
import { DomainError, invalidRequest } from '../errors/domain-error';
import { bodyThat, JsonFault, notJson, parseWithRows, TooManyRows } from './json-rows';
import { repeatedName } from './repeated-names';
import { shapeFault } from './json-shape';
import { SYNC_RECORD_BYTES, SYNC_RECORDS } from '../limits/request-sizes';
import { fr } from '../errors/text';

const ROW_LIMITS = { rows: SYNC_RECORDS, rowBytes: SYNC_RECORD_BYTES };

/**
 * Reads a body of JSON in UTF-8.
 *
 * @param rows whether lists are left to be read element by element (JsonRows)
 * @throws DomainError `Requete.Invalide`, `Requete.TropVolumineuse`
 */
export async function parseBody(sent: Buffer, rows: boolean): Promise<unknown> {
  if (!isUtf8(sent)) {
    const detail = { en: 'the body must be valid UTF-8', fr: fr('le corps doit être en UTF-8 valide') };
    throw invalidRequest([{ pointer: '', code: 'encoding', detail }]);
  }
  const marked = sent[0] === 0xef && sent[1] === 0xbb && sent[2] === 0xbf;
  const json = marked ? sent.subarray(3) : sent;
  try {
    if (!rows) {
      const unfit = shapeFault(json);
      if (unfit) throw new JsonFault(0, bodyThat(unfit));
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
  const detail = {
    en: 'is sent twice; send it once',
    fr: fr('figure deux fois; envoyez-le une seule fois'),
  };
  throw invalidRequest([{ pointer, code: 'duplicate', detail }]);
}

/** Reports only the position of a syntax error, because V8's message quotes text that may be personal data. */
export function invalidJson(error: unknown): DomainError {
  const place = /position (\d+)/.exec((error as Error).message)?.[1];
  const detail = error instanceof JsonFault ? error.detail : notJson(place);
  return invalidRequest([{ pointer: '', code: 'json', detail }]);
}

function tooManyRecords(): DomainError {
  const most = SYNC_RECORDS.toLocaleString('en');
  return new DomainError(REQUETE.TropVolumineuse, {
    en: `One sync takes at most ${most} records, of at most 2 MB each: send the rest in another one. Nothing was written.`,
    fr: fr`Une synchronisation accepte au plus ${SYNC_RECORDS} enregistrements, d'au plus 2 Mo chacun : envoyez le reste dans une autre. Rien n'a été écrit.`,
  });
}
