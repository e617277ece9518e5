import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { correct, makeRows } from '../../examples/employees';
import { type Emploi, HORAIRE, makePeople, nextExport } from '../../examples/employments';
import { depth } from '../setup/depth';
import { Child } from '../http/child-process';
import { ClientsService } from '../../libs/clients/src';
import { TEST_ACTOR } from '../setup/actor';
import { TestApp, type TestTenant } from '../setup/test-app';
import { freePort } from '../../libs/embedded-postgres/src';
import { words } from '../setup/words';

const DEMO = join(__dirname, '../../dist/examples/demo.js');

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Employees in the demonstration's export. */
const RECORDS = depth(2_000, 10_000);

/** Runs the built demonstration in an environment of its own, and kills it once it has said what ends it. */
function runDemo(
  env: Record<string, string>,
  until?: string,
  args: string[] = [String(RECORDS)],
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const run: Run = { code: null, stdout: '', stderr: '' };
    const child = spawn(process.execPath, [DEMO, ...args], { env: { PATH: process.env.PATH, ...env } });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      run.stdout += text;
      if (until && run.stdout.includes(until)) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (run.stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...run, code }));
  });
}

describe('npm run demo', () => {
  const rows = makeRows(RECORDS);
  const refused = rows.filter(({ fault }) => fault).length;
  const refusedInTheEnd = correct(rows).filter(({ fault }) => fault).length;
  const accepted = RECORDS - refusedInTheEnd;
  const people = makePeople(correct(rows));
  const next = nextExport(people);
  const labels = people.filter(({ fault }) => fault === 'label');
  const say = (value: number): string => value.toLocaleString('en-CA');

  describe('against the service', () => {
    let app: TestApp;
    let worker: Child;
    let tenant: TestTenant;
    let platformKey: string;

    beforeAll(async () => {
      app = await TestApp.own('a worker runs');
      worker = await Child.start('worker', {
        DATABASE_URL: app.config.databaseUrl,
        SECRETS_KEY: app.config.secretsKey.text(),
        WEBHOOK_ALLOW_INSECURE: 'true',
      });
      tenant = await app.tenant();
      const platform = { nom: 'Demo', environnement: 'staging', role: 'plateforme' } as const;
      platformKey = (await app.app.get(ClientsService).issueCle(TEST_ACTOR, tenant.clientId, platform)).cle;
    });
    afterAll(async () => {
      await worker.stop();
      await app.stop();
    });

    const demo = (until?: string): Promise<Run> =>
      runDemo({ MANDAT_KEY: tenant.cle, MANDAT_PLATFORM_KEY: platformKey, PUBLIC_URL: app.url }, until);

    const count = async (sql: string, ...values: unknown[]): Promise<number> => {
      const { rows } = await app.database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`, [
        tenant.tenantId,
        ...values,
      ]);
      return rows[0]!.n;
    };

    const expectAllThere = async (): Promise<void> => {
      expect(await count('employe WHERE tenant_id = $1')).toBe(accepted);
      expect(await count('employeur WHERE tenant_id = $1')).toBe(40);
      const { rows: stored } = await app.database.query<{ id_externe: string; nom: string }>(
        'SELECT id_externe, nom FROM employe WHERE tenant_id = $1',
        [tenant.tenantId],
      );
      const sent = correct(rows).filter(({ fault }) => !fault);
      expect(new Map(stored.map((row) => [row.id_externe, row.nom]))).toEqual(
        new Map(sent.map(({ clean, sent: { nom } }) => [clean.idExterne, (nom as string).trim()])),
      );
    };

    const columns = async <T extends object>(text: string): Promise<T[]> =>
      (await app.database.query<T>(text, [tenant.tenantId])).rows;

    /** The current day of the tenant. */
    const today = async (): Promise<string> => {
      const { rows: found } = await app.database.query<{ day: string }>(
        `SELECT (now() AT TIME ZONE 'America/Toronto')::date::text AS day`,
      );
      return found[0]!.day;
    };

    /** Checks the final records of V2, and the employments that it ended: those written by V1, and one more. */
    const expectEmplois = async (days: readonly string[]): Promise<void> => {
      const { leaver, left } = next;
      const stored = await columns<{ employe: string; id: string; emploi: string; fin: string | null }>(
        `SELECT id_externe_employe AS employe, identifiant_externe AS id,
           concat_ws(' ', identifiant_externe_employeur, matricule, (date_debut AT TIME ZONE 'UTC')::date) AS emploi,
           (date_fin AT TIME ZONE 'UTC')::date::text AS fin
         FROM emploi WHERE tenant_id = $1`,
      );
      const omitted = stored.filter(({ id }) => id === 'V1' || id === left.IdentifiantExterne);
      expect(omitted).toHaveLength(accepted + 1);
      for (const { fin } of omitted) expect(days).toContain(fin);
      const line = ({ IdentifiantExterneEmployeur, Matricule, DateDebut, DateFin }: Emploi): string =>
        [IdentifiantExterneEmployeur, Matricule, DateDebut, DateFin].join(' ');
      expect(
        new Map(
          stored
            .filter(({ id }) => id !== 'V1' && id !== left.IdentifiantExterne)
            .map(({ id, emploi, fin }) => [id, `${emploi} ${fin ?? ''}`]),
        ),
      ).toEqual(
        new Map(
          next.people.flatMap(({ clean }) => clean.Emplois).map((one) => [one.IdentifiantExterne, line(one)]),
        ),
      );
      const ended = omitted.find(({ id }) => id !== 'V1')!;
      expect([ended.employe, ended.emploi]).toEqual([
        leaver.IdExterne,
        `${left.IdentifiantExterneEmployeur} ${left.Matricule} ${left.DateDebut}`,
      ]);
    };

    const expectUnionsAndValues = async (): Promise<void> => {
      expect(await count('syndicat WHERE tenant_id = $1')).toBe(5);
      expect(await count('syndicat_employeur WHERE tenant_id = $1')).toBe(42);
      const memberships = await columns<{ line: string }>(
        `SELECT concat_ws(' ', id_externe_employe, syndicat_id_externe, (date_adhesion AT TIME ZONE 'UTC')::date) AS line
         FROM membership WHERE tenant_id = $1`,
      );
      expect(new Set(memberships.map(({ line }) => line))).toEqual(
        new Set(
          people.flatMap(({ clean: { IdExterne, Adhesions } }) =>
            Adhesions.map(
              ({ SyndicatIdExterne, DateAdhesion }) => `${IdExterne} ${SyndicatIdExterne} ${DateAdhesion}`,
            ),
          ),
        ),
      );
      const values = await columns<{ line: string }>(
        `SELECT concat_ws(' ', id_externe_employe, nom_champ, id_externe_choix) AS line
         FROM valeur_champ_employe WHERE tenant_id = $1`,
      );
      expect(new Set(values.map(({ line }) => line))).toEqual(
        new Set(
          people.map(
            ({ clean }) => `${clean.IdExterne} ${HORAIRE.nom} ${clean.ValeursChampUtilisateur[0]!.Valeur}`,
          ),
        ),
      );
    };

    /** Each run has followed one task to its end, and its body is gone. */
    const expectTaches = async (runs: number): Promise<void> => {
      expect(await count('tache WHERE tenant_id = $1')).toBe(runs);
      const done = `tache WHERE tenant_id = $1 AND etat = 'Reussie' AND traites = total AND total = $2 AND corps IS NULL`;
      expect(await count(done, people.length + 5)).toBe(runs);
    };

    /** Each run signs two cards of which it removes every trace but the events and who read an image. */
    const expectCards = async (runs: number): Promise<void> => {
      expect(await count('adhesion WHERE tenant_id = $1')).toBe(0);
      expect(await count('signature_manuscrite WHERE tenant_id = $1')).toBe(0);
      expect(await count(`demande_adhesion WHERE tenant_id = $1 AND statut = 'Confirmee'`)).toBe(runs);
      const events = await columns<{ type: string }>(
        `SELECT type FROM evenement WHERE tenant_id = $1 AND type NOT IN ('sync.terminee', 'campagne.engagee', 'campagne.scellee') ORDER BY id_unique`,
      );
      const cards = words(
        `adhesion.signee conciliation.demandee adhesion.signee adhesion.supprimee adhesion.supprimee`,
      );
      // Two lists with the same criteria; the second adds no voter.
      const lists = ['listeElectorale.creee', 'listeElectorale.creee'];
      const vote = [...lists, 'campagne.publiee', 'campagne.ouverte', 'campagne.terminee'];
      expect(events.map(({ type }) => type)).toEqual(
        Array.from({ length: runs }, () => [...cards, ...vote]).flat(),
      );
      expect(await count(`journal WHERE tenant_id = $1 AND action = 'signature.lire'`)).toBe(runs);
    };

    /** Each run leaves a vote in the archive, with its ballots and its roll, and a meeting; its endpoint is gone. */
    const expectVotes = async (runs: number): Promise<void> => {
      expect(await count(`campagne WHERE tenant_id = $1 AND archivee`)).toBe(runs);
      expect(await count('campagne WHERE tenant_id = $1')).toBe(runs);
      expect(await count('votant WHERE tenant_id = $1 AND a_vote')).toBe(500 * runs);
      expect(await count('bulletin WHERE tenant_id = $1')).toBe(500 * runs);
      expect(await count('seance WHERE tenant_id = $1')).toBe(runs);
      expect(await count('webhook WHERE tenant_id = $1')).toBe(0);
    };

    /** Checks the result of the ballots: A leads with 200 of 450, and C's voters elect B. */
    const expectResult = (stdout: string): void => {
      expect(stdout).toContain('adhesion.signee ');
      expect(stdout).toContain('campagne.terminee received, verified');
      expect(stdout).toContain('450 chose, 50 abstained');
      expect(stdout).toMatch(
        /round 1, 22[56]\S* elect: Ariane Lapointe 200, Omar Haddad 150, Léa Gagnon 100; eliminated: Léa Gagnon/,
      );
      expect(stdout).toMatch(/round 2, .+: Ariane Lapointe 200, Omar Haddad 250; elected: Omar Haddad/);
      const voted = [...stdout.matchAll(/: ([\d,]+) of [\d,]+ voted, /g)].map(([, n]) => Number(n));
      expect(voted).toHaveLength(2);
      expect(voted[0]! + voted[1]!).toBe(500);
      expect(stdout).toMatch(/mandat-verify: egal in \d+ controls; one voter's receipt and attestation hold/);
      expect(stdout).toContain('Nouveaux statuts: 38 for, 20 against, deuxTiers: rejected');
    };

    const expectReadable = (stdout: string): void => {
      const lines = stdout.split('\n');
      expect(lines.length).toBeLessThanOrEqual(200);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
      // The output is not a terminal, so it must have no colours and cursor movements.
      expect(stdout).not.toContain('\u001b');
      expect(stdout).not.toContain(tenant.cle);
      expect(stdout).not.toContain(platformKey);
    };

    it('creates all records the first time, updates all the second time, and rewrites three', async () => {
      const days = [await today()];
      const first = await demo();
      expect(first).toMatchObject({ code: 0, stderr: '' });
      expect(first.stdout).toContain(
        `Would be created ${say(RECORDS + 40 - refused)}, updated 0, refused ${refused}:`,
      );
      expect(first.stdout).toContain(
        `created ${say(RECORDS + 40 - refused)}, updated 0, refused ${refused}, in `,
      );
      expect(first.stdout).toContain(`Mandat-Effets: created ${say(RECORDS + 40 - refused)}, changed 0, `);
      // The next V2 export: an employment was left out, another one is ongoing again.
      expect(first.stdout).toMatch(
        /Mandat-Effets: created 0, changed 1, unchanged [^a-z]+, ended 1, values cleared 0, refused 0/,
      );
      expect(first.stdout).toContain(
        `created 0, updated ${say(accepted + 40)}, refused ${refusedInTheEnd}, in `,
      );
      expect(first.stdout).toContain(`the whole list: ${say(accepted)} employees`);
      expect(first.stdout).toMatch(
        /Syndicats +created 5, updated 0, refused 0 +Employeurs +created 0, updated 42,/,
      );
      const employes = `updated ${say(accepted - labels.length)}, refused ${labels.length}`;
      expect(first.stdout).toMatch(new RegExp(`Employes +created 0, ${employes} +Emplois +created [1-9]`));
      expectReadable(first.stdout);
      await expectAllThere();
      days.push(await today());
      await expectEmplois(days);
      await expectUnionsAndValues();
      await expectTaches(1);
      await expectCards(1);
      await expectVotes(1);
      expectResult(first.stdout);

      const { rows: before } = await app.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      const second = await demo();
      expect(second).toMatchObject({ code: 0, stderr: '' });
      expect(second.stdout).toContain(
        `created 0, updated ${say(RECORDS + 40 - refused)}, refused ${refused}, in `,
      );
      expect(second.stdout).toMatch(new RegExp(`Employes +created 0, ${employes} +Emplois +created 0`));
      expect(second.stdout).not.toMatch(/created [1-9]/);
      expectReadable(second.stdout);
      await expectAllThere();
      days.push(await today());
      await expectEmplois(days);
      await expectUnionsAndValues();
      await expectTaches(2);
      await expectCards(2);
      await expectVotes(2);
      expectResult(second.stdout);
      // One has another telephone than in the export, one leaves an employer again, one is back at another again.
      const rewritten = await columns<{ id: string }>(
        `SELECT id_externe AS id FROM employe WHERE tenant_id = $1 AND derniere_maj > '${before[0]!.now.toISOString()}'`,
      );
      expect(rewritten).toHaveLength(3);
      expect(rewritten.map(({ id }) => id)).toEqual(
        expect.arrayContaining([next.leaver.IdExterne, next.returner.IdExterne]),
      );
      for (const table of ['employeur', 'syndicat']) {
        expect(await count(`${table} WHERE tenant_id = $1 AND derniere_maj > $2`, before[0]!.now)).toBe(0);
      }
      expect([worker.isRunning, worker.errors]).toEqual([true, '']);
    }, 180_000);

    it('cleans up after interrupted runs, and prints the same again', async () => {
      const killed = await demo('VoteOuvert; ');
      expect(killed.code).toBeNull();
      expect(await count('webhook WHERE tenant_id = $1')).toBe(1);
      // Another one was killed while its card was there.
      const [, employeIdExterne] = /card of (\S+) for/.exec(killed.stdout)!;
      const [{ syndicat }] = (await columns<{ syndicat: string }>(
        `SELECT syndicat_id_externe AS syndicat FROM membership
         WHERE tenant_id = $1 AND id_externe_employe = '${employeIdExterne}'`,
      )) as [{ syndicat: string }];
      const card = {
        employeIdExterne,
        syndicatIdExterne: syndicat,
        prenom: 'P',
        nom: 'N',
        courriel: 'signature@example.org',
      };
      expect((await app.send(platformKey, 'POST', '/plateforme/v1/adhesions', card)).status).toBe(201);
      const again = await demo();
      expect(again).toMatchObject({ code: 0, stderr: '' });
      expect(again.stdout).toContain('Cleaned up after an interrupted run: votes 1, cards 1, endpoints 1.');
      expectResult(again.stdout);
      expectReadable(again.stdout);
      expect(await count('campagne WHERE tenant_id = $1 AND NOT archivee')).toBe(0);
      expect(await count('adhesion WHERE tenant_id = $1')).toBe(0);
      expect(await count('webhook WHERE tenant_id = $1')).toBe(0);
    }, 180_000);

    it('says in one line that a key of production is none for it, and sends nothing more', async () => {
      const { cle } = await app.app
        .get(ClientsService)
        .issueCle(TEST_ACTOR, tenant.clientId, { nom: 'P', environnement: 'production', role: 'partenaire' });
      const { code, stdout, stderr } = await runDemo({ MANDAT_KEY: cle, PUBLIC_URL: app.url });
      expect(code).toBe(1);
      expect(stdout).toContain('production; modules');
      expect(stderr).toBe(`The key belongs to production: the demonstration needs a staging key.\n`);
      expect(await count(`employe WHERE tenant_id <> $1`)).toBe(0);
    });

    it('says in one line that the key is not known', async () => {
      const { code, stdout, stderr } = await runDemo({ MANDAT_KEY: 'mdt_stg_wrong', PUBLIC_URL: app.url });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^\S+ does not know the key: set DATA_DIR and PORT as for `npm start`, or MANDAT_KEY\.\n$/,
      );
    });
  });

  it('says in one line that the service does not run', async () => {
    const PORT = String(await freePort());
    const { code, stdout, stderr } = await runDemo({ MANDAT_KEY: 'k', PORT });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^.*http:\/\/localhost:\d+.*: run `npm start` in another terminal.+\.\n$/);
  });

  it.each([['1999'], ['many'], ['2000', '2000']])(
    'says in one line what %s should have been',
    async (...args) => {
      const { code, stdout, stderr } = await runDemo({}, undefined, args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toBe('Usage: npm run demo [-- employees], 2,000 at least; 10,000 by default.\n');
    },
  );

  it('says in one line that there is no key', async () => {
    const { code, stdout, stderr } = await runDemo({ DATA_DIR: mkdtempSync(join(tmpdir(), 'mandat-demo-')) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^No partner key in .+demonstration\.json: run `npm start` .+ MANDAT_KEY\.\n$/);
  });
});
