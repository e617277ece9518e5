/**
 * Writes one-line faults into a scratch copy of the repository, one after the other, runs the suites of each fault's
 * context, and reports the faults that they detect. Usage: `node tools/tests/faults.mjs --copy <folder> [--seed n]
 * [--count 30] [--only 3,7]`. The copy is a clone with its packages, built by `npm run build:test`; its files are
 * restored.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const { values } = parseArgs({
  options: {
    copy: { type: 'string' },
    seed: { type: 'string', default: '20261123' },
    count: { type: 'string', default: '30' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const copy = values.copy ?? process.cwd();

/** The fixed number of faults of a context; the others are spread over all contexts. */
const AT_LEAST = { voting: 5, sync: 5 };

/** Test files of a context, as patterns of Jest. */
const SUITES = {
  // Guards and callers have no test files of their own.
  access: ['libs/(platform|access)/', 'test/(http|clients|contract)/'],
  platform: [
    'libs/(platform|access)/',
    'test/(http|database|contract|malformed|worker|sync|audit|membership)/',
  ],
  clients: ['libs/clients/', 'test/(clients|http|contract|audit)/'],
  // Cards and conciliation use both.
  consent: ['libs/consent/', 'test/(consent|adhesion)/'],
  // Syncs of V2 write most of its records.
  membership: ['libs/membership/', 'test/(membership|adhesion)/', 'test/sync/sync-v2-(and-v1|rules)'],
  // The events of syncs are tested with the webhooks.
  sync: ['libs/sync/', 'test/(sync|webhooks)/'],
};
// An erasure reads and changes the tables of every context.
const suitesOf = (context) => [
  ...(SUITES[context] ?? [`libs/${context}/`, `test/${context}/`]),
  'test/personne/',
];

const REPLACED_OPERATORS = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
]);
/** Parts of SQL text, each with its replacement. */
const REPLACED_SQL = [
  [/\bAND\b/, 'OR'],
  [/\bDESC\b/, 'ASC'],
  [/ >= /, ' > '],
  [/ <= /, ' < '],
  [/\bIS NULL\b/, 'IS NOT NULL'],
  [/\bNOT EXISTS\b/, 'EXISTS'],
  [/\bIS DISTINCT FROM\b/, 'IS NOT DISTINCT FROM'],
  [/\bFOR UPDATE\b/, 'FOR SHARE'],
];

/** Returns every place of a file where one token can be changed, with its replacement. */
function sitesOf(file) {
  const text = readFileSync(join(copy, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const sites = [];
  const add = (start, end, after) => sites.push({ file, start, end, before: text.slice(start, end), after });
  const visit = (node) => {
    if (ts.isDecorator(node) || ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const { operatorToken } = node;
      const after = REPLACED_OPERATORS.get(operatorToken.kind);
      if (after) add(operatorToken.getStart(), operatorToken.end, after);
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      add(node.getStart(), node.operand.getStart(), '');
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node.getStart(), node.end, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node.getStart(), node.end, 'true');
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const [pattern, after] of REPLACED_SQL) {
        const found = new RegExp(pattern, 'g');
        const part = node.getText();
        for (const match of part.matchAll(found)) {
          const start = node.getStart() + match.index;
          add(start, start + match[0].length, after);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sites;
}

/** Returns numbers below a bound, determined by a seed (mulberry32). */
function drawing(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function chosenFaults() {
  const files = execFileSync('git', ['-C', copy, 'ls-files', 'libs/*.ts'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\/(application|domain|persistence|http|[a-z]+)\/[^/]+\.ts$/.test(file))
    .filter(
      (file) =>
        !/\.(spec|dto|fields|module|factory)\.ts$|embedded-postgres|\/testing\/|(sample|example)s?\.ts$/.test(
          file,
        ),
    );
  const sites = Map.groupBy(files.flatMap(sitesOf), ({ file }) => file.split('/')[1]);
  const below = drawing(Number(values.seed));
  const contexts = [...sites.keys()].sort();
  const order = Object.entries(AT_LEAST).flatMap(([context, count]) => Array(count).fill(context));
  for (let n = 0; order.length < Number(values.count); n++) order.push(contexts[n % contexts.length]);
  return order.map((context) => {
    const left = sites.get(context);
    return { context, ...left.splice(below(left.length), 1)[0] };
  });
}

const lineOf = (text, position) => text.slice(0, position).split('\n').length;

/** Applies a fault to the built file of the copy while `work` runs. */
async function withFault({ file, start, end, after }, work) {
  const path = join(copy, file);
  const original = readFileSync(path, 'utf8');
  const faulty = original.slice(0, start) + after + original.slice(end);
  const built = join(copy, 'dist', file.replace(/\.ts$/, '.js'));
  const builtOriginal = readFileSync(built, 'utf8');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(copy, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    copy,
  );
  const compilerOptions = { ...options, sourceMap: false };
  try {
    writeFileSync(built, ts.transpileModule(faulty, { compilerOptions, fileName: path }).outputText);
    return await work();
  } finally {
    writeFileSync(built, builtOriginal);
  }
}

/** Runs the suites of a context in the copy up to the first failing test. @returns its file and title, if any fails */
async function firstFailure(context) {
  const jest = spawn(
    process.execPath,
    [
      ...[join(copy, 'node_modules/jest/bin/jest.js'), '--bail'],
      ...['--reporters', join(dirname(fileURLToPath(import.meta.url)), 'first-failure.cjs')],
      ...['--selectProjects', 'unit', 'e2e', '--testPathPatterns', ...suitesOf(context)],
    ],
    // A separate process group, because the processes that the tests started must end with them.
    { cwd: copy, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let output = '';
  jest.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    if (/^FAILED .*$/m.test(output)) process.kill(-jest.pid, 'SIGKILL');
  });
  const [code, signal] = await once(jest, 'close');
  const [, failed] = /^FAILED (.*)$/m.exec(output) ?? [];
  if (failed === undefined && code !== 0) throw new Error(`Jest ended with ${code ?? signal}: ${output}`);
  return failed;
}

const faults = chosenFaults();
const only = values.only?.split(',').map(Number);
process.stdout.write(`seed ${values.seed}\n`);
for (const [index, fault] of faults.entries()) {
  if (only && !only.includes(index + 1)) continue;
  const text = readFileSync(join(copy, fault.file), 'utf8');
  const what = `\`${fault.before.trim()}\` → \`${fault.after.trim()}\``;
  const begin = performance.now();
  const failed = values.list ? '' : await withFault(fault, () => firstFailure(fault.context));
  const seconds = Math.round((performance.now() - begin) / 1_000);
  const verdict = values.list
    ? ''
    : failed
      ? `noticed | ${failed} | ${seconds} s`
      : `NOT noticed | | ${seconds} s`;
  process.stdout.write(
    `| ${index + 1} | ${fault.file}:${lineOf(text, fault.start)} | ${what} | ${verdict} |\n`,
  );
}
