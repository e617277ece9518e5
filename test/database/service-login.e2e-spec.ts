import { randomUUID } from 'node:crypto';
import { Client, type QueryResultRow } from 'pg';
import { assertOwnsNothing } from '../../libs/platform/src/database/service-login';
import { Child } from '../http/child-process';
import { asService } from '../setup/service-login';
import { cloneTemplate } from '../setup/test-app';

/** Unlike any other file's: roles belong to the server. */
const LOGIN = `login_${randomUUID().slice(0, 8)}`;
const OTHER = `${LOGIN}_other`;

let databaseUrl: string;
let database: Client;

beforeAll(async () => {
  databaseUrl = await cloneTemplate();
  database = new Client({ connectionString: databaseUrl });
  await database.connect();
});
afterAll(() => database.end());
beforeEach(() =>
  database.query(
    `CREATE ROLE ${LOGIN} LOGIN NOINHERIT PASSWORD 'x'; CREATE ROLE ${OTHER}; CREATE TABLE of_other (a integer);
     GRANT mandat_app, mandat_access, mandat_queue, mandat_effacement TO ${LOGIN}`,
  ),
);
afterEach(() =>
  database.query(
    `REASSIGN OWNED BY ${LOGIN}, ${OTHER} TO CURRENT_USER; DROP TABLE of_other; DROP ROLE ${LOGIN}, ${OTHER}`,
  ),
);

function urlOf(login: string): string {
  const url = new URL(databaseUrl);
  url.username = login;
  url.password = 'x';
  return url.href;
}

/** Why the login is refused. */
async function refusal(url = urlOf(LOGIN)): Promise<string | undefined> {
  const client = new Client({ connectionString: url, options: '-c role=mandat_app' });
  await client.connect();
  try {
    const query = async <R extends QueryResultRow>(text: string): Promise<R[]> =>
      (await client.query<R>(text)).rows;
    await assertOwnsNothing(query);
    return undefined;
  } catch (error) {
    return /of DATABASE_URL (.*), by itself/.exec((error as Error).message)![1];
  } finally {
    await client.end();
  }
}

describe('The login of the processes', () => {
  it('is taken where it owns nothing, and so is the one that `npm start` and the tests make', async () => {
    expect(await refusal()).toBe(undefined);
    expect(await refusal(asService(databaseUrl))).toBe(undefined);
  });

  it.each([
    ['is a superuser', `ALTER ROLE ${LOGIN} SUPERUSER`],
    ['may bypass row-level security', `ALTER ROLE ${LOGIN} BYPASSRLS`],
    ['may bypass row-level security', `ALTER ROLE ${OTHER} BYPASSRLS; GRANT ${OTHER} TO ${LOGIN}`],
    ['owns the database, tables or functions of it', `ALTER TABLE of_other OWNER TO ${LOGIN}`],
    [
      'owns the database, tables or functions of it',
      `ALTER TABLE of_other OWNER TO ${OTHER}; GRANT ${OTHER} TO ${LOGIN} WITH INHERIT FALSE`,
    ],
    ['owns the database, tables or functions of it', `GRANT mandat_urne TO ${LOGIN}`],
  ])('is refused where it %s: %s', async (why, statement) => {
    await database.query(statement);
    expect(await refusal()).toBe(why);
  });

  it('is refused where it owns the database', async () => {
    const name = new URL(databaseUrl).pathname.slice(1);
    await database.query(`ALTER DATABASE ${name} OWNER TO ${LOGIN}`);
    expect(await refusal()).toBe('owns the database, tables or functions of it');
  });

  it.each(['partner-api', 'worker'] as const)(
    'of a superuser ends the start of %s in production, and no other start',
    async (name) => {
      await database.query(`ALTER ROLE ${LOGIN} SUPERUSER`);
      const env = { DATABASE_URL: urlOf(LOGIN) };
      const child = await Child.spawn(name, { ...env, NODE_ENV: 'production' });
      expect([await child.exited, child.output]).toEqual([1, '']);
      expect(child.errors).toMatch(/^The login of DATABASE_URL is a superuser, [^\n]+\n$/);
      expect(await (await Child.start(name, env)).stop()).toBe(0);
      expect(
        await (
          await Child.start(name, {
            DATABASE_URL: asService(databaseUrl),
            NODE_ENV: 'production',
            SHUTDOWN_DELAY_MS: '0',
          })
        ).stop(),
      ).toBe(0);
    },
  );
});
