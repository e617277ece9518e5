import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { verifyWebhook } from '@mandat/client';
import { type Received, Receiver, until } from '../webhooks/support/receiver';
import { sign } from '../webhooks/support/signed';
import { endedVote } from '../voting/support/ended-vote';
import { app, campaigns, seal, spaceOfEachTest, stats } from '../voting/support/scene';
import { DossierBuilderService } from '../../libs/voting/src';
import { Desk, type Run } from './support/mandat';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

spaceOfEachTest({
  sync: {
    Syndicats: [{ IdentifiantExterne: 'S-1', Nom: 'Syndicat' }],
    Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Tremblay' }],
  },
});

let receiver: Receiver;
let desk: Desk;

beforeAll(async () => {
  receiver = await Receiver.start();
});
afterAll(() => receiver.stop());
beforeEach(() => {
  receiver.received.length = 0;
  receiver.behaviours.clear();
  const profile = { MANDAT_URL: app.url, MANDAT_API_KEY: campaigns.tenant.cle };
  desk = new Desk({ ...profile, MANDAT_WEBHOOK_SECRET: SECRET });
});
afterEach(() => desk.stop());

async function keyOf(role: string, environnement = 'staging'): Promise<string> {
  const { status, json } = await app.send(
    ...[app.adminKey, 'POST' as const, `/admin/v1/clients/${campaigns.tenant.clientId}/cles`],
    { nom: role, environnement, role },
  );
  expect(status).toBe(201);
  return String(json.cle);
}

const typesOf = (received: readonly Received[], secret = SECRET): string[] =>
  received.map(({ headers, body }) => verifyWebhook(headers, body, secret).type);

describe('mandat ecouter', () => {
  const listen = (...args: string[]): Promise<Run> =>
    desk.mandat('ecouter', '--vers', `${receiver.url}/`, '--une-fois', ...args);

  it('begins with the next event, keeps its place, and signs with the secret', async () => {
    const plateforme = await keyOf('plateforme');
    expect(await listen()).toMatchObject({ code: 0, stderr: '' });
    expect(receiver.received).toEqual([]);
    const card = await sign(app, { tenant: campaigns.tenant, plateforme });
    const { stdout } = await listen();
    const [received] = receiver.received;
    const event = verifyWebhook(received!.headers, received!.body, SECRET);
    expect(event).toMatchObject({ type: 'adhesion.signee', data: { idUniqueAdhesion: card } });
    expect(() => verifyWebhook(received!.headers, `${received!.body} `, SECRET)).toThrow('refused');
    expect(stdout).toMatch(
      new RegExp(`signed with MANDAT_WEBHOOK_SECRET\nadhesion\\.signee ${event.id} → 204 in \\d+ ms\n$`),
    );
    await listen();
    expect(receiver.received).toHaveLength(1);
    const { json } = await app.send(campaigns.tenant, 'GET', '/b2b/v2/evenement?type=adhesion.signee');
    const { id, ...body } = json[0];
    expect([id, body]).toEqual([event.id, JSON.parse(received!.body)]);
  });

  it('begins with the first event if there was none', async () => {
    const plateforme = await keyOf('plateforme');
    await listen('--type', 'adhesion.signee');
    await sign(app, { tenant: campaigns.tenant, plateforme });
    await listen('--type', 'adhesion.signee');
    expect(typesOf(receiver.received)).toEqual(['adhesion.signee']);
  });

  it('sends an event again until it is accepted, and later ones after it', async () => {
    await listen();
    const plateforme = await keyOf('plateforme');
    await sign(app, { tenant: campaigns.tenant, plateforme });
    await app.send(campaigns.tenant, 'POST', '/b2b/v2/sync', {});
    let count = 0;
    receiver.behaviours.set('/', (_received, response) =>
      response.writeHead(count++ === 0 ? 500 : 200).end(),
    );
    const { code, stdout } = await listen('--json');
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'adhesion.signee', statut: 500, accepte: false },
      { type: 'adhesion.signee', statut: 200, accepte: true },
      { type: 'sync.terminee', statut: 200, accepte: true },
    ]);
    expect(typesOf(receiver.received)).toEqual(['adhesion.signee', 'adhesion.signee', 'sync.terminee']);
  });

  it('--type and --depuis-le-debut; without a secret it makes one, in a file that only its owner reads', async () => {
    await sign(app, { tenant: campaigns.tenant, plateforme: await keyOf('plateforme') });
    desk = new Desk({ MANDAT_URL: app.url, MANDAT_API_KEY: campaigns.tenant.cle });
    const { stdout } = await listen('--type', 'sync.terminee', '--depuis-le-debut');
    const [, secret, file] = /signed with (whsec_\S+) \(of (.+)\)$/m.exec(stdout)!;
    expect(typesOf(receiver.received, secret)).toEqual(['sync.terminee']);
    expect(statSync(file!).mode & 0o777).toBe(0o600);
    expect(readFileSync(file!, 'utf8')).not.toContain(campaigns.tenant.cle);
    await listen('--depuis-le-debut');
    expect(typesOf(receiver.received, secret)).toEqual(['sync.terminee', 'sync.terminee', 'adhesion.signee']);
    writeFileSync(file!, 'x');
    expect(await listen()).toMatchObject({
      code: 1,
      stderr: `mandat: ${file} cannot be read. Delete it to begin with the next event.\n`,
    });
  });

  it('goes on until it is stopped', async () => {
    await listen();
    const running = desk.start('ecouter', '--vers', `${receiver.url}/`);
    await until('the first line', () => running.printed().includes('Delivering'));
    await app.send(campaigns.tenant, 'POST', '/b2b/v2/sync', {});
    await until('the event', () => receiver.received.length === 1);
    await running.stop();
    expect(typesOf(receiver.received)).toEqual(['sync.terminee']);
  });

  it.each([
    [['--vers', 'localhost:3999'], {}, '--vers is no address. It must begin with https:// or http://.'],
    [[], {}, 'mandat ecouter needs --vers URL. See mandat ecouter --help.'],
    [['--vers', 'http://localhost:1/'], { MANDAT_WEBHOOK_SECRET: 'x' }, 'MANDAT_WEBHOOK_SECRET is no secret'],
    [['--vers', 'http://localhost:1/', '--type', 'x'], {}, 'Requete.Invalide: '],
  ])('%j: an error that says what to do', async (args, env, message) => {
    const { code, stdout, stderr } = await desk.mandatWith(env, 'ecouter', ...args);
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(message)]);
    expect(code).toBe(message.startsWith('Requete') ? 1 : 2);
  });
});

