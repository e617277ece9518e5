import { isUUID } from 'class-validator';
import { composeIdentifiers } from '#platform/database/migrate';
import { ConfigError } from '#platform/ops/config-error';
import { PRINCIPAL } from '#platform/ops/config';
import { primaryUrlOf } from '#topology';
import { databasesOf, waitTeller } from './migrate';

/**
 * Brings the identifiers that are left to NFC, if no other row has the composed ones, and prints a line of JSON for each that was not
 * (docs/operations.md, "Identifiers that two rows would share").
 *
 * @param args a data space and a suffix: an identifier of another row gets the suffix behind it. All data spaces, without a suffix, if absent
 * @throws ConfigError for other arguments
 */
export async function listIdentifiers(
  url: string,
  cells: string | undefined,
  args: readonly string[],
): Promise<void> {
  const [space, suffix] = args;
  const isWithin = args.length === 2 && isUUID(space) && /^[\w.-]{1,32}$/.test(suffix!);
  if (args.length > 0 && !isWithin)
    throw new ConfigError('Give a data space and a suffix of letters, digits and ._- (1 to 32), or neither.');
  for (const [database, cellule = PRINCIPAL] of databasesOf(url, cells))
    for (const found of await composeIdentifiers(
      await primaryUrlOf(database),
      isWithin ? [space!, suffix!] : undefined,
      waitTeller(),
    ))
      console.log(escaped(JSON.stringify({ cellule, ...found })));
}

/** A terminal shows an identifier and its composed form alike. */
function escaped(json: string): string {
  return json.replaceAll(
    /[^ -~]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
