import type { TestApp } from '../setup/test-app';

/** Name of the key of a data space whose data may be erased, and whose requests may fail. */
export const REHEARSED = 'of a data space for rehearsals';

/** @returns keys by name */
export async function holdEssai(app: TestApp): Promise<ReadonlyMap<string, string>> {
  return new Map([[REHEARSED, (await app.tenant()).cle]]);
}
