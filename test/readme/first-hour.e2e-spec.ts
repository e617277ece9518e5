import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from '../http/expect-problem';
import { freePort } from '../../libs/embedded-postgres/src';
import { DemonstrationService } from '../setup/demonstration-service';
import { type Block, blocksOf, differences, pasteFaults } from './blocks';
import { type Hour, rejectedRequests, spend } from './hour';
import { missingTools } from './shell';

const DOCUMENT = 'docs/first-hour.md';
const OF_A_VOTE = 'docs/returning-officer.md';
const RECEIVER = join(__dirname, '../../dist/examples/receiver.js');

const missing = missingTools();
if (missing.length > 0) console.warn(`The first hour is skipped: there is no ${missing.join(' and no ')}.`);
const describeHour = missing.length > 0 ? describe.skip : describe;

describeHour(DOCUMENT, () => {
  const chapter = readFileSync(join(__dirname, '../..', DOCUMENT), 'utf8');
  let service: DemonstrationService;
  let receiverPort: number;
  let receiver: ChildProcess | undefined;
  let received = '';

  beforeAll(async () => {
    expect(chapter).toContain('Start the service with `npm start`.');
    // As a newcomer has it: the service makes the administrator's key.
    service = await DemonstrationService.start({ ADMIN_API_KEY: '' });
    receiverPort = await freePort();
  }, 90_000);
  afterAll(async () => {
    receiver?.kill();
    await service.stop();
  });

  /** The reader pastes the line of the receiver into a third terminal. */
  const startReceiver = async (printed: string): Promise<void> => {
    const secret = /^npm run receiver -- (whsec_\S+)$/m.exec(printed)?.[1];
    if (!secret) return;
    receiver = spawn(process.execPath, [RECEIVER, secret], {
      env: { PATH: process.env.PATH, RECEIVER_PORT: String(receiverPort) },
    });
    receiver.stdout!.setEncoding('utf8').on('data', (text: string) => (received += text));
    await once(receiver.stdout!, 'data');
  };

  const hourOf = (blocks: readonly Block[]): Promise<Hour> => {
    const placed = blocks.map(({ text, ...rest }) => ({
      text: text.replaceAll(':3999', `:${receiverPort}`),
      ...rest,
    }));
    return spend(placed, service.line, startReceiver);
  };

  it('runs as it is pasted, block by block, and answers what it says', async () => {
    const blocks = blocksOf(chapter);
    const hour = await hourOf(blocks);
    expect(hour.faults).toEqual([]);
    expect(hour.blocks).toBe(blocks.length);
    expect(hour.blocks).toBeGreaterThan(20);
    expect(hour.requests).toBeGreaterThan(50);
    // The receiver of the document has verified the test and the cards.
    const arrives = (type: string): true | undefined =>
      new RegExp(`\\(verified\\) \\{"type":"${type}"`).test(received) || undefined;
    for (const type of ['webhook.test', 'adhesion.signee', 'sync.terminee'])
      await eventually(() => arrives(type), type);
    expect(received).not.toContain('refused');
  }, 180_000);

  it(`${OF_A_VOTE} runs as it is pasted, and its recount is equal`, async () => {
    const blocks = blocksOf(readFileSync(join(__dirname, '../..', OF_A_VOTE), 'utf8'));
    const hour = await hourOf(blocks);
    expect(hour.faults).toEqual([]);
    expect(hour.blocks).toBe(blocks.length);
    expect(hour.printed).toMatch(/^TOUT CONCORDE$/m);
    expect(hour.printed).toMatch(/✓ points de contrôle conservés .*\([1-9]/);
  }, 240_000);

  it('is served by processes that log in as no owner', async () => {
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      `SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'mandat %'`,
    );
    await client.end();
    expect(rows).toEqual([{ usename: 'mandat_service' }]);
  });

  /** Returns the faults of the block with `from` replaced by `to`, pasted after the first block only. */
  const spoilt = async (from: string, to: string): Promise<string[]> => {
    const blocks = blocksOf(chapter.replace(from, to));
    expect(chapter).toContain(from);
    const changed = blocks.filter(({ text, answer }, place) => {
      const was = blocksOf(chapter)[place]!;
      return text !== was.text || JSON.stringify(answer) !== JSON.stringify(was.answer);
    });
    expect(changed).toHaveLength(1);
    return (await hourOf([blocks[0]!, ...changed])).faults;
  };

  const MOI = 'partner /b2b/v1/moi';
  const TOI = 'partner /b2b/v1/toi';
  const NAME = '"prenom": "Léo", "nom": "Roy", "ident';
  const LIMIT = '"requetesParMinute": 600';
  it.each([
    ['a wrong path', MOI, TOI, '/b2b/v1/toi: 404'],
    ['a repeated rejection without a success', MOI, `${TOI} || ${TOI} || ${MOI}`, '/b2b/v1/toi: 404'],
    ['a wrong property', '"quorum": 50}', '"quota": 50}', '/plateforme/v1/seances: 400'],
    ['a wrong property of a record', NAME, NAME.replace('prenom', 'preom'), '/errors/0 is not said'],
    ['a wrong answer', LIMIT, LIMIT.replace('6', '7'), '/limites/requetesParMinute: 600 is not 700'],
    ['an answer that is not shown whole', '"client": "Démonstration",\n', '', '/client is not said'],
    ['a missing rejection', 'employe?tri=nom', 'employe?limite=1', 'answered 200'],
    ['a rejection with another status', '"status": 400', '"status": 404', 'answered 400'],
    ['a parameter without quotes', "'/b2b/v1/employe?tri=nom'", '/b2b/v1/employe?tri=nom', 'answered '],
    ['a variable that no block has set', MOI, 'partner "/b2b/v1/moi$RIEN"', 'a command failed'],
    ['a value that the answer lacks', MOI, `${MOI} | pick .a.b`, 'a command failed'],
  ])('%s is reported', async (_fault, from, to, found) => {
    const faults = await spoilt(from, to);
    expect(faults.join('\n')).toContain(found);
  });

  it('a rejected request that the block repeats until it succeeds is accepted', async () => {
    const create = `partner /b2b/v1/employe -d '{"idExterne": "E-77", "prenom": "Zoé", "nom": "Roy"}'`;
    const block = `until partner /b2b/v1/employe/E-77; do ${create}; done\npartner /b2b/v1/moi`;
    expect(await spoilt('partner /b2b/v1/moi', block)).toEqual([]);
  });
});

