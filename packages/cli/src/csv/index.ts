import { basename } from 'node:path';
import { BodyBuilder } from './body.js';
import { Faults } from './faults.js';
import { MappingReader } from './mapping.js';
import { readRows } from './rows.js';
import { Columns } from './source.js';
import { decode } from './text.js';

export interface CsvOptions {
  /** Path of the file, for faults. */
  readonly file: string;
  /** Path of the mapping, for faults. */
  readonly mappingFile: string;
  /** Whether an empty cell clears the value. */
  readonly clears: boolean;
}

/**
 * Returns the body of a V2 sync from a CSV file.
 *
 * @param mapping the parsed mapping file
 * @throws FileFailure with the faults of both files
 */
export function bodyOfCsv(
  bytes: Uint8Array,
  mapping: unknown,
  { file, mappingFile, clears }: CsvOptions,
): object {
  const faults = new Faults();
  const name = basename(file);
  let builder: BodyBuilder | undefined;
  let lines = 0;
  readRows(decode(bytes), name, (cells, line) => {
    if (builder) {
      lines += 1;
      return builder.add(cells, line);
    }
    const records = new MappingReader(basename(mappingFile), new Columns(cells), faults).read(mapping);
    // Faults of cells would follow from those of the mapping.
    faults.assertNone();
    builder = new BodyBuilder(name, cells, records, clears, faults);
  });
  if (!builder || lines === 0) faults.add({ fichier: name, detail: 'has no line below a header' });
  faults.assertNone();
  return builder!.body();
}
