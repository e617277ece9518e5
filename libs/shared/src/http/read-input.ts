import { validateSync, type ValidationError } from 'class-validator';
import { type InputFault, invalidRequest } from '../errors/domain-error';
import { describeFault, type FaultCode } from '../records/faults';
import { type RecordDefinition } from '../records/field';
import { foldRecord, isPlainObject, type Source } from '../records/fold';
import { definitionOf, nestedClassOf, type RecordClass } from './field.decorator';

const FAULT_OF_CONSTRAINT: Record<string, FaultCode> = {
  isDefined: 'required',
  isString: 'type',
  isInt: 'type',
  isBoolean: 'type',
  isArray: 'type',
  isObject: 'type',
  nestedValidation: 'type',
  isDate: 'date',
  maxLength: 'length',
  arrayMaxSize: 'length',
  isEmail: 'email',
  isGuid: 'uuid',
  isCurrency: 'currency',
  isDecimal: 'range',
  min: 'range',
  max: 'range',
  isIn: 'choice',
  arrayUnique: 'duplicate',
};

/** Of several broken rules of one value, the one worth saying: the earliest here. */
const PRECEDENCE: FaultCode[] = [
  'required',
  'type',
  'date',
  'length',
  'choice',
  'email',
  'uuid',
  'currency',
  'range',
  'duplicate',
];

/**
 * Turns a sent body or query into a checked instance of a request class.
 *
 * @throws DomainError `Requete.Invalide` that lists every fault at once
 */
export function readInput<T extends object>(type: RecordClass<T>, sent: unknown, source: Source): T {
  if (!isPlainObject(sent)) {
    throw invalidRequest([{ pointer: '', code: 'type', detail: 'the body must be a JSON object' }]);
  }
  const faults: InputFault[] = [];
  const input = instantiate(type, foldRecord(sent, definitionOf(type), source, '', faults));
  const named = new Set(faults.map((fault) => fault.pointer.toLowerCase()));
  const errors = validateSync(input, { forbidUnknownValues: false });
  for (const fault of faultsOf(errors, definitionOf(type), source, '')) {
    // A value that could not be read is already named; its absence is no second fault.
    if (!named.has(fault.pointer.toLowerCase())) faults.push(fault);
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return input;
}

function instantiate<T extends object>(type: RecordClass<T>, values: Record<string, unknown>): T {
  for (const [name, field] of Object.entries(definitionOf(type))) {
    const value = values[name];
    const nested = nestedClassOf(type, name);
    if (!nested) continue;
    if (field.kind === 'record' && isPlainObject(value)) values[name] = instantiate(nested, value);
    if (field.kind === 'records' && Array.isArray(value)) {
      values[name] = value.map((element: unknown) =>
        isPlainObject(element) ? instantiate(nested, element) : element,
      );
    }
  }
  return Object.assign(new type(), values);
}

function faultsOf(
  errors: ValidationError[],
  definition: RecordDefinition,
  source: Source,
  path: string,
): InputFault[] {
  return errors.flatMap((error) => {
    const field = definition[error.property];
    if (!field) return [];
    const at = `${path}/${error.property}`;
    if (field.kind === 'record' && error.children?.length)
      return faultsOf(error.children, field.of, source, at);
    if (field.kind === 'records' && error.children?.length) {
      return error.children.flatMap(({ property, children }) =>
        faultsOf(children ?? [], field.of, source, `${at}/${property}`),
      );
    }
    const codes = Object.keys(error.constraints ?? {}).map((name) => FAULT_OF_CONSTRAINT[name] ?? 'type');
    const code = PRECEDENCE.find((candidate) => codes.includes(candidate)) ?? 'type';
    return [
      { pointer: source === 'query' ? `?${error.property}` : at, code, detail: describeFault(field, code) },
    ];
  });
}
