import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import {
  awayFromMidnight,
  employee,
  employer,
  job,
  type Loose,
  many,
  Partner,
  today,
  union,
} from '../sync/support';
import { Campaigns } from '../voting/support/campaigns';
import { Desk, PACKAGE, type Run, windows1252 } from './support/mandat';

const EXAMPLES = join(PACKAGE, 'examples');
const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8');

const app = perFile(() => TestApp.start());
let partner: Partner;
let desk: Desk;

beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
  desk = new Desk({ MANDAT_URL: app.url, MANDAT_API_KEY: partner.tenant.cle });
});
afterEach(() => desk.stop());

const UNIONS = [union('SYN-1', [employer('EMP-1'), employer('EMP-2')])];

/** Employees with an employment at each of two employers. */
const staff = (count: number): Loose[] =>
  many(count, (index) =>
    employee(`E-${index}`, {
      Courriel: `e${index}@example.org`,
      Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-2')],
    }),
  );

/** Returns a text that is large enough for a task. White space changes no value. */
const padded = (json: string): string => json.padEnd(5_000_000);

/** Plans a body. The exit code is one of a plan that was drawn. */
async function planned(body: object, ...args: string[]): Promise<Run & { id: string }> {
  const run = await desk.mandat('plan', desk.write('sync.json', body), ...args);
  expect(run.stderr).toBe('');
  return { ...run, id: /[0-9a-f-]{36}/.exec(run.stdout)![0] };
}

const brake = async (freins: object): Promise<void> => {
  const path = `/admin/v1/clients/${partner.tenant.clientId}`;
  expect((await app.send(app.adminKey, 'PUT', path, { freins })).status).toBe(200);
};

/** Returns a pattern of a text of the README, in which … stands for anything on a line or for lines. */
const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^]*?')}$`);

describe('The example of the README', () => {
  const MAPPING = ['--correspondance', 'correspondance.json'];

  it('plan: 3, appliquer: 0, plan again: 0; the file is Windows-1252', async () => {
    cpSync(EXAMPLES, desk.folder, { recursive: true });
    const [, command, output] =
      /In `packages\/cli\/examples`:\n\n```sh\nnpx @mandat\/cli (.+)\n```\n\n```text\n([^]+?)```/.exec(
        README,
      )!;
    const utf8 = await desk.mandat(...command!.split(' '));
    expect([utf8.code, utf8.stderr]).toEqual([3, '']);
    expect(utf8.stdout).toMatch(patternOf(output!));
    expect(await partner.get('/b2b/v2/employe')).toEqual([]);

    desk.write('paie.csv', windows1252(readFileSync(join(EXAMPLES, 'paie.csv'), 'utf8')));
    const { code, stdout } = await desk.mandat('plan', 'paie.csv', ...MAPPING);
    expect(code).toBe(3);
    const id = /^Plan (\S+) /.exec(stdout)![1]!;
    expect(stdout.split('\n').at(-2)).toBe(`Apply it: mandat appliquer ${id}`);
    expect(stdout).not.toContain('\u001b');
    const applied = await desk.mandat('appliquer', id);
    const syncId = String(((await partner.get('/b2b/v2/sync')) as unknown as Loose[])[0]!.id);
    expect(applied).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: `Applied plan ${id}: 12 created.\nUndo it: mandat annuler ${syncId}\n`,
    });
    expect(await partner.get('/b2b/v2/employe/20453')).toMatchObject({
      ...{
        prenom: 'Maëlle',
        nom: 'Gagné',
        adresse1: '340, Grande Allée\nappartement 4',
        province: 'QC',
        adhesions: [],
      },
      emplois: [{ dateDebut: '2024-01-30T00:00:00.000Z', dateFin: '2027-06-30T00:00:00.000Z' }],
    });
    expect((await partner.get('/b2b/v2/employe/20452')).emplois).toHaveLength(2);

    const again = await desk.mandat('plan', 'paie.csv', ...MAPPING);
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/\n\nSummary: 12 unchanged\.\nNothing to do\.\n$/);

    // An undo that would leave one record, and then one that puts all back.
    await partner.send('PUT', '/b2b/v1/employe', { idExterne: '20452', prenom: 'Ève', nom: 'Roy' });
    const held = await desk.mandat('annuler', syncId);
    expect([held.code, held.stdout]).toEqual([1, '']);
    expect(held.stderr).toContain('  Employe 20452: Modifie\n');
    const shown = await desk.mandat('annuler', syncId, '--simulation', '--ignorer-conflits');
    expect([shown.code, shown.stdout]).toEqual([3, expect.stringContaining('deleted.')]);
    const undone = await desk.mandat('annuler', syncId, '--ignorer-conflits');
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringMatching(/^Undid sync .+ deleted\.\n/)]);
    expect(await partner.get('/b2b/v2/employe')).toMatchObject([{ idExterne: '20452' }]);
  });

  it('faults: 1 with line and column, and nothing is sent', async () => {
    cpSync(EXAMPLES, desk.folder, { recursive: true });
    const text = readFileSync(join(EXAMPLES, 'paie.csv'), 'utf8').replace('45321', '31/02/2019');
    desk.write('paie.csv', windows1252(text));
    expect(await desk.mandat('plan', 'paie.csv', ...MAPPING)).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: `mandat: 1 fault; nothing was sent.\npaie.csv: line 5, column "Date d'embauche": "31/02/2019" is no day of the calendar\n`,
    });
    const json = await desk.mandat('plan', 'paie.csv', ...MAPPING, '--json');
    expect([json.code, json.stderr]).toEqual([1, '']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      exitCode: 1,
      errors: [{ fichier: 'paie.csv', ligne: 5, colonne: "Date d'embauche" }],
    });
    expect(await partner.get('/b2b/v2/plan')).toEqual([]);
  });

  it('--vider clears what the file leaves empty; without it the value stays', async () => {
    cpSync(EXAMPLES, desk.folder, { recursive: true });
    const id = /^Plan (\S+) /.exec((await desk.mandat('plan', 'paie.csv', ...MAPPING)).stdout)![1]!;
    await desk.mandat('appliquer', id);
    const text = readFileSync(join(EXAMPLES, 'paie.csv'), 'utf8').replace('zoe.tremblay@example.org', '');
    // A line of an employee with empty cells would contradict the other one.
    desk.write('paie.csv', text.replace(/^20452;.*\n/gm, ''));
    expect((await desk.mandat('plan', 'paie.csv', ...MAPPING)).code).toBe(0);
    const { code, stdout } = await desk.mandat('plan', 'paie.csv', ...MAPPING, '--vider');
    expect(code).toBe(3);
    expect(stdout).toContain('~ Employe 20451  Courriel: zoe.tremblay@example.org → (empty)\n');
    expect(stdout).toContain('Summary: 1 modified, 1 value cleared, ');
  });
});

