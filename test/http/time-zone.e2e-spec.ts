import { openTenant } from '../adhesion/support/cards';
import { synced } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { Child } from './child-process';

/** Before standard time the offset of Montréal was −4:53:16; drivers that send local times truncate it to minutes. */
const DATES = ['0001-01-01T00:00:00.000Z', '1880-01-01T12:00:00.000Z', '2026-07-01T00:30:00.120Z'];

let app: TestApp;
let api: Child;

beforeAll(async () => {
  app = await TestApp.start();
  const { databaseUrl, secretsKey } = app.config;
  api = await Child.start('partner-api', {
    DATABASE_URL: databaseUrl,
    ADMIN_API_KEY: app.adminKey,
    SECRETS_KEY: secretsKey.text(),
    RATE_LIMIT_PER_MINUTE: '1000000',
    TZ: 'America/Toronto',
  });
});
afterAll(async () => {
  await api.stop();
  await app.stop();
});

it('dates are stored, filtered and paged as sent, in any time zone of the process', async () => {
  const tenant = await openTenant(app);
  await synced(app, tenant.partenaire, { ObjetsConsentement: [{ IdExterne: 'INFO', Nom: 'Infolettre' }] });
  const call = async (key: string, path: string, body?: object) => {
    const response = await fetch(api.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(response.status).toBeLessThan(300);
    return { headers: response.headers, json: (await response.json()) as { dateConsentement: string }[] };
  };
  for (const dateConsentement of DATES) {
    await call(tenant.plateforme.cle, '/plateforme/v1/consentements', {
      idExterneEmploye: 'E-1',
      objetConsentementIdExterne: 'INFO',
      accepte: true,
      dateConsentement,
    });
  }
  const seen: string[] = [];
  let path: string | undefined = '/b2b/v1/consentement?limite=1';
  for (let page = 0; path !== undefined && page <= DATES.length; page++) {
    const { headers, json }: Awaited<ReturnType<typeof call>> = await call(tenant.partenaire.cle, path);
    seen.push(...json.map(({ dateConsentement }) => dateConsentement));
    const next = headers.get('link')?.slice(1).split('>')[0];
    path = next && new URL(next).pathname + new URL(next).search;
  }
  expect(seen).toEqual(DATES);
  for (const [index, date] of DATES.entries()) {
    const { json } = await call(tenant.partenaire.cle, `/b2b/v1/consentement?depuis=${date}`);
    expect(json.map(({ dateConsentement }) => dateConsentement)).toEqual(DATES.slice(index));
  }
});
