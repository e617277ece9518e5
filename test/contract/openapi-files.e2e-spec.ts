import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf, NAMES, PUBLIC_URL } from '../../tools/openapi/documents';
import { TestApp } from '../setup/test-app';
import { perFile } from '../setup/fixtures';

const URLS = {
  partenaire: '/docs/openapi.json',
  plateforme: '/docs/plateforme/openapi.json',
  administration: '/docs/admin/openapi.json',
} as const;

// The files are made without a database, of an application that is never started.
describe('The documents under docs/openapi', () => {
  const app = perFile(() => TestApp.start({ publicUrl: PUBLIC_URL }));

  it.each(NAMES)('are equal to those of the running service: %s', async (name) => {
    const served = await app.send(undefined, 'GET', URLS[name]);
    const file = readFileSync(fileOf(join(__dirname, '../..'), name), 'utf8');
    expect(served.json).toEqual(JSON.parse(file));
  });
});
