import { readFileSync } from 'node:fs';
import type { Anchor, Verified } from '#platform/audit/verification';
import { ConfigError } from '#platform/ops/config-error';
import type { Config } from '#platform/ops/config';
import { reasonOf } from '#platform/ops/run-process';
import { ServiceContext } from './service-context';

/**
 * Reads every audit trail from its beginning and prints one line of JSON for each: its space, the end of its chain and its
 * faults. Keep these lines out of reach of database administrators and pass them to a later run. That run then detects a
 * trail that was reset to an earlier state: it is consistent in itself, but shorter.
 *
 * @param file lines that an earlier run printed
 * @throws ConfigError if the file has other lines. Faults of a trail set exit code 1 instead
 */
export async function verifyJournal(config: Config, file: string | undefined): Promise<void> {
  const anchors = file === undefined ? new Map<string, Anchor>() : anchorsOf(file);
  const seen = new Set<string>();
  let entries = 0;
  let faulty = 0;
  let lost: string[] = [];
  await ServiceContext.use(config, async ({ journal }) => {
    for await (const verified of journal.verify(undefined, anchors)) {
      console.log(JSON.stringify(verified));
      seen.add(verified.space);
      entries += verified.numero;
      if (verified.faults.length > 0) faulty += 1;
    }
    lost = [...anchors.keys()].filter((space) => !seen.has(space));
    // A standby can be verified, too, and cannot be written to.
    await journal
      .noteVerification(seen.size, faulty + lost.length)
      .catch((error: unknown) => console.error(`This run could not be noted: ${reasonOf(error)}`));
  });
  for (const space of lost) console.error(`The trail ${space} of the earlier run is gone.`);
  if (faulty + lost.length > 0) {
    console.error(`${faulty + lost.length} audit trails are not what was written: see docs/operations.md.`);
    process.exitCode = 1;
    return;
  }
  console.error(`${seen.size} audit trails with ${entries} entries are whole.`);
}

function anchorsOf(file: string): Map<string, Anchor> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map((line, index) => {
      try {
        const { space, numero, empreinte } = JSON.parse(line) as Verified;
        if (typeof space === 'string' && Number.isInteger(numero) && typeof empreinte === 'string')
          return [space, { numero, empreinte }];
      } catch {
        // Reported below.
      }
      throw new ConfigError(`Line ${index + 1} of ${file} is not one that this command has printed.`);
    }),
  );
}
