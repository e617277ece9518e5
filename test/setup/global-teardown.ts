import { rmSync } from 'node:fs';
import type { TestServer } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  const { testServers = [] } = globalThis as { testServers?: TestServer[] };
  for (const { database, dataDir } of testServers) {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
