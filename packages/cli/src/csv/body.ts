import { CellFault } from './dates.js';
import type { Faults } from './faults.js';
import type { Property, RecordMapping } from './mapping.js';
import { FIELDS, type Kind, SHAPES, TOP } from './shapes.js';

/** A record that one or more lines describe. */
interface Built {
  /** First line that names it. */
  readonly line: number;
  readonly values: Record<string, string | null>;
  /** Lines of the values that the first line left empty. */
  later?: Record<string, number>;
  nested?: Partial<Record<Kind, Built[]>>;
}

type Cells = readonly string[];

/** Makes the body of a V2 sync from lines. Lines with one identifier are one record. */
export class BodyBuilder {
  private readonly top: Partial<Record<Kind, Built[]>> = {};
  private readonly known = new Map<string, Built>();

  /** @param clears whether an empty cell clears the value; otherwise it leaves the value alone */
  constructor(
    private readonly file: string,
    private readonly titles: readonly string[],
    private readonly mapping: readonly RecordMapping[],
    private readonly clears: boolean,
    private readonly faults: Faults,
  ) {}

  add(cells: Cells, line: number): void {
    const { titles } = this;
    const isLonger = cells.slice(titles.length).some((cell) => cell !== '');
    // Excel leaves out empty cells at the end of a line.
    if (isLonger || (this.clears && cells.length < titles.length)) {
      const detail = `has ${cells.length} cells, but the header has ${titles.length}; is a separator or quote missing?`;
      return this.faults.add({ fichier: this.file, ligne: line, detail });
    }
    for (const record of this.mapping) this.record(record, cells, line, this.top, '');
  }

  body(): Partial<Record<Kind, object[]>> {
    return Object.fromEntries(
      TOP.flatMap((kind) => (this.top[kind] ? [[kind, this.top[kind].map(itemOf)]] : [])),
    );
  }

  private record(
    { kind, properties, own, nested }: RecordMapping,
    cells: Cells,
    line: number,
    parent: Partial<Record<Kind, Built[]>>,
    parentKey: string,
  ): void {
    if (own.length > 0 && own.every((place) => (cells[place] ?? '') === '')) return;
    const values: Record<string, string | null> = {};
    for (const property of properties) {
      const value = this.valueOf(property, kind, cells, line);
      if (value !== undefined) values[property.name] = value;
    }
    const identifier = values[SHAPES[kind].identifier];
    // A record without an identifier is a fault already. The faults of the records in it are listed, too.
    const key = `${parentKey}\0${kind}\0${identifier ?? line}`;
    let built = this.known.get(key);
    if (built) this.join(built, values, kind, properties, line);
    else {
      built = { line, values };
      this.known.set(key, built);
      (parent[kind] ??= []).push(built);
    }
    for (const child of nested) this.record(child, cells, line, (built.nested ??= {}), key);
  }

  private valueOf(
    { name, isRequired, source }: Property,
    kind: Kind,
    cells: Cells,
    line: number,
  ): string | null | undefined {
    try {
      const value = source.read(cells);
      if (value !== undefined) return value;
      if (isRequired) throw new CellFault(`is empty, but ${kind}.${name} is required`);
      return this.clears ? null : undefined;
    } catch (error) {
      if (!(error instanceof CellFault)) throw error;
      this.fault(line, source.columns, error.message);
      return undefined;
    }
  }

  /** Adds the values of a further line to a record. */
  private join(
    built: Built,
    values: Readonly<Record<string, string | null>>,
    kind: Kind,
    properties: readonly Property[],
    line: number,
  ): void {
    for (const { name, source } of properties) {
      const [before, now] = [built.values[name], values[name]];
      if (now === undefined || now === before) continue;
      if (before === undefined) {
        built.values[name] = now;
        (built.later ??= {})[name] = line;
        continue;
      }
      const first = built.later?.[name] ?? built.line;
      const id = JSON.stringify(built.values[SHAPES[kind].identifier]);
      const detail = `${kind}.${name} of ${id} is ${shownValue(now)}, but ${shownValue(before)} in line ${first}`;
      this.fault(line, source.columns, detail);
    }
  }

  private fault(ligne: number, columns: readonly number[], detail: string): void {
    const title = columns.map((place) => this.titles[place]).join(', ');
    this.faults.add({ fichier: this.file, ligne, ...(title ? { colonne: title } : {}), detail });
  }
}

/** Begins the names of custom values. */
const FIELD = `${FIELDS}.`;

const shownValue = (value: string | null): string => (value === null ? 'empty' : JSON.stringify(value));

function itemOf({ values, nested = {} }: Built): object {
  const item: Record<string, unknown> = {};
  const fields: object[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith(FIELD)) fields.push({ NomChamp: name.slice(FIELD.length), Valeur: value });
    else item[name] = value;
  }
  if (fields.length > 0) item[FIELDS] = fields;
  for (const [kind, list] of Object.entries(nested)) item[kind] = list.map(itemOf);
  return item;
}
