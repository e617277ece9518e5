// Builds, and runs the tests of the given paths: npm run test:some -- test/voting -t 'part of a title'
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const USAGE = `Usage: npm run test:some -- <path>… [options of Jest]
  A path is a folder, a file, or the beginning of one: test/voting, test/voting/votants, libs/clients/src/domain
  The paths come first. An option is for Jest: -t 'part of a title'`;

/** Projects of jest.config.cjs by the ends of their files. Trials inject faults for minutes, so only their own folder names them. */
const PROJECTS = { '.spec.ts': 'unit', '.e2e-spec.ts': 'e2e', '.trial-spec.ts': 'reliability' };
const TRIALS = 'test/reliability';

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('-'));
const [given, options] = firstOption < 0 ? [args, []] : [args.slice(0, firstOption), args.slice(firstOption)];
const paths = given.map((path) => path.replace(/^\.\//, '').replace(/\/+$/, ''));

const files = globSync('{test,libs,apps}/**/*{.spec,.e2e-spec,.trial-spec}.ts');
const chosen = new Map(
  paths.map((path) => [
    path,
    files.filter(
      (file) => file.startsWith(path) && (path.startsWith(TRIALS) || !file.endsWith('.trial-spec.ts')),
    ),
  ]),
);
if (paths.length === 0) fail(USAGE);
for (const [path, found] of chosen) if (found.length === 0) fail(`No test is at ${path}.\n${USAGE}`);

const run = [...new Set([...chosen.values()].flat())];
const projects = Object.entries(PROJECTS).flatMap(([end, name]) =>
  run.some((file) => file.endsWith(end)) ? [name] : [],
);
execFileSync('npm', ['run', '--silent', 'build:test'], { stdio: 'inherit' });
const jest = ['jest', '--runTestsByPath', ...run, ...options, '--selectProjects', ...projects];
const isTrial = projects.includes('reliability');
const { status } = spawnSync('npx', isTrial ? [...jest, '--runInBand'] : jest, {
  stdio: 'inherit',
  env: { RELIABILITY: 'short', ...process.env },
});
process.exitCode = status ?? 1;

function fail(text) {
  console.error(text);
  process.exit(2);
}
