import type { Faults } from './faults.js';
import { DATE_FORMS, type DateForm } from './dates.js';
import { nearest } from './nearest.js';
import { FIELDS, type Kind, type PropertyShape, SHAPES, TOP } from './shapes.js';
import { type Columns, isObject, type Source, sourceOf } from './source.js';

/** A property of a record and where its values come from. */
export interface Property {
  /** Name in the body; that of a custom value begins with `ValeursChampUtilisateur.`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly source: Source;
}

/** A record that each line may have. */
export interface RecordMapping {
  readonly kind: Kind;
  readonly properties: readonly Property[];
  /** Columns that the record above it does not use. If their cells are empty, the line has no such record. */
  readonly own: readonly number[];
  readonly nested: readonly RecordMapping[];
}

const OPTIONS = ['dates'];

/** Reads a mapping file: the shape of a body, with columns in place of values (README.md, "Mapping"). */
export class MappingReader {
  private dates: DateForm | undefined;

  constructor(
    private readonly file: string,
    private readonly columns: Columns,
    private readonly faults: Faults,
  ) {}

  /** @returns the records of a line, as far as the mapping has no faults */
  read(mapping: unknown): RecordMapping[] {
    if (!isObject(mapping)) return (this.fault('', 'must be a JSON object'), []);
    if (mapping['dates'] !== undefined) this.dates = this.dateForm('dates', mapping['dates']);
    this.knownNames('', mapping, [...TOP, ...OPTIONS]);
    const records = TOP.flatMap((kind) => this.records(kind, mapping[kind], kind, []));
    if (!TOP.some((kind) => mapping[kind] !== undefined)) this.fault('', 'needs Employes or Syndicats');
    return records;
  }

  /** @param above columns of the record above */
  private records(kind: Kind, value: unknown, path: string, above: readonly number[]): RecordMapping[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return this.record(kind, value, path, above);
    return value.flatMap((one, at) => this.record(kind, one, `${path}[${at}]`, above));
  }

  private record(kind: Kind, value: unknown, path: string, above: readonly number[]): RecordMapping[] {
    if (!isObject(value)) return (this.fault(path, 'must be an object with a column for each property'), []);
    const { properties: shapes, nested, hasFields } = SHAPES[kind];
    this.knownNames(path, value, [...Object.keys(shapes), ...nested, ...(hasFields ? [FIELDS] : [])]);
    const properties = Object.entries(shapes).flatMap(([name, shape]) =>
      this.property(name, shape, value[name], `${path}.${name}`),
    );
    if (hasFields && value[FIELDS] !== undefined)
      properties.push(...this.fields(value[FIELDS], `${path}.${FIELDS}`));
    const used = properties.flatMap(({ source }) => source.columns);
    const children = nested.flatMap((child) => this.records(child, value[child], `${path}.${child}`, used));
    const own = used.filter((column) => !above.includes(column));
    return [{ kind, properties, own, nested: children }];
  }

  private property(name: string, shape: PropertyShape, value: unknown, path: string): Property[] {
    if (value === undefined) {
      if (shape.isRequired) this.fault(path, 'is missing and required');
      return [];
    }
    const source = sourceOf(value, this.columns, shape.isDate, this.dates, (detail) =>
      this.fault(path, detail),
    );
    return source ? [{ name, isRequired: shape.isRequired, source }] : [];
  }

  private fields(value: unknown, path: string): Property[] {
    if (!isObject(value))
      return (this.fault(path, 'must be an object with a column for each custom field'), []);
    const shape = { isRequired: false, isDate: false };
    return Object.entries(value).flatMap(([name, column]) =>
      this.property(`${FIELDS}.${name}`, shape, column, `${path}.${name}`),
    );
  }

  private dateForm(path: string, value: unknown): DateForm | undefined {
    const form = DATE_FORMS.find((known) => known === value);
    if (!form) this.fault(path, `must be one of ${DATE_FORMS.join(', ')}`);
    return form;
  }

  private knownNames(path: string, value: object, known: readonly string[]): void {
    for (const name of Object.keys(value).filter((given) => !known.includes(given))) {
      const near = nearest(name, known);
      const hint = near ? `did you mean ${near}?` : `known are ${known.join(', ')}`;
      this.fault(path ? `${path}.${name}` : name, `is no property; ${hint}`);
    }
  }

  private fault(path: string, detail: string): void {
    this.faults.add({ fichier: this.file, detail: path ? `${path} ${detail}` : detail });
  }
}
