import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmodSync, mkdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Desk } from './support/mandat';

const KEY = 'mdt_stg_abcdefghijklmnopqrstuvwxyz0123456789';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that gives one answer to every request. */
class Service {
  readonly seen: Seen[] = [];
  answer: { status: number; body: object } = { status: 200, body: {} };
  private constructor(private readonly server: Server) {}

  static async start(): Promise<Service> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { method, url, headers } = request;
        service.seen.push({ method, url, headers, body });
        const { status, body: sent } = service.answer;
        const type = status < 400 ? 'application/json' : 'application/problem+json';
        response.writeHead(status, { 'Content-Type': type }).end(JSON.stringify(sent));
      });
    });
    const service = new Service(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

let service: Service;
let desk: Desk;
let profile: { MANDAT_URL: string; MANDAT_API_KEY: string };

beforeEach(async () => {
  service = await Service.start();
  profile = { MANDAT_URL: service.url, MANDAT_API_KEY: KEY };
  desk = new Desk();
});
afterEach(() => {
  service.stop();
  desk.stop();
});

const problem = (code: string, more: object = {}) => ({
  status: 409,
  body: { type: 'x', title: 'T', status: 409, detail: 'The detail.', code, ...more },
});

describe('The usage', () => {
  it.each([
    [
      ['plna', 'x'],
      '"plna" is no command; there are plan, appliquer, annuler, ecouter, declencher, certifier, journal, verifier, completion.',
    ],
    [['annulez', 'x'], '"annulez" is no command; did you mean annuler?'],
    [[], 'Name a command.'],
    [['plan'], 'mandat plan takes one FILE.'],
    [['appliquer', 'a', 'b'], 'mandat appliquer takes one PLAN.'],
    [['plan', 'x.json', '--simulation'], "Unknown option '--simulation'."],
    [['plan', 'x.json', '--version', '3'], '--version must be 1 or 2.'],
    [['plan', 'x.csv'], 'x.csv looks like CSV. Name its mapping with --correspondance.'],
    [['plan', 'x.json', '--vider'], '--vider is for CSV. In JSON, null clears a value.'],
    [['plan', 'x.csv', '--correspondance', 'x.json', '--version', '1'], 'A mapping describes a V2 sync.'],
  ])('%j: exit 2', async (args, message) => {
    desk.write('x.json', {});
    desk.write('x.csv', 'a;b');
    const { code, stdout, stderr } = await desk.mandatWith(profile, ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`mandat: ${message}`);
    expect(service.seen).toEqual([]);
  });

  it('--help: exit 0, without a profile', async () => {
    const { code, stdout, stderr } = await desk.mandat('plan', '--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: mandat plan FILE \[options\]\n[^]*\nExamples:\n  mandat plan /);
    expect((await desk.mandat('--help')).stdout).toMatch(/^Usage: mandat COMMAND/);
  });

  it('a file that is missing or no JSON: exit 1', async () => {
    desk.write('bad.json', '{"Employes": x}');
    expect(await desk.mandatWith(profile, 'plan', 'none.json')).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: 'mandat: none.json cannot be read (ENOENT).\n',
    });
    const { code, stderr } = await desk.mandatWith(profile, 'plan', 'bad.json');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/bad\.json: is not JSON: Unexpected token 'x'/),
    ]);
  });
});

describe('The profile', () => {
  const missing = { code: 2, stdout: '' };

  it('none, or half of one in the environment: exit 2 with the remedy', async () => {
    const { stderr, ...rest } = await desk.mandat('appliquer', '1');
    expect(rest).toEqual(missing);
    expect(stderr).toMatch(/Set MANDAT_URL and MANDAT_API_KEY, or write .*chmod 600/);
    for (const [name, other] of [
      ['MANDAT_URL', 'MANDAT_API_KEY'],
      ['MANDAT_API_KEY', 'MANDAT_URL'],
    ] as const)
      expect((await desk.mandatWith({ [name]: profile[name] }, 'appliquer', '1')).stderr).toBe(
        `mandat: ${name} is set, but ${other} is not.\n`,
      );
  });

  it('a file that others can read is refused, and names chmod; one of mode 600 is used, that of the home directory too', async () => {
    service.answer = { status: 200, body: { created: 1, updated: 0, errors: [] } };
    mkdirSync(desk.path('.config/mandat'), { recursive: true });
    const content = { url: service.url, cle: KEY };
    for (const [name, args] of [
      ['p.json', ['--profil', 'p.json']],
      ['.config/mandat/profil.json', []],
    ] as const) {
      desk.write(name, content);
      for (const mode of [0o644, 0o640, 0o604]) {
        chmodSync(desk.path(name), mode);
        const { code, stderr } = await desk.mandat('appliquer', '1', ...args);
        expect(code).toBe(2);
        expect(stderr).toMatch(
          new RegExp(`Others can read the key in .*${name}. Run chmod 600 .*${name}\n$`),
        );
      }
      expect(service.seen).toEqual([]);
      chmodSync(desk.path(name), 0o600);
      expect((await desk.mandat('appliquer', '1', ...args)).code).toBe(0);
      expect(new Set(service.seen.splice(0).map(({ headers }) => headers['x-api-key']))).toEqual(
        new Set([KEY]),
      );
    }
  });

  it('the key is never printed, and never an argument', async () => {
    desk.write('p.json', `{"url": "${service.url}", "cle": "${KEY}" oops}`);
    chmodSync(desk.path('p.json'), 0o600);
    const runs = [
      await desk.mandat('appliquer', '1', '--profil', 'p.json'),
      await desk.mandatWith({ ...profile, MANDAT_API_KEY: `${KEY}\nx` }, 'appliquer', '1'),
      await desk.mandatWith(profile, 'appliquer', KEY),
      await desk.mandatWith(profile, 'appliquer', '1', `--cle=${KEY}`, '--json'),
      await desk.mandatWith(profile, KEY),
    ];
    for (const { code, stdout, stderr } of runs) {
      expect(code).toBe(2);
      expect(stdout + stderr).not.toContain(KEY.slice(8, 20));
    }
    expect(runs[2]!.stderr).toContain('A key is not an argument');
    expect(service.seen).toEqual([]);
  });
});

