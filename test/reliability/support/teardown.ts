import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import globalTeardown from '../../setup/global-teardown';
import { WHOLE } from './effort';
import { reportTable } from './report';

/** Prints the table of the run. */
export default async function teardown(): Promise<void> {
  await globalTeardown();
  const { reliabilityReport } = globalThis as { reliabilityReport?: string };
  if (!reliabilityReport) return;
  const table = reportTable(reliabilityReport);
  if (table) {
    const machine = `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`;
    process.stdout.write(`\n${WHOLE ? 'Whole trials' : 'Short trials'}, ${machine}\n\n${table}\n`);
  }
  rmSync(dirname(reliabilityReport), { recursive: true, force: true });
}
