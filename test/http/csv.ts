import type { Answer, TestApp } from '../setup/test-app';

type Caller = Parameters<TestApp['send']>[0];

export const CSV = { Accept: 'text/csv' };

/** Requests a list as CSV. */
export function csvOf(app: TestApp, caller: Caller, path: string): Promise<Answer> {
  return app.send(caller, 'GET', path, undefined, CSV);
}

/** Parses CSV strictly by the grammar of RFC 4180. @throws Error on other text */
export function parseCsv(text: string, separator = ','): string[][] {
  const next = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${separator}]*))(${separator}|\\r\\n)`, 'y');
  const rows: string[][] = [];
  let row: string[] = [];
  while (next.lastIndex < text.length) {
    const at = next.lastIndex;
    const [, quoted, plain, end] = next.exec(text) ?? [];
    if (end === undefined) throw new Error(`no cell at ${at}: ${text.slice(at, at + 50)}`);
    row.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === separator) continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last row has no end');
  return rows;
}

/** Returns the columns of an item with their cells: those of a nested object have the name `object.property`. */
export function cellsOf(item: object): [name: string, cell: string][] {
  return Object.entries(item).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    if (value === null || value === undefined) return [[name, '']];
    if (typeof value !== 'object') return [[name, neutral(value as string | number | boolean)]];
    if (Array.isArray(value)) return [[name, JSON.stringify(value)]];
    return cellsOf(value).map(([inner, cell]) => [`${name}.${inner}`, cell]);
  });
}

/** Whether a spreadsheet takes a cell for a formula. */
export function isFormula(cell: string): boolean {
  return /^[=+\-@\t\r＝＋－＠]/.test(cell);
}

function neutral(value: string | number | boolean): string {
  return typeof value === 'string' && isFormula(value) ? `'${value}` : String(value);
}

/** Asserts that CSV has the columns of the same list as JSON, in their order, and the cells of its items. */
export function expectSame(csv: Answer, json: Answer, separator?: string): string[][] {
  expect([csv.status, json.status]).toEqual([200, 200]);
  const [header, ...rows] = parseCsv(csv.text, separator);
  const items: object[] = json.json;
  const expected = items.map((item) => Object.fromEntries(cellsOf(item)));
  expect(rows.map((row) => Object.fromEntries(row.map((cell, place) => [header![place], cell])))).toEqual(
    expected,
  );
  if (items[0]) expect(header).toEqual(cellsOf(items[0]).map(([name]) => name));
  for (const row of rows) expect(row).toHaveLength(header!.length);
  return rows;
}
