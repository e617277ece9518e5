import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium, Window } from '../swagger/browser';
import {
  checkAudit,
  checker,
  type Choix,
  noble,
  type OpenedBallot,
  readBallot,
  receiptOf,
  voteOf,
} from './support/package';
import { bundle, leaks, pageSource, plaintexts, Platform, shapes } from './support/platform';
import { testVote, uuid } from './support/votes';

const executable = chromium();
if (!executable)
  console.warn(
    'The page for ballots is skipped: no CHROMIUM, and no chromium on PATH (.ci/chromium installs one).',
  );
const describePage = executable ? describe : describe.skip;

const { scrutin, secret } = testVote('device', [
  [3, 1, 2],
  [2, 1, 1],
]);
const VotantId = uuid('device voter');
const vote = { VotantId, titre: 'Élection', scrutin };

/** The choices of a ballot, by the secret key. */
function decrypt(bulletin: string): number[][] {
  const { slots } = readBallot(voteOf(noble, scrutin), Buffer.from(bulletin, 'base64url'));
  return slots.map((ofQuestion) =>
    ofQuestion
      .slice(1)
      .flatMap(({ alpha, beta }, place) =>
        noble.subtract(beta, noble.multiply(secret, alpha)).equals(noble.base) ? [place] : [],
      ),
  );
}

it('the module has at most 60 kB gzipped', () => {
  const { length } = gzipSync(bundle(`export * from '@mandat/ballot';`));
  expect(length).toBeGreaterThan(10_000);
  expect(length).toBeLessThan(60_000);
});

