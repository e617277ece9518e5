import type { ValidationError } from '@nestjs/common';
import { type InputFault } from '../errors/domain-error';
import { describeFault, type FaultCode } from './faults';
import { type Source, UNKNOWN_PROPERTY } from './fold';
import { type RecordDefinition } from './field';

/** The fault of each rule of class-validator. If a value breaks several rules, the first one in this list is reported. */
const CODES = Object.entries<FaultCode>({
  isDefined: 'required',
  isString: 'type',
  isInt: 'type',
  isBoolean: 'type',
  isArray: 'type',
  isObject: 'type',
  nestedValidation: 'type',
  isDate: 'date',
  isInTime: 'range',
  maxLength: 'length',
  arrayMaxSize: 'length',
  isIn: 'choice',
  isEmail: 'email',
  isGuid: 'uuid',
  isCurrency: 'currency',
  isHtml: 'length',
  isDecimal: 'range',
  min: 'range',
  max: 'range',
  arrayUnique: 'duplicate',
});

/**
 * The faults that class-validator found, one for each value.
 *
 * @param path pointer of the record that the errors are about
 */
export function faultsOf(
  errors: ValidationError[],
  definition: RecordDefinition,
  source: Source,
  path: string,
): InputFault[] {
  return errors.flatMap((error) => {
    const field = definition[error.property];
    const at = source === 'query' ? `?${error.property}` : `${path}/${error.property}`;
    if (!field) return [{ pointer: at, code: 'unknown', detail: UNKNOWN_PROPERTY }];
    if (field.kind === 'record' && error.children?.length)
      return faultsOf(error.children, field.of, source, at);
    if (field.kind === 'records' && error.children?.length) {
      return error.children.flatMap(({ property, children }) =>
        faultsOf(children ?? [], field.of, source, `${at}/${property}`),
      );
    }
    const { constraints = {} } = error;
    const [, code = 'type' as const] = CODES.find(([name]) => Object.hasOwn(constraints, name)) ?? [];
    return [{ pointer: at, code, detail: describeFault(field, code, error.value) }];
  });
}
