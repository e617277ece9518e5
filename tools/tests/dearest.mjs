/**
 * Writes the tables of processor time by folder and of the twenty slowest test files into docs/testing.md, from a run that was
 * recorded: `PROCESSOR_TIME=times.ndjson npm test -- --json --outputFile=report.json && node tools/tests/dearest.mjs
 * times.ndjson report.json`. Without a report it prints the sum of the run beside that of the table.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const DOCUMENT = 'docs/testing.md';
const POSTGRESQL = 'PostgreSQL';
const [BEGIN, END] = ['<!-- dearest -->', '<!-- /dearest -->'];

const [timesFile, reportFile] = process.argv.slice(2);
const text = readFileSync(DOCUMENT, 'utf8');

/** Lines of test/setup/processor-time.ts. */
const times = readFileSync(timesFile, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const sumOf = (some) => Math.round(some.reduce((sum, { ms }) => sum + ms, 0) / 1_000);
if (!reportFile) {
  const [, recorded = 'unknown'] = /^([\d,]+) s of processor time in all/m.exec(text) ?? [];
  console.log(`Processor time of the tests: ${sumOf(times)} s; ${DOCUMENT} has ${recorded} s.`);
  process.exit();
}
/** The folder below test/, libs/ or apps/. */
const folderOf = ({ file }) => /(?:^|\/)((?:test|libs|apps)\/[^/]+)\//.exec(file)?.[1] ?? file;
const byFolder = new Map(times.map((line) => [folderOf(line), []]));
for (const line of times) byFolder.get(folderOf(line)).push(line);
const folders = [...byFolder]
  .map(([folder, some]) => ({
    folder,
    files: folder === POSTGRESQL ? '' : some.length,
    seconds: sumOf(some),
  }))
  .sort((one, other) => other.seconds - one.seconds);

const report = JSON.parse(readFileSync(reportFile, 'utf8'));
const seconds = (ms) => (ms / 1_000).toFixed(1);
const files = report.testResults.map(({ name, startTime, endTime, assertionResults }) => ({
  // The report may come from a clone in another folder.
  name: /(?:^|\/)((?:test|libs|apps)\/.+)$/.exec(relative(process.cwd(), name))[1],
  ms: endTime - startTime,
  tests: assertionResults.length,
}));
files.sort((one, other) => other.ms - one.ms);
const whole = files.reduce((sum, { ms }) => sum + ms, 0);
const rows = files.slice(0, 20).map(({ name, tests, ms }) => `| \`${name}\` | ${tests} | ${seconds(ms)} |`);
const table = [
  BEGIN,
  '',
  `${sumOf(times).toLocaleString('en')} s of processor time in all. A folder has the time of its files, of what they load, and of the processes that they start.`,
  '',
  '| folder | files | seconds of processor time |',
  '| --- | --- | --- |',
  ...folders.map(
    ({ folder, files: count, seconds: spent }) =>
      `| ${folder === POSTGRESQL ? folder : `\`${folder}\``} | ${count} | ${spent} |`,
  ),
  '',
  `Run of ${new Date(report.startTime).toISOString().slice(0, 10)}: ${report.numTotalTests.toLocaleString('en')} tests in ${files.length} files; the files take ${Math.round(whole / 1_000)} s in all.`,
  '',
  '| file | tests | seconds |',
  '| --- | --- | --- |',
  ...rows,
  '',
  END,
].join('\n');
const [before, rest] = text.split(BEGIN);
writeFileSync(DOCUMENT, before + table + rest.split(END)[1]);
