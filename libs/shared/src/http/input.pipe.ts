import { ArgumentMetadata, Injectable, PipeTransform } from '@nestjs/common';
import { invalidRequest } from '../errors/domain-error';
import { hasAtMost } from '../records/faults';
import { textFault } from '../records/fold';
import { JsonRows } from '../records/json-rows';
import { RecordClass } from './field.decorator';
import { readInput } from './read-input';

/**
 * The one door for input: bodies and query strings become checked request classes, parts of the path are text that
 * can be an identifier. Nothing unknown passes (decisions, section 3).
 */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    if (type === 'param') return pathPart(value, data ?? '');
    if (type !== 'body' && type !== 'query') return value;
    if (type === 'body' && metatype === Array) return rowsOf(value);
    // A body of several shapes has no class of its own: the route's own pipe checks it.
    if (type === 'body' && metatype === Object) return value;
    const { mayBeAbsent } = metatype as { mayBeAbsent?: boolean };
    return readInput(metatype as RecordClass, mayBeAbsent ? (value ?? {}) : value, type);
  }
}

/** A body that is a list of records, each of which is checked where it is used. */
function rowsOf(value: unknown): unknown {
  if (value instanceof JsonRows) return value;
  throw invalidRequest([{ pointer: '', code: 'type', detail: 'the body must be a JSON array' }]);
}

function pathPart(value: unknown, name: string): string {
  const text = String(value).trim();
  const detail =
    textFault(text) ?? (text === '' || !hasAtMost(text, 255) ? 'must have 1 to 255 characters' : undefined);
  if (detail) throw invalidRequest([{ pointer: `{${name}}`, code: 'type', detail }]);
  return text;
}