describe('The reader of blocks', () => {
  it.each([
    ['a fence of another language', '```yaml\na: 1\n```\n', 'neither commands nor the answer'],
    [
      'an answer that is not below its commands',
      '```sh\nls\n```\n\nText\n\n```json\n{}\n```\n',
      'neither commands',
    ],
    ['a fence without an end', '```sh\nls\n```\n\n```sh\nls\n', 'are not pairs'],
  ])('refuses %s', (_what, chapter, found) => {
    expect(() => blocksOf(chapter)).toThrow(found);
  });

  it('takes … for any value, and nothing else for another', () => {
    expect(differences({ a: '…', b: [1] }, { a: 7, b: [1] })).toEqual([]);
    expect(differences({ a: '…', b: [1] }, { a: null, b: [2, 3] })).toEqual([
      '/a: nothing',
      '/b/0: 2 is not 1',
      '/b/1 is not said',
    ]);
    expect(differences([], {})).toEqual([': {} is not []']);
  });

  it('accepts a rejection only if the same request succeeds later', () => {
    const [rejected, accepted] = [409, 204].map((status) => ({ status, method: 'DELETE', url: '/e' }));
    const other = [
      { status: 204, method: 'GET', url: '/e' },
      { status: 204, method: 'DELETE', url: '/f' },
    ];
    expect(rejectedRequests([rejected!, rejected!, accepted!])).toEqual([]);
    expect(rejectedRequests([rejected!, ...other])).toEqual([rejected]);
    expect(rejectedRequests([accepted!, rejected!])).toEqual([rejected]);
  });

  it('reports commands that only bash accepts', () => {
    expect(pasteFaults({ text: 'ls # all\npath=1\nls …' })).toHaveLength(3);
    expect(pasteFaults({ text: "ls 'a#b'" })).toEqual([]);
  });
});
