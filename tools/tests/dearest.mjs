/**
 * Writes the table of the twenty slowest test files into docs/testing.md, from a report of Jest: `npm test -- --json
 * --outputFile=report.json && node tools/tests/dearest.mjs report.json`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const DOCUMENT = 'docs/testing.md';
const [BEGIN, END] = ['<!-- dearest -->', '<!-- /dearest -->'];

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
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
  `Run of ${new Date(report.startTime).toISOString().slice(0, 10)}: ${report.numTotalTests.toLocaleString('en')} tests in ${files.length} files; the files take ${Math.round(whole / 1_000)} s in all.`,
  '',
  '| file | tests | seconds |',
  '| --- | --- | --- |',
  ...rows,
  '',
  END,
].join('\n');
const text = readFileSync(DOCUMENT, 'utf8');
const [before, rest] = text.split(BEGIN);
writeFileSync(DOCUMENT, before + table + rest.split(END)[1]);
