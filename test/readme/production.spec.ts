import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, chapterOf } from './blocks';

const textOf = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');

/** Returns the variables of each command of the block, by program; variables of the shell are substituted. */
function commandsOf(text: string): Map<string, Record<string, string>> {
  const shell: Record<string, string> = {};
  const commands = new Map<string, Record<string, string>>();
  for (const line of text.split('\n')) {
    const [code] = line.split(' #') as [string];
    const assigned = [...code.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [
      name!,
      value!.replace(/^\$(\w+)$/, (_whole, variable: string) => shell[variable] ?? ''),
    ]);
    const command = /\bnpm run (?:cli -- )?([\w:]+)/.exec(code)?.[1];
    if (command) commands.set(command, Object.fromEntries(assigned) as Record<string, string>);
    else Object.assign(shell, Object.fromEntries(assigned));
  }
  return commands;
}

describe('README.md, "Production"', () => {
  const [{ text }] = blocksOf(chapterOf(textOf('README.md'), 'Production')) as [{ text: string }];
  const commands = commandsOf(text);
  const login = (command: string): string | undefined =>
    /^postgres:\/\/(\w+)[:@]/.exec(commands.get(command)?.DATABASE_URL ?? '')?.[1];

  it('shows that the processes take another login than the migrations', () => {
    expect(['migrate', 'start:api', 'start:worker'].map(login)).toEqual([
      'mandat_owner',
      'mandat_service',
      'mandat_service',
    ]);
  });

  it('names the logins that docs/operations.md makes', () => {
    const guide = textOf('docs/operations.md');
    for (const command of ['migrate', 'start:api', 'start:worker'])
      expect(guide).toContain(`CREATE ROLE ${login(command)} LOGIN`);
  });

  it('gives ADMIN_API_KEY to the API alone, and SMTP_URL to the worker alone', () => {
    const holders = (variable: string): string[] =>
      [...commands].filter(([, variables]) => variable in variables).map(([command]) => command);
    expect([holders('ADMIN_API_KEY'), holders('SMTP_URL')]).toEqual([['start:api'], ['start:worker']]);
  });
});
