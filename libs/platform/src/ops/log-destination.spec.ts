import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { logDestination } from './log-destination';

const MODULE = join(__dirname, '../../../../dist/libs/platform/src/ops/log-destination.js');

/** Returns what a process prints that logs a line and then runs `end`. */
const printedBefore = (end: string): string =>
  execFileSync(
    process.execPath,
    ['-e', `const log = require('pino')({}, require('${MODULE}').STANDARD_OUTPUT); log.info('one'); ${end}`],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );

describe('logDestination', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mandat-log-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('writes the lines of one turn together, in their order, and a fatal one at once', async () => {
    const file = join(folder, 'log');
    const linesNow = (): string[] => readFileSync(file, 'utf8').match(/"msg":"\w+"/g) ?? [];
    const log = pino({}, logDestination(file));
    log.info('one');
    log.info('two');
    expect(linesNow()).toEqual([]);
    await new Promise(setImmediate);
    expect(linesNow()).toEqual(['"msg":"one"', '"msg":"two"']);
    log.info('three');
    log.fatal('four');
    expect(linesNow().slice(2)).toEqual(['"msg":"three"', '"msg":"four"']);
  });

  it('writes many lines before the end of the turn', () => {
    const file = join(folder, 'log');
    const log = pino({}, logDestination(file));
    for (let n = 0; n < 100; n++) log.info('x'.repeat(1_000));
    expect(readFileSync(file, 'utf8').length).toBeGreaterThan(50_000);
  });

  it.each(['process.exit(0)', 'throw new Error()'])(
    'a process that ends by %s writes its last line',
    (end) => {
      const child = (): string => {
        try {
          return printedBefore(end);
        } catch (error) {
          return (error as { stdout: string }).stdout;
        }
      };
      expect(child()).toContain('"msg":"one"');
    },
  );

  it('a process whose output nobody reads any more goes on', async () => {
    const script = `const log = require('pino')({}, require('${MODULE}').STANDARD_OUTPUT);
      let count = 0;
      setInterval(() => (log.info('x'), ++count === 10 && process.exit(7)), 10)`;
    const child = spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
      killSignal: 'SIGKILL',
    });
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});