describe('mandat annuler', () => {
  const undone = {
    syncId: 'S-2',
    effets: { crees: 1, modifies: 2, inchanges: 0, termines: 0, supprimes: 3, champsVides: 0 },
    conflits: [],
    nombreConflits: 0,
    nonAnnules: { evenements: ['EV-1'], votes: [{ campagneId: 'C-1', titre: 'Entente', votants: 4 }] },
  };

  it('exit 0: sends one request, and prints what was put back and what was not', async () => {
    service.answer = { status: 200, body: undone };
    const { code, stdout, stderr } = await desk.mandatWith(profile, 'annuler', 'S/1');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      'Undid sync S/1 by sync S-2: 1 created, 2 modified, 3 deleted.\nThe roll of Entente stays as it is (4 voters of it).\n',
    );
    expect(service.seen).toMatchObject([{ method: 'POST', url: '/b2b/v2/sync/S%2F1/annuler', body: '' }]);
    expect(service.seen[0]!.headers['x-api-key']).toBe(KEY);
  });

  it('--simulation: exit 3 with the command that undoes it, 0 without changes', async () => {
    const conflits = [{ entite: 'Emploi', idExterne: 'J-1', idExterneEmploye: 'E-1', raison: 'Modifie' }];
    service.answer = { status: 200, body: { ...undone, syncId: null, conflits, nombreConflits: 3 } };
    const first = await desk.mandatWith(profile, 'annuler', 'S-1', '--simulation');
    expect(first.code).toBe(3);
    expect(first.stdout.split('\n')).toEqual([
      'Undoing sync S-1 would give: 1 created, 2 modified, 3 deleted.',
      '3 records not put back, because they have changed since or others refer to them:',
      '  Emploi J-1 of E-1: Modifie',
      '  … and 2 more',
      'The roll of Entente stays as it is (4 voters of it).',
      'Undo it: mandat annuler S-1 --ignorer-conflits',
      '',
    ]);
    expect(service.seen[0]!.url).toBe('/b2b/v2/sync/S-1/annuler?simulation=true');
    service.answer = { status: 200, body: { ...undone, effets: { inchanges: 4 } } };
    const none = await desk.mandatWith(profile, 'annuler', 'S-1', '--simulation');
    expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('Nothing to do.')]);
  });

  it('--ignorer-conflits is sent; --json writes the answer', async () => {
    service.answer = { status: 200, body: undone };
    const { code, stdout } = await desk.mandatWith(profile, 'annuler', 'S-1', '--ignorer-conflits', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, undone]);
    expect(JSON.parse(service.seen[0]!.body)).toEqual({ ignorerConflits: true });
  });

  it('409 Sync.AnnulationEnConflit: exit 1, lists the conflicts and the option', async () => {
    const conflits = [{ entite: 'Employe', idExterne: 'E-1', raison: 'Modifie' }];
    service.answer = problem('Sync.AnnulationEnConflit', { conflits, nombreConflits: 1 });
    const { code, stdout, stderr } = await desk.mandatWith(profile, 'annuler', 'S-1');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.split('\n')).toEqual([
      'mandat: Sync.AnnulationEnConflit: The detail.',
      '1 record not put back, because they have changed since or others refer to them:',
      '  Employe E-1: Modifie',
      'To leave these records as they are and undo the rest, add --ignorer-conflits',
      '',
    ]);
    const json = await desk.mandatWith(profile, 'annuler', 'S-1', '--json');
    expect([json.code, json.stderr]).toEqual([1, '']);
    expect(JSON.parse(json.stdout)).toEqual({ ...service.answer.body, exitCode: 1 });
  });

  it('409 Sync.FreinDeclenche: exit 4, and names the plan to release', async () => {
    service.answer = problem('Sync.FreinDeclenche', { planId: 'P-9' });
    const { code, stderr } = await desk.mandatWith(profile, 'annuler', 'S-1');
    expect(code).toBe(4);
    expect(stderr).toContain('/plans/P-9/autoriser');
    expect(stderr).toContain('mandat appliquer P-9');
  });

  it('an address where nothing answers: exit 1', async () => {
    const env = { ...profile, MANDAT_URL: service.url };
    service.stop();
    const { code, stderr } = await desk.mandatWith(env, 'annuler', 'S-1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^mandat: No connection to http.*\(ECONNREFUSED\)\.\nCheck the address/);
  });
});