describe('mandat plan', () => {
  it('shows the changes by employer, bounded unless --tout, the open votes and the refused records', async () => {
    await partner.sync({ Syndicats: UNIONS, Employes: staff(13) });
    const campaigns = new Campaigns(app, partner.tenant);
    const vote = await campaigns.ready({ titre: 'Entente de principe' });
    for (const EmployeIdExterne of ['E-0', 'E-1']) await campaigns.votant(vote, { EmployeIdExterne });
    await campaigns.sent('POST', `/${vote}/publier`);
    const body = {
      Employes: [
        ...staff(12).map((one) => ({ ...one, Emplois: [job('J-1', 'EMP-1')] })),
        employee('E-12', { Courriel: null }),
        employee('E-13', { Courriel: 'no address' }),
        employee('E-14', { Emplois: [job('J-1', 'EMP-2')] }),
      ],
    };
    const { code, stdout, id } = await planned(body);
    expect(code).toBe(3);
    expect(stdout.split('\n').slice(1)).toEqual([
      '',
      'EMP-2: 2 created, 12 ended',
      ...['E-0', 'E-1', 'E-10', 'E-11'].map(
        (one) => `  - Emploi J-2 of ${one}  DateFin: (empty) → ${today().slice(0, 10)}`,
      ),
      `  + Employe E-14  Nom: L'Écuyer, Prenom: Zoé`,
      '  + Emploi J-1 of E-14  Matricule: M-J-1',
      ...['E-2', 'E-3', 'E-4', 'E-5'].map(
        (one) => `  - Emploi J-2 of ${one}  DateFin: (empty) → ${today().slice(0, 10)}`,
      ),
      '  … and 4 more',
      '',
      'EMP-1: 1 modified',
      '  ~ Employe E-12  Courriel: e12@example.org → (empty)',
      '',
      'Open votes with these people on their rolls:',
      '  2 voters of Entente de principe',
      '',
      'Summary: 2 created, 1 modified, 12 ended, 1 value cleared, 24 unchanged, 1 refused.',
      'Refused records change nothing; mandat appliquer lists their messages.',
      `Apply it: mandat appliquer ${id}`,
      '',
    ]);
    const whole = await planned(body, '--tout');
    expect(whole.stdout.match(/^  - Emploi J-2 of /gm)).toHaveLength(12);
    const applied = await desk.mandat('appliquer', id);
    expect(applied.code).toBe(0);
    expect(applied.stdout).toMatch(
      / 1 refused\.\nRefused records:\n  Employes E-13: invalid e-mail\nUndo it: mandat annuler \S+\n$/,
    );
  });

  it('--json writes one document with all changes', async () => {
    const { code, stdout } = await planned({ Syndicats: UNIONS, Employes: staff(600) }, '--json');
    expect(code).toBe(3);
    const { changements, ...plan } = JSON.parse(stdout);
    expect(plan).toEqual(await partner.get(`/b2b/v2/plan/${String(plan.id)}`));
    expect(changements).toEqual(await partner.get(`/b2b/v2/plan/${String(plan.id)}/changements`));
    // More than a page.
    expect(changements).toHaveLength(1803);
  });

  it('a large file is planned by a task; its failure is reported like that of a request', async () => {
    const worker = await startWorker(app.config);
    try {
      const whole = JSON.stringify({ Syndicats: UNIONS, Employes: staff(3) });
      const { code, stdout, stderr } = await desk.mandat('plan', desk.write('sync.json', padded(whole)));
      expect([code, stderr]).toEqual([3, '']);
      expect(stdout).toContain('Summary: 12 created.\n');
      const id = /[0-9a-f-]{36}/.exec(stdout)![0];
      expect((await desk.mandat('appliquer', id)).code).toBe(0);
      const tasks = 'SELECT type, etat FROM tache WHERE tenant_id = $1';
      const { rows } = await app.database.query(tasks, [partner.tenant.tenantId]);
      expect(rows).toEqual([{ type: 'plan', etat: 'Reussie' }]);

      // Each plan is of a record of its own.
      for (let count = 0; count < 20; count++) {
        const Employes = [employee(`E-P-${count}`)];
        expect((await partner.send('POST', '/b2b/v2/plan', { Employes })).status).toBe(201);
      }
      const refused = await desk.mandat('plan', 'sync.json', '--json');
      expect(refused.code).toBe(1);
      expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'Plan.TropNombreux', exitCode: 1 });
    } finally {
      await worker.close();
    }
  });

  it('--version 1 takes the body of a V1 sync', async () => {
    const body = {
      employeurs: [{ idExterne: 'EMP-7', nom: 'Alma' }],
      employes: [{ idExterne: 'E-7', prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-7' }],
    };
    const { code, stdout, id } = await planned(body, '--version', '1');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^Plan .* a V1 sync, /);
    expect(stdout).toContain('EMP-7: 2 created\n');
    expect((await desk.mandat('appliquer', id)).code).toBe(0);
    const refused = await desk.mandat('plan', 'sync.json');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('mandat: Requete.Invalide: ');
  });

  it('an error of the service: 1, with --json as its problem', async () => {
    desk.write('sync.json', { Employes: 3 });
    const { code, stdout } = await desk.mandat('plan', 'sync.json', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ code: 'Requete.Invalide', status: 400, exitCode: 1 });
    const other = await desk.mandatWith({ MANDAT_API_KEY: 'wrong' }, 'plan', 'sync.json');
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/^mandat: Cle\.Invalide: /)]);
  });
});

