import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BALLOT_BOX_ROLE } from '../../libs/platform/src/database/roles';
import { digestOf, sqlFunctions } from '../../libs/platform/src/database/functions';
import { TestApp } from '../setup/test-app';

const MIGRATIONS = join(__dirname, '../../migrations/since-0.2.0');

interface StoredFunction {
  readonly name: string;
  readonly body: string;
  readonly rights: string;
}

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
});
afterAll(() => app.stop());

async function stored(): Promise<StoredFunction[]> {
  const { rows } = await app.database.query<StoredFunction>(
    `SELECT proname AS name, prosrc AS body, concat_ws(' ', proowner::regrole, proacl, proconfig, prosecdef) AS rights
     FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname`,
  );
  return rows;
}

/** The text between the dollars. */
const bodyOf = (definition: string): string => definition.split('$$')[1]!;

const bodies = (functions: readonly StoredFunction[]) => functions.map(({ name, body }) => [name, body]);

/** The digests of the migrations that create the functions, oldest first. */
const digests = readdirSync(MIGRATIONS)
  .sort()
  .map((file) => readFileSync(join(MIGRATIONS, file), 'utf8'))
  .flatMap((text) => /static readonly digest = '(\w+)'/.exec(text)?.[1] ?? []);

describe('the functions of the database', () => {
  it('are those of the files, and no others', async () => {
    expect(bodies(await stored())).toEqual(
      sqlFunctions().map(({ name, definition }) => [name, bodyOf(definition)]),
    );
  });

  it('a function that is replaced in the database differs from its file', async () => {
    await app.database.query('BEGIN');
    const { definition } = sqlFunctions().find(({ name }) => name === 'urne_contient')!;
    await app.database.query(definition.replace('EXISTS', 'NOT EXISTS'));
    expect(bodies(await stored())).not.toEqual(
      sqlFunctions().map(({ name, definition: text }) => [name, bodyOf(text)]),
    );
    await app.database.query('ROLLBACK');
  });

  it('only requests may call those of the ballot box, and all but the state run with a fixed search path', async () => {
    const owned = `${BALLOT_BOX_ROLE} {${BALLOT_BOX_ROLE}=X/${BALLOT_BOX_ROLE},mandat_app=X/${BALLOT_BOX_ROLE}}`;
    const ofBallotBox = sqlFunctions().filter((each) => each.ofBallotBox);
    expect(ofBallotBox.length).toBeGreaterThan(20);
    for (const { name, rights } of await stored()) {
      if (!ofBallotBox.some((each) => each.name === name)) expect(rights).not.toContain(BALLOT_BOX_ROLE);
      else if (name === 'campagne_etat') expect(rights).toBe(`${owned} f`);
      else {
        expect(rights.startsWith(owned)).toBe(true);
        expect(rights).toMatch(/\{(\w+=\w+,)*"search_path=pg_catalog, public, pg_temp"\} t$/);
      }
    }
  });

  it('the newest migration that creates them has the digest of the files', () => {
    // If this fails after a change of a file: add a migration with the new digest (docs/adr/0032).
    expect(digests.at(-1)).toBe(digestOf(sqlFunctions()));
  });

  it('the digest changes with a statement, and not with a comment', () => {
    const digestWith = (change: (definition: string) => string) =>
      digestOf(sqlFunctions().map((each) => ({ ...each, definition: change(each.definition) })));
    expect(digestWith((definition) => `-- Another comment.\n${definition}`)).toBe(digestOf(sqlFunctions()));
    expect(digestWith((definition) => definition.replace('NOT publiee', 'publiee'))).not.toBe(
      digestOf(sqlFunctions()),
    );
  });
});
