import { CsvError, type Info, type Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { FileFailure } from '../failure.js';

/** Called for each line with a value. `line` counts from 1; a record with line breaks in quotes has that of its first line. */
export type OnRow = (cells: readonly string[], line: number) => void;

const SEPARATORS = [';', ',', '\t'];
const OPTIONS = {
  record_delimiter: '\n',
  relax_column_count: true,
  skip_empty_lines: true,
} as const satisfies Options;

/** Returns the separator that divides the first line into the most cells. */
export function separatorOf(text: string): string {
  const cellsOf = (delimiter: string): number => {
    try {
      return parse(text, { ...OPTIONS, delimiter, to: 1 })[0]?.length ?? 0;
    } catch {
      // Its quotes are wrong with this separator.
      return 0;
    }
  };
  const [best] = SEPARATORS.map((separator) => ({ separator, cells: cellsOf(separator) })).sort(
    (a, b) => b.cells - a.cells,
  );
  return best!.separator;
}

/**
 * Calls `onRow` for the header and each line, without lines whose cells are all empty. Cells are trimmed and in Unicode's
 * form NFC, and line breaks in them are newlines.
 *
 * @param file name of the file, for faults
 * @throws FileFailure if quotes are wrong
 */
export function readRows(text: string, file: string, onRow: OnRow): void {
  let end = 0;
  const onRecord = (record: readonly string[], { lines }: Pick<Info, 'lines'>): null => {
    // Each cell with quotes may have line breaks; `lines` is the last line of the record.
    const breaks = record.reduce((sum, cell) => sum + (cell.split('\n').length - 1), 0);
    end = lines;
    const cells = record.map((cell) => cell.normalize('NFC').trim());
    if (cells.some((cell) => cell !== '')) onRow(cells, lines - breaks);
    return null;
  };
  try {
    // The parser counts CR LF in quotes as two lines.
    const plain = text.replace(/\r\n?/g, '\n');
    parse(plain, { ...OPTIONS, delimiter: separatorOf(plain), on_record: onRecord });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const detail =
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'a quote is opened here or below and never closed'
        : 'a quote stands inside of a cell; write the cell in quotes, with each quote of it twice';
    throw new FileFailure([{ fichier: file, ligne: end + 1, detail }]);
  }
}