describe('mandat appliquer', () => {
  it('a stale plan, and one already applied: exit 1 with the remedy', async () => {
    await partner.sync({ Syndicats: UNIONS, Employes: staff(2) });
    const stale = await planned({ Employes: [employee('E-0', { Courriel: 'new@example.org' })] });
    const other = await planned({ Employes: [employee('E-1', { Courriel: 'new@example.org' })] });
    await partner.employee('E-0', { Courriel: 'between@example.org' });
    const { code, stdout, stderr } = await desk.mandat('appliquer', stale.id);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^mandat: Plan\.Perime: .*\nPlan again: mandat plan FILE\n$/);
    expect((await partner.get('/b2b/v2/employe/E-0')).courriel).toBe('between@example.org');
    const applied = await desk.mandat('appliquer', other.id, '--json');
    expect(applied.code).toBe(0);
    expect(JSON.parse(applied.stdout)).toMatchObject({
      planId: other.id,
      effets: { modifies: 1, refuses: 0 },
      resultat: { Employes: { AddCount: 0, UpdateCount: 1, Erreurs: [] } },
    });
    const again = await desk.mandat('appliquer', other.id);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/^mandat: Plan\.DejaApplique: .*\nThere is nothing left to do\.\n$/),
    ]);
  });
});

describe('The brake', () => {
  it('plan and appliquer: 4 with the release; after it 0', async () => {
    await partner.sync({ Syndicats: UNIONS, Employes: staff(10) });
    const body = { Employes: staff(10).map((one) => ({ ...one, Emplois: [job('J-1', 'EMP-1')] })) };
    const before = await planned(body);
    expect(before.code).toBe(3);
    await brake({ terminaisonsPourcent: 5 });
    const { code, stdout, id } = await planned(body);
    expect(code).toBe(4);
    const path = `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/plans/${id}/autoriser`;
    expect(stdout.split('\n').slice(-5)).toEqual([
      'The brake stops this plan: it ends or clears more than the client allows.',
      'Check the export: a column or an employer may be missing. If it is right, an administrator must release the plan:',
      `  POST ${path}  {"raison": "…"}`,
      `Then apply it: mandat appliquer ${id}`,
      '',
    ]);
    for (const one of [before.id, id]) {
      const refused = await desk.mandat('appliquer', one);
      expect([refused.code, refused.stdout]).toEqual([4, '']);
      expect(refused.stderr).toMatch(/^mandat: Plan\.Bloque: /);
      expect(refused.stderr).toContain(`/plans/${one}/autoriser`);
    }
    const json = await desk.mandat('appliquer', id, '--json');
    expect([json.code, JSON.parse(json.stdout)]).toEqual([
      4,
      expect.objectContaining({ code: 'Plan.Bloque', exitCode: 4 }),
    ]);
    expect((await app.send(app.adminKey, 'POST', path, { raison: 'The plant has closed' })).status).toBe(200);
    expect(await desk.mandat('appliquer', id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/: 10 ended, 20 unchanged\.\nUndo it: /),
    });
  });
});
