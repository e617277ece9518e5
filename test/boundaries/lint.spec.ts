import { ESLint } from 'eslint';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';

/** The architecture rules of eslint.config.mjs, without the rules that need types. */
const eslint = new ESLint({
  cwd: join(__dirname, '../..'),
  overrideConfig: [tseslint.configs.disableTypeChecked],
});

async function rulesAgainst(filePath: string, code: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(code, { filePath });
  return result!.messages.map((message) => message.ruleId ?? message.message);
}

const SERVICE = 'libs/voting/src/ballot/application/ballots.service.ts';
const REPOSITORY = 'libs/voting/src/ballot/persistence/ballot.repository.ts';
/** A context without subjects. */
const QUERY = 'libs/membership/src/persistence/employe.query.ts';

describe('forwardRef is forbidden', () => {
  it.each([SERVICE, REPOSITORY, 'apps/worker/src/worker.module.ts'])('in %s', async (file) => {
    const code = `import { forwardRef } from '@nestjs/common'; export const later = forwardRef(() => Date);`;
    expect(await rulesAgainst(file, code)).toEqual(['no-restricted-imports']);
  });

  it('injection is allowed everywhere', async () => {
    const code = `import { Injectable } from '@nestjs/common'; @Injectable() export class Ballots {}`;
    expect(await rulesAgainst(SERVICE, code)).toEqual([]);
    expect(await rulesAgainst(REPOSITORY, code)).toEqual([]);
  });
});

it.each([REPOSITORY, QUERY])('persistence/ may import only injection from Nest: %s', async (file) => {
  const code = `import { NotFoundException } from '@nestjs/common'; export const missing = new NotFoundException();`;
  expect(await rulesAgainst(file, code)).toEqual(['no-restricted-imports']);
});

describe('SQL in its place', () => {
  const statements = [
    "'SELECT 1'",
    '`\n    SELECT id FROM campagne`',
    '`SELECT ${columns} FROM campagne`',
    '`INSERT INTO ballot VALUES ($1)`',
    "'UPDATE campagne SET statut = $1'",
    '`UPDATE ${table} SET statut = $1`',
    "'DELETE FROM ballot'",
    '`MERGE INTO salarie USING incoming ON true`',
    '`WITH RECURSIVE tree (id) AS (SELECT 1) SELECT * FROM tree`',
    "'TRUNCATE ballot'",
    "'COPY incoming (id) FROM STDIN'",
  ];
  const code = (text: string) =>
    `export const text = (columns: string, table: string, name: string) => ${text};`;

  it.each(statements)('%s is rejected in application/', async (statement) => {
    expect(await rulesAgainst(SERVICE, code(statement))).toContain('no-restricted-syntax');
  });

  it.each([
    "'UPDATE of a campaign that is closed'",
    "'DELETE /b2b/v1/campagnes/1'",
    "'Select the campaign'",
    "'with a question as its first'",
    "'COPY'",
    "'WITHOUT'",
    '`${name} SELECT `',
  ])('%s is not a statement', async (text) => {
    expect(await rulesAgainst(SERVICE, code(text))).not.toContain('no-restricted-syntax');
  });

  it.each([
    REPOSITORY,
    QUERY,
    'libs/platform/src/database/roles.ts',
    'migrations/1-start.ts',
    'test/voting/votants.e2e-spec.ts',
  ])('is allowed in %s', async (file) => {
    expect(await rulesAgainst(file, code(statements.join(' + ')))).not.toContain('no-restricted-syntax');
  });
});

describe('no-console', () => {
  it.each([SERVICE, 'apps/partner-api/src/main.ts', 'apps/worker/src/main.ts'])('in %s', async (file) => {
    expect(await rulesAgainst(file, `console.log(1);`)).toEqual(['no-console']);
  });

  it.each(['apps/cli/src/main.ts', 'bench/list.ts', 'examples/journey.ts'])('except %s', async (file) => {
    expect(await rulesAgainst(file, `console.log(1);`)).toEqual([]);
  });
});

it('max-lines counts code, not blank lines and comments', async () => {
  const lines = (count: number) => '\n// why\nconsole.log;'.repeat(count);
  expect(await rulesAgainst('apps/cli/src/main.ts', lines(400))).not.toContain('max-lines');
  expect(await rulesAgainst('apps/cli/src/main.ts', lines(401))).toContain('max-lines');
});
