import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import globalSetup from '../../setup/global-setup';
import { beginReport } from './report';

/** Starts the database of the other tests, and an empty report. */
export default async function setup(): Promise<void> {
  await globalSetup();
  const file = join(mkdtempSync(join(tmpdir(), 'mandat-reliability-')), 'report.jsonl');
  writeFileSync(file, '');
  beginReport(file);
  Object.assign(globalThis, { reliabilityReport: file });
}
