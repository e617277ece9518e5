import { rmSync } from 'node:fs';
import type { EmbeddedPostgres } from '../../libs/embedded-postgres/src';

export default async function globalTeardown(): Promise<void> {
  const { testDatabase, testDataDir } = globalThis as {
    testDatabase?: EmbeddedPostgres;
    testDataDir?: string;
  };
  await testDatabase?.stop();
  if (testDataDir) rmSync(testDataDir, { recursive: true, force: true });
}