describePage('the page for ballots', () => {
  let window: Window;
  let platform: Platform | undefined;

  beforeAll(async () => {
    window = await Window.open(executable!);
  }, 90_000);
  afterEach(async () => {
    await platform?.stop();
    platform = undefined;
  });
  afterAll(async () => {
    await window?.close();
  });

  async function visit(source?: string): Promise<Platform> {
    platform = await Platform.start(vote, source);
    await window.page.goto(platform.url, { waitUntil: 'networkidle0' });
    return platform;
  }

  const isShown = (id: string): Promise<unknown> => window.page.waitForSelector(`#${id}:not([hidden])`);
  const textOf = (id: string): Promise<string> =>
    window.page.$eval(`#${id}`, (shown) => shown.textContent ?? '');
  /** Saves by a link, as the voter does. */
  async function savedBy(id: string): Promise<string> {
    const downloadPath = mkdtempSync(join(tmpdir(), 'mandat-saved-'));
    const session = await window.page.createCDPSession();
    await session.send('Browser.setDownloadBehavior', {
      behavior: 'allow',
      downloadPath,
      eventsEnabled: true,
    });
    const saved = new Promise<void>((done) =>
      session.on('Browser.downloadProgress', ({ state }) => state === 'completed' && done()),
    );
    await window.page.click(`#${id}`);
    await saved;
    const [name] = readdirSync(downloadPath);
    const text = readFileSync(join(downloadPath, name!), 'utf8');
    rmSync(downloadPath, { recursive: true });
    return text;
  }

  async function mark(choix: Choix): Promise<void> {
    for (const [question, places] of choix.entries())
      for (const place of places)
        await window.page.click(
          `fieldset:nth-of-type(${question + 1}) label:nth-of-type(${place + 1}) input`,
        );
    await window.page.click('#seal');
  }

  async function castBy(choix: Choix, source?: string): Promise<Platform> {
    const visited = await visit(source);
    await mark(choix);
    await isShown('sealed');
    await window.page.click('#cast');
    await isShown('done');
    return visited;
  }

  it('casts what was marked and keeps the receipt; a failed request is repeated with the same ballot', async () => {
    const { ballots, statuses, traffic } = await visit();
    expect(ballots).toEqual([]);
    statuses.push(503);
    await mark([[0, 2], []]);
    await isShown('sealed');
    const receipt = await textOf('receipt');
    await window.page.click('#cast');
    await window.page.waitForFunction(`document.querySelector('#message').textContent !== ''`);
    await window.page.click('#cast');
    await isShown('done');
    const [first, second, ...more] = platform!.ballots;
    expect(more).toEqual([]);
    expect(second).toEqual(first);
    expect(Object.keys(first!)).toEqual(['VotantId', 'BulletinChiffre']);
    const { BulletinChiffre } = first!;
    expect(
      checker(noble, scrutin).check(VotantId, Buffer.from(BulletinChiffre, 'base64url')),
    ).toBeUndefined();
    expect(decrypt(BulletinChiffre)).toEqual([[0, 2], []]);
    expect(receiptOf(BulletinChiffre)).toBe(receipt);
    expect(await savedBy('save-receipt')).toBe(`${scrutin.campagneId} ${receipt}\n`);
    expect(await window.page.evaluate(`localStorage.getItem('receipt ${scrutin.campagneId}')`)).toBe(receipt);
    expect(traffic.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /',
      'GET /page.bundle.js',
      'GET /vote',
      'POST /bulletins',
      'POST /bulletins',
    ]);
  });

  it('requests contain no choice and differ only in the sealed ballot', async () => {
    const choices: Choix[] = [
      [[0], [1]],
      [[1, 2], []],
      [[], [0]],
    ];
    const recorded: ReturnType<typeof shapes>[] = [];
    for (const choix of choices) {
      const { traffic, ballots } = await castBy(choix);
      expect(decrypt(ballots[0]!.BulletinChiffre)).toEqual(choix);
      expect(leaks(traffic, plaintexts(scrutin, choix))).toEqual([]);
      recorded.push(shapes(traffic));
      await platform!.stop();
    }
    expect(recorded[1]).toEqual(recorded[0]);
    expect(recorded[2]).toEqual(recorded[0]);
  });

  it.each([
    ['an identifier in a URL', `fetch('x?' + scrutin.questions[0].Options[choix[0][0]]);`],
    [
      'an identifier in a header',
      `fetch('x', { headers: { x: scrutin.questions[0].Options[choix[0][0]].toUpperCase() } });`,
    ],
    [
      'a text in base64',
      `fetch('x', { method: 'POST', body: btoa('é' + unescape(encodeURIComponent(scrutin.questions[0].Libelles[choix[0][0]]))) });`,
    ],
    ['the choices as JSON', `fetch('x', { method: 'POST', body: JSON.stringify({ choix }) });`],
  ])('the search finds %s', async (_what, leak) => {
    const choix = [[1], [0]];
    const source = pageSource().replace('  try {\n', `${leak}  try {\n`);
    const { traffic } = await castBy(choix, source);
    expect(leaks(traffic, plaintexts(scrutin, choix))).toHaveLength(1);
  });

  it('the comparison finds a place in a URL', async () => {
    const source = pageSource().replace('  try {\n', `fetch('x?' + choix[0][0]);  try {\n`);
    const recorded: ReturnType<typeof shapes>[] = [];
    for (const choix of [
      [[0], []],
      [[1], []],
    ]) {
      recorded.push(shapes((await castBy(choix, source)).traffic));
      await platform!.stop();
    }
    expect(recorded[1]).not.toEqual(recorded[0]);
  });

  it('opens a ballot without a request, and the next one is another', async () => {
    const { traffic } = await visit();
    const before = traffic.length;
    await mark([[1], [0]]);
    await isShown('sealed');
    const receipt = await textOf('receipt');
    await window.page.click('#audit');
    await isShown('opened');
    const opened = JSON.parse(await savedBy('save-opened')) as OpenedBallot;
    expect(checkAudit(opened)).toBeUndefined();
    expect(opened.choix).toEqual([[1], [0]]);
    expect(receiptOf(opened.bulletin)).toBe(receipt);
    await window.page.click('#seal');
    await isShown('sealed');
    expect(await textOf('receipt')).not.toBe(receipt);
    expect(traffic).toHaveLength(before);
  });

  it('says which question has too many options', async () => {
    await visit();
    await mark([[0, 1, 2], []]);
    expect(await textOf('message')).toBe(`${scrutin.questions[0]!.Titre}: from 1 to 2, or none.`);
  });

  it.each([1, 10])('seals 10 options, of which up to %d may be chosen, in at most 300 ms', async (most) => {
    const large = testVote('large', [[10, 1, most]]).scrutin;
    platform = await Platform.start(
      vote,
      `import { seal } from '@mandat/ballot';
       globalThis.timed = () => { const start = performance.now(); seal(${JSON.stringify(large)}, '${VotantId}', [[3]]); return performance.now() - start; };`,
    );
    const { page } = window;
    await page.goto(platform.url, { waitUntil: 'networkidle0' });
    const times: number[] = [];
    for (let round = 0; round < 6; round++) times.push((await page.evaluate('timed()')) as number);
    if (process.env.SHOW_TIMES) console.log(times);
    // Other tests use the processor at the same time, so the best round counts.
    expect(Math.min(...times)).toBeLessThan(300);
  });
});
