import { type ArgumentMetadata, Injectable, type ValidationError, ValidationPipe } from '@nestjs/common';
import { type InputFault, invalidRequest, isFull } from '../errors/domain-error';
import { foldRecord, isPlainObject } from './fold';
import { JsonRows } from './json-rows';
import { definitionOf, type RecordClass } from './field.decorator';
import { faultsOf } from './input-faults';
import { inRejectionOrder } from './rejection-order';
import { validate } from './kept-rules';
import { fr } from '../errors/text';

/** The values break rules of their class. */
class BrokenRules extends Error {
  constructor(readonly errors: ValidationError[]) {
    super('The request breaks rules of its class.');
  }
}

/**
 * Turns bodies and query strings into checked instances of their request classes: Nest's ValidationPipe, after names have
 * been brought to their documented casing, for which class-transformer has no hook.
 */
@Injectable()
export class InputPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      // Without the storage of class-validator, Nest looks for no binary values, which neither JSON nor a query string can hold.
      validatorPackage: { validate },
      exceptionFactory: (errors: ValidationError[]) => new BrokenRules(errors),
    });
  }

  /** @throws DomainError `Requete.Invalide` that lists the faults, at most a hundred */
  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type } = metadata;
    if (type !== 'body' && type !== 'query') return sent;
    const metatype = this.expectedType ?? metadata.metatype;
    if (type === 'body' && metatype === Array) return rowsOf(sent);
    // A body of several shapes has no class of its own: the route's own pipe checks it.
    if (!this.toValidate({ type, metatype })) return sent;
    const definition = definitionOf(metatype as RecordClass);
    const faults: InputFault[] = [];
    const record = foldRecord(objectOf(sent, metatype as RecordClass), definition, type, '', faults);
    // Rules that are broken beside so many faults are not looked for.
    if (!isFull(faults)) {
      try {
        const input: unknown = await super.transform(record, metadata);
        if (faults.length === 0) return input;
      } catch (error) {
        if (!(error instanceof BrokenRules)) throw error;
        // A value that could not be read is already named; its absence is no second fault.
        const named = new Set(faults.map(({ pointer }) => pointer.toLowerCase()));
        const broken = faultsOf(error.errors, definition, type, '');
        faults.push(...broken.filter(({ pointer }) => !named.has(pointer.toLowerCase())));
      }
    }
    await inRejectionOrder(metadata);
    throw invalidRequest(faults);
  }
}

function objectOf(sent: unknown, { mayBeAbsent }: RecordClass & { mayBeAbsent?: boolean }): object {
  const value = mayBeAbsent ? (sent ?? {}) : sent;
  if (isPlainObject(value)) return value;
  const detail = { en: 'the body must be a JSON object', fr: fr('le corps doit être un objet JSON') };
  throw invalidRequest([{ pointer: '', code: 'type', detail }]);
}

/** A body that is a list of records, each of which is checked where it is used. */
function rowsOf(sent: unknown): JsonRows {
  if (sent instanceof JsonRows) return sent;
  const detail = { en: 'the body must be a JSON array', fr: fr('le corps doit être un tableau JSON') };
  throw invalidRequest([{ pointer: '', code: 'type', detail }]);
}