describe('mandat declencher', () => {
  const trigger = (type: string, ...args: string[]): Promise<Run> =>
    desk.mandat('declencher', type, '--vers', `${receiver.url}/`, ...args);

  it('sends an example of each type, which has its schema', async () => {
    const { json: types } = await app.send(campaigns.tenant, 'GET', '/b2b/v2/type-evenement');
    const ajv = addFormats(new Ajv2020({ strict: false }));
    for (const { type, schema } of types) {
      const { code, stderr } = await trigger(type);
      expect([code, stderr]).toEqual([0, '']);
      const { headers, body } = receiver.received.at(-1)!;
      const event = verifyWebhook(headers, body, SECRET);
      expect(event.type).toBe(type);
      const isValid = ajv.validate(schema, event.data);
      expect([type, isValid, ajv.errors]).toEqual([type, true, null]);
    }
    expect(types.length).toBeGreaterThanOrEqual(14);
  }, 60_000);

  it('an unknown type, a production key and a receiver that rejects: an error with the cause', async () => {
    const unknown = await trigger('adhesion.signe');
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      'mandat: "adhesion.signe" is no type of event; did you mean adhesion.signee?\n',
    ]);
    const production = { MANDAT_API_KEY: await keyOf('partenaire', 'production') };
    const other = await desk.mandatWith(production, 'declencher', 'adhesion.signee', '--vers', receiver.url);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('The key is of production.')]);
    expect(receiver.received).toEqual([]);
    receiver.behaviours.set('/', (_received, response) => response.writeHead(401).end());
    const refused = await trigger('adhesion.signee');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^mandat: The receiver did not accept the event: adhesion\.signee \S+ → 401 in \d+ ms\nIt was signed with MANDAT_WEBHOOK_SECRET\n$/,
      ),
    ]);
    expect(await trigger('adhesion.signee', '--json')).toMatchObject({ code: 1, stderr: '' });
  });
});

