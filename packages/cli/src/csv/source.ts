import { CellFault, DATE_FORMS, type DateForm, dateOf } from './dates.js';
import { nearest } from './nearest.js';

/** Where the values of a property come from. */
export interface Source {
  /** Places of its columns; none for a constant. */
  readonly columns: readonly number[];
  /** Returns the value of a line; undefined if a cell is empty. @throws CellFault */
  read(cells: readonly string[]): string | undefined;
}

type Fault = (detail: string) => void;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The columns of a file by their titles. */
export class Columns {
  private readonly places = new Map<string, number[]>();

  constructor(readonly titles: readonly string[]) {
    for (const [place, title] of titles.entries())
      this.places.set(title, [...(this.places.get(title) ?? []), place]);
  }

  place(title: string, fault: Fault): number | undefined {
    const places = this.places.get(title.normalize('NFC').trim()) ?? [];
    if (places.length === 1) return places[0];
    const quoted = JSON.stringify(title);
    if (places.length > 1)
      fault(`names ${quoted}, but columns ${places.map((place) => place + 1).join(' and ')} have this title`);
    else {
      const titles = this.titles.filter((known) => known !== '');
      const near = nearest(title, titles);
      const known = titles.map((one) => JSON.stringify(one)).join(', ');
      fault(
        `names ${quoted}, which is no column; ${near ? `did you mean ${JSON.stringify(near)}?` : `there are ${known}`}`,
      );
    }
    return undefined;
  }
}

/** Spreadsheets get texts that begin like a formula with an apostrophe (docs/contract.md, "CSV"). */
const plain = (cell: string): string => (/^'[=+\-@＝＋－＠]/.test(cell) ? cell.slice(1) : cell);

/**
 * Reads a source of a mapping: a column, `{colonne, date?, valeurs?}`, or `{texte}` with columns in braces.
 *
 * @param dates form of dates without one of their own
 * @returns undefined after a fault
 */
export function sourceOf(
  given: unknown,
  columns: Columns,
  isDate: boolean,
  dates: DateForm | undefined,
  fault: Fault,
): Source | undefined {
  const value = typeof given === 'string' ? { colonne: given } : given;
  const known = isObject(value) && ('texte' in value ? ['texte'] : ['colonne', 'date', 'valeurs']);
  if (!known || !isObject(value))
    return void fault('must be the title of a column, {"colonne": …} or {"texte": …}');
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown) return void fault(`has ${JSON.stringify(unknown)}; known are ${known.join(', ')}`);
  const { texte, colonne, date, valeurs } = value;
  if (texte !== undefined)
    return typeof texte === 'string'
      ? templateOf(texte, columns, isDate, dates, fault)
      : void fault('has a "texte" that is no text');
  if (typeof colonne !== 'string') return void fault('has no "colonne", the title of a column');
  const form = DATE_FORMS.find((one) => one === date);
  if (date !== undefined && !form)
    return void fault(`has a "date" that is not one of ${DATE_FORMS.join(', ')}`);
  if (
    valeurs !== undefined &&
    !(isObject(valeurs) && Object.values(valeurs).every((one) => typeof one === 'string'))
  )
    return void fault('has "valeurs" that are not an object of texts');
  const place = columns.place(colonne, fault);
  if (place === undefined) return undefined;
  const translate = valeurs ? translation(valeurs as Record<string, string>) : undefined;
  const read = (cells: readonly string[]): string | undefined => {
    const cell = plain(cells[place] ?? '');
    if (cell === '') return undefined;
    if (translate) return translate(cell);
    return isDate || form ? dateOf(cell, form ?? dates) : cell;
  };
  return { columns: [place], read };
}

function translation(values: Record<string, string>): (cell: string) => string {
  const known = new Map(Object.entries(values).map(([cell, value]) => [cell.normalize('NFC').trim(), value]));
  return (cell) => {
    const value = known.get(cell);
    if (value !== undefined) return value;
    const names = [...known.keys()].map((one) => JSON.stringify(one)).join(', ');
    throw new CellFault(`${JSON.stringify(cell)} has no value in the mapping; it has ${names}`);
  };
}

/** Returns a text whose `{title}` are cells. */
function templateOf(
  text: string,
  columns: Columns,
  isDate: boolean,
  dates: DateForm | undefined,
  fault: Fault,
): Source | undefined {
  // Titles stand at odd places.
  const parts = text.split(/\{([^{}]*)\}/);
  const places = parts.map((part, at) => (at % 2 === 1 ? columns.place(part, fault) : undefined));
  const named = places.filter((place) => place !== undefined);
  if (named.length < (parts.length - 1) / 2) return undefined;
  const read = (cells: readonly string[]): string | undefined => {
    if (named.some((place) => (cells[place] ?? '') === '')) return undefined;
    const joined = parts
      .map((part, at) => (at % 2 === 1 ? plain(cells[places[at]!]!) : part))
      .join('')
      .trim();
    return joined && isDate ? dateOf(joined, dates) : joined || undefined;
  };
  return { columns: named, read };
}
