import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Client } from 'pg';
import { TestApp, type TestTenant } from '../setup/test-app';
import { lockWaits } from '../setup/lock-waits';

const COUNT = 60_000;

let app: TestApp;
let tenant: TestTenant;
let saboteur: Client;

beforeAll(async () => {
  app = await TestApp.own('volume');
  tenant = await app.tenant();
  saboteur = await app.connect();
  await app.database.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom) SELECT $1, 'E-' || n, repeat('é', 100), 'Nom' FROM generate_series(1, $2) n`,
    [tenant.tenantId, COUNT],
  );
});
afterAll(() => app.stop());

interface Received {
  text: string;
  /** Whether the response ended as HTTP requires; a closed connection is not an end. */
  complete: boolean;
}

/** Requests the list, reads its first bytes, stops reading and runs `sabotage`. */
async function receive(sabotage: () => Promise<void>): Promise<Received> {
  const request = get(`${app.url}/b2b/v1/employe`, { headers: { 'X-Api-Key': tenant.cle } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('error', () => undefined);
  const closed = new Promise((resolve) => response.on('close', resolve));
  await once(response, 'data');
  response.pause();
  // Reads the batch that the service has fetched ahead: the next one meets the sabotage.
  await new Promise((resolve) => setTimeout(resolve, 200));
  await sabotage();
  response.resume();
  await closed;
  return { text: Buffer.concat(chunks).toString(), complete: response.complete };
}

function expectBroken({ text, complete }: Received): void {
  expect(complete).toBe(false);
  expect(text.startsWith('[{"idExterne":"E-1",')).toBe(true);
  expect(text.endsWith(']')).toBe(false);
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
}

describe('GET /b2b/v1/employe that fails in the middle', () => {
  it.each(['pg_terminate_backend', 'pg_cancel_backend'])('breaks the connection after %s', async (end) => {
    const received = await receive(async () => {
      await saboteur.query('BEGIN');
      await saboteur.query('LOCK TABLE employe IN ACCESS EXCLUSIVE MODE');
      void lockWaits(app.database)
        .then(([pid]) => app.database.query(`SELECT ${end}($1)`, [pid]))
        .finally(() => saboteur.query('ROLLBACK'));
    });
    expectBroken(received);
  });

  it('breaks the connection if the table is missing', async () => {
    try {
      expectBroken(
        await receive(async () => void (await saboteur.query('ALTER TABLE employe RENAME TO elsewhere'))),
      );
    } finally {
      await saboteur.query('ALTER TABLE elsewhere RENAME TO employe');
    }
  });

  it('a caller with fetch gets an error instead of a short list', async () => {
    const response = await fetch(`${app.url}/b2b/v1/employe`, { headers: { 'X-Api-Key': tenant.cle } });
    expect(response.status).toBe(200);
    await saboteur.query('ALTER TABLE employe RENAME TO elsewhere');
    try {
      await expect(response.text()).rejects.toThrow('terminated');
    } finally {
      await saboteur.query('ALTER TABLE elsewhere RENAME TO employe');
    }
  });

  it('negative control: without sabotage the same list is complete, also after the failures', async () => {
    const { text, complete } = await receive(() => Promise.resolve());
    expect(complete).toBe(true);
    expect(JSON.parse(text)).toHaveLength(COUNT);
  });
});
