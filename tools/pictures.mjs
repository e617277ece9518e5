import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { launch } from 'puppeteer-core';

// Makes these pictures of docs/images: the plan of a file, the certification of a receiver, and the French page of
// errors. Start the service with `npm start` on an empty folder, paste its line `export MANDAT_URL=…` in a second terminal, and run there:
//   CHROMIUM=$(.ci/chromium) node tools/pictures.mjs

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const EXAMPLES = join(ROOT, 'packages/cli/examples');
const { MANDAT_URL, MANDAT_KEY, CHROMIUM } = env;
if (!MANDAT_URL || !MANDAT_KEY || !CHROMIUM) throw new Error('Set MANDAT_URL, MANDAT_KEY and CHROMIUM.');

/** Styles of SGR, as the command line uses them. */
const STYLES = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' };
const CSS = `
  body { margin: 0; background: #16181d; }
  pre { display: inline-block; max-width: 110ch; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; padding: 14px 18px; color: #e6e6e6; font: 13px/1.45 "DejaVu Sans Mono", monospace; }
  .bold { font-weight: bold; } .dim { color: #8b919c; } .red { color: #ff7b72; } .green { color: #56d364; } .yellow { color: #e3b341; }`;

/** Returns the output of the command line on a terminal, and leaves its exit code aside: a plan with changes has 3. */
function outputOf(...args) {
  const line = [execPath, join(ROOT, 'packages/cli/bin/mandat.js'), ...args]
    .map((part) => `'${part}'`)
    .join(' ');
  const output = execFileSync(
    'script',
    ['--quiet', '--command', `stty cols 110; ${line} 2>/dev/null`, '/dev/null'],
    {
      cwd: EXAMPLES,
      encoding: 'utf8',
      env: { PATH: env.PATH, HOME: profile, TERM: 'xterm-256color', MANDAT_URL, MANDAT_API_KEY: MANDAT_KEY },
    },
  );
  return `$ npx @mandat/cli ${args.join(' ')}\n${output}`;
}

/** Returns the page of a terminal. */
function terminal(output) {
  const text = output.replaceAll('\r', '').trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const html = text.replaceAll(/\u001b\[(\d+)m/g, (_, code) =>
    STYLES[code] ? `<span class="${STYLES[code]}">` : '</span>',
  );
  return `<!doctype html><meta charset="utf-8"><style>${CSS}</style><pre>${html}</pre>`;
}

async function call(method, path, body) {
  const answer = await fetch(MANDAT_URL + path, {
    method,
    headers: { 'X-Api-Key': MANDAT_KEY, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? undefined : answer.json();
}

/** Certifies examples/receiver.ts, as `npm run receiver` starts it. */
async function certified() {
  const port = '3998';
  const endpoint = await call('POST', '/b2b/v2/webhook', {
    url: `http://127.0.0.1:${port}/`,
    types: ['adhesion.signee', 'sync.terminee'],
  });
  const receiver = spawn(execPath, [join(ROOT, 'dist/examples/receiver.js'), endpoint.secret], {
    env: { PATH: env.PATH, RECEIVER_PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve) => receiver.stdout.once('data', resolve));
    receiver.stdout.resume();
    return outputOf('certifier', endpoint.id);
  } finally {
    receiver.kill();
    await call('DELETE', `/b2b/v2/webhook/${endpoint.id}`);
  }
}

const profile = mkdtempSync(join(tmpdir(), 'mandat-pictures-'));
const browser = await launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
  defaultViewport: { width: 1_000, height: 640 },
});
try {
  const page = await browser.newPage();
  const file = (name) => join(ROOT, 'docs/images', `${name}.png`);
  const outputs = {
    plan: outputOf('plan', 'paie.csv', '--correspondance', 'correspondance.json'),
    certification: await certified(),
  };
  for (const [name, output] of Object.entries(outputs)) {
    await page.setContent(terminal(output));
    await (await page.$('pre')).screenshot({ path: file(name) });
  }
  await page.setExtraHTTPHeaders({ 'Accept-Language': 'fr' });
  await page.goto(`${MANDAT_URL}/docs/erreurs`);
  await page.type('#filter', 'vote');
  await page.screenshot({ path: file('erreurs') });
} finally {
  await browser.close();
  rmSync(profile, { recursive: true });
}
