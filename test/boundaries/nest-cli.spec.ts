import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

interface NestCli {
  readonly sourceRoot: string;
  readonly projects: Record<string, { type: string; root: string; sourceRoot: string; entryFile?: string }>;
}

const { sourceRoot, projects } = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8')) as NestCli;

describe('nest-cli.json', () => {
  it('lists each app and each library with its folder', () => {
    const expected = (['apps', 'libs'] as const).flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((name) => [
        name,
        expect.objectContaining({
          type: folder === 'apps' ? 'application' : 'library',
          root: `${folder}/${name}`,
          sourceRoot: `${folder}/${name}/src`,
        }),
      ]),
    );
    expect(projects).toEqual(Object.fromEntries(expected));
  });

  it('starts each app from its main.ts, partner-api by default', () => {
    const apps = Object.values(projects).filter(({ type }) => type === 'application');
    expect(apps.filter((app) => app.entryFile || !existsSync(join(ROOT, app.sourceRoot, 'main.ts')))).toEqual(
      [],
    );
    expect(sourceRoot).toBe(projects['partner-api']?.sourceRoot);
  });
});