describe('mandat journal', () => {
  it('shows the trail of a client only to administrators', async () => {
    const admin = { MANDAT_API_KEY: app.adminKey };
    const { clientId } = campaigns.tenant;
    const { code, stdout } = await desk.mandatWith(admin, 'journal', clientId);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}staging \d+ {2}sync\.v2 {2}\S+ {2}by .+ {2}request \S+\n/,
    );
    const json = await desk.mandatWith(admin, 'journal', clientId, '--json', '--tout', '--action', 'sync.v2');
    const { json: entries } = await app.send(
      ...[app.adminKey, 'GET' as const, `/admin/v1/clients/${clientId}/journal?ordre=desc&action=sync.v2`],
    );
    expect(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(entries);
    const none = await desk.mandatWith(admin, 'journal', clientId, '--depuis', '2100-01-01');
    expect(none.stdout).toBe('No entries.\n');
    const partner = await desk.mandat('journal', clientId);
    expect([partner.code, partner.stderr]).toEqual([1, expect.stringContaining('Cle.RoleInsuffisant')]);
  });

  it('is cut after 50 entries unless --tout', async () => {
    for (let count = 0; count < 51; count++) await app.send(campaigns.tenant, 'POST', '/b2b/v2/sync', {});
    const admin = { MANDAT_API_KEY: app.adminKey };
    const lines = async (...args: string[]): Promise<number> =>
      (await desk.mandatWith(admin, 'journal', campaigns.tenant.clientId, ...args)).stdout.split('\n')
        .length - 1;
    expect(await lines()).toBe(51);
    expect(await lines('--tout')).toBeGreaterThan(51);
  });
});

describe('mandat verifier', () => {
  it('counts a vote again, and refuses what it cannot read', async () => {
    const { id } = await endedVote(
      [{ isRanked: false, seats: 1, options: 3 }],
      ['0', '1', '0'].map((choice) => ({ syndicat: null, employeur: null, poids: '1', reponses: [choice] })),
      null,
    );
    const early = await desk.mandat('verifier', id);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('Dossier.NonPret')]);
    await stats(id);
    await seal(id);
    await app.app.get(DossierBuilderService).build(campaigns.tenant.tenantId, id);
    const { code, stdout, stderr } = await desk.mandat(
      'verifier',
      id,
      '--garder',
      'd.tar',
      '--langue',
      'fr',
      '--rapport',
      'r.html',
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('no forgery by the service')]);
    expect(stdout).toContain('✓');
    expect(readFileSync(desk.path('r.html'), 'utf8')).toContain('<html lang="fr"');
    desk.write('jwks.json', (await app.send(undefined, 'GET', '/.well-known/jwks.json')).json);
    const kept = await desk.mandat('verifier', id, '--cles', 'jwks.json', '--json');
    expect([kept.code, kept.stderr, JSON.parse(kept.stdout).verdict]).toEqual([0, '', 'egal']);
    // Killed, as when memory runs out: an unfinished verification fails.
    const kill = `if (/mandat-verify/.test(process.argv[1])) process.kill(process.pid, 'SIGKILL');`;
    const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(kill).toString('base64')}`;
    const killed = await desk.mandatWith({ NODE_OPTIONS }, 'verifier', id, '--cles', 'jwks.json');
    expect(killed).toEqual({
      code: 1,
      stdout: '',
      stderr: 'mandat: The verification was ended by SIGKILL.\n',
    });
    desk.write('jwks.json', { keys: [] });
    expect((await desk.mandat('verifier', id, '--cles', 'jwks.json')).code).not.toBe(0);
  }, 60_000);
});

describe('mandat completion', () => {
  it('bash completes commands and options', async () => {
    const { stdout } = await desk.mandat('completion', 'bash');
    const complete = (...words: string[]): string[] => {
      const array = words.map((word) => `'${word}'`).join(' ');
      const script = `${stdout}\nCOMP_WORDS=(mandat ${array}); COMP_CWORD=${words.length}; _mandat; echo "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split(' ');
    };
    expect(complete('a')).toEqual(['appliquer', 'annuler']);
    expect(complete('ecouter', '--')).toEqual([
      ...['--vers', '--type', '--depuis-le-debut', '--une-fois', '--json', '--profil', '--help'],
    ]);
    expect((await desk.mandat('completion', 'fish')).code).toBe(2);
  });
});
