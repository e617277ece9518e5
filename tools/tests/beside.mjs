/**
 * Runs npm scripts side by side, two at a time, because each uses one processor. Prints the output of each when it ends, and exits
 * with 1 if one of them failed: `node tools/tests/beside.mjs lint format:check`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const AT_ONCE = 2;

const waiting = process.argv.slice(2);
const failed = [];

async function run(script) {
  const begin = performance.now();
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  process.stdout.write(`${output}${script}: ${Math.round((performance.now() - begin) / 1_000)} s\n`);
  if (code !== 0) failed.push(script);
}

async function runNext() {
  for (let script = waiting.shift(); script; script = waiting.shift()) await run(script);
}

await Promise.all(Array.from({ length: AT_ONCE }, runNext));
if (failed.length > 0) {
  process.stderr.write(`Failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
