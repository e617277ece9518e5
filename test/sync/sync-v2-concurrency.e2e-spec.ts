import { Client } from 'pg';
import { expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import { employee, employer, job, type Loose, many, membership, Partner, union } from './support';
import { perTest } from '../setup/fixtures';
import { lockWaits } from '../setup/lock-waits';

let app: TestApp;
let replica: TestApp;
/** `partner` and `twin` are the same tenant through both replicas. */
const partner = perTest(() => Partner.start(app));
let twin: Partner;
let rival: Client;

beforeAll(async () => {
  app = await TestApp.start();
  const { databaseUrl, secretsKey } = app.config;
  replica = await TestApp.start({ databaseUrl, secretsKey });
  // A superuser's connection with a long deadlock timeout: in a deadlock with it, the service is the victim.
  rival = await app.connect('-c deadlock_timeout=1h');
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});
beforeEach(async () => {
  twin = new Partner(replica, partner.tenant);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rival.query('ROLLBACK');
});

const both = (index: number): Partner => (index % 2 ? twin : partner);
const asTenant = (text: string) => rival.query(text, [partner.tenant.tenantId]);

describe('six overlapping V2 syncs of the same records over two replicas, with V1 syncs and single writes', () => {
  const EMPLOYEES = 600;
  const EMPLOYERS = 12;
  /** The body of one round: every record, in an order of its own. */
  const body = (round: number) => {
    const turned = <T>(list: T[]): T[] => (round % 2 ? list.reverse() : list);
    const employers = many(EMPLOYERS, (index) => employer(`EMP-${index}`));
    return {
      Syndicats: turned(['SYN-A', 'SYN-B'].map((id) => union(id, turned([...employers])))),
      Employes: turned(
        many(EMPLOYEES, (index) =>
          employee(`E-${index}`, {
            Prenom: `P${round}`,
            Emplois: turned([
              job('J-1', `EMP-${index % EMPLOYERS}`, { Matricule: `${round}` }),
              job(`J-${(round % 3) + 2}`, `EMP-${(index + round) % EMPLOYERS}`),
            ]),
            Adhesions: turned([membership('SYN-A', `202${round}-01-01`), membership('SYN-B')]),
            ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: `${round}` }],
          }),
        ),
      ),
      ObjetsConsentement: turned(many(5, (index) => ({ IdExterne: `O-${index}`, Nom: `O${round}` }))),
    };
  };

  it('all are 200, the counts of each add up, no row is duplicated, and the final state is that of the last', async () => {
    await partner.defineField('T', 'texte');
    const syncs = many(6, (round) => both(round).sync(body(round)));
    const v1 = many(4, (round) =>
      both(round).send('POST', '/b2b/v1/employe/sync', {
        employeurs: many(EMPLOYERS, (index) => ({
          idExterne: `EMP-${index}`,
          nom: `Employeur EMP-${index}`,
        })),
        employes: many(EMPLOYEES, (index) => ({
          ...{ idExterne: `E-${index}`, prenom: `V1 ${round}`, nom: 'Roy' },
          identifiantExterneEmployeur: index % 3 ? `EMP-${(index + round) % EMPLOYERS}` : null,
        })),
      }),
    );
    const singles: Promise<{ what: string; status: number }>[] = [];
    const single = (by: Partner, method: string, path: string, record?: unknown): Promise<unknown> => {
      const answering = by.send(method, `/b2b/v1/${path}`, record);
      singles.push(answering.then(({ status }) => ({ what: `${method} ${path}`, status })));
      return answering;
    };
    let running = true;
    const finished = Promise.all([...syncs, ...v1]).finally(() => (running = false));
    for (let index = 0; running; index = (index + 7) % EMPLOYEES) {
      const put = {
        idExterne: `E-${index}`,
        prenom: 'PUT',
        nom: 'Roy',
        identifiantExterneEmployeur: 'EMP-3',
      };
      const employeur = `EMP-${index % EMPLOYERS}`;
      void single(partner, 'PUT', 'employe', put);
      void single(twin, 'POST', 'employe', { ...put, prenom: 'POST' });
      void single(twin, 'PUT', 'employeur', { idExterne: employeur, nom: 'PUT' });
      void single(partner, 'DELETE', `employeur/${employeur}`);
      await single(twin, 'DELETE', `employe/E-${EMPLOYEES - 1 - index}`);
    }
    await finished;

    const sum = ({ AddCount, UpdateCount, Erreurs }: Loose): number =>
      (AddCount as number) + (UpdateCount as number) + (Erreurs as []).length;
    for (const { status, json } of await Promise.all(syncs)) {
      expect(status).toBe(200);
      const { Emplois, ...others } = json as Record<string, Loose>;
      expect(Object.values(others).flatMap(({ Erreurs }) => Erreurs)).toEqual([]);
      expect(Object.values(others).map(sum)).toEqual([2, 2 * EMPLOYERS, EMPLOYEES, 2 * EMPLOYEES, 5]);
      expect(sum(Emplois!)).toBe(2 * EMPLOYEES);
    }
    for (const { status, json } of await Promise.all(v1)) {
      expect(status).toBe(200);
      expect(json.created + json.updated + json.errors.length).toBe(EMPLOYEES + EMPLOYERS);
    }
    const allowed = [200, 201, 204, 400, 404, 409];
    const refused = (await Promise.all(singles)).filter(({ status }) => !allowed.includes(status));
    expect(refused).toEqual([]);

    const doubles = `SELECT 1 FROM employe WHERE tenant_id = $1 GROUP BY id_externe HAVING count(*) > 1
      UNION ALL SELECT 1 FROM employeur WHERE tenant_id = $1 GROUP BY id_externe HAVING count(*) > 1
      UNION ALL SELECT 1 FROM emploi WHERE tenant_id = $1 GROUP BY id_externe_employe, identifiant_externe HAVING count(*) > 1`;
    expect((await asTenant(doubles)).rows).toEqual([]);

    const last = body(9);
    const { json } = await partner.sync(last);
    expect(Object.values(json as object).flatMap(({ Erreurs }: Loose) => Erreurs)).toEqual([]);
    expect(await partner.count('employe')).toBe(EMPLOYEES);
    expect(await partner.count('membership')).toBe(2 * EMPLOYEES);
    expect(await partner.count('valeur_champ_employe')).toBe(EMPLOYEES);
    expect(await partner.count('syndicat_employeur')).toBe(2 * EMPLOYERS);
    const shown = (await partner.get('/b2b/v2/employe')) as Record<string, Loose[]>[];
    for (const {
      idExterne,
      prenom,
      emplois,
      adhesions,
      valeursChampUtilisateur,
    } of shown as never as Loose[]) {
      const index = Number(String(idExterne).slice(2));
      const active = (emplois as Loose[]).filter(({ actif }) => actif);
      const found = active.map((one) => [one.identifiantExterne, one.identifiantExterneEmployeur]).sort();
      expect([prenom, found]).toEqual([
        'P9',
        [
          ['J-1', `EMP-${index % EMPLOYERS}`],
          ['J-2', `EMP-${(index + 9) % EMPLOYERS}`],
        ],
      ]);
      expect(adhesions).toHaveLength(2);
      expect(valeursChampUtilisateur).toEqual([{ type: 'texte', nom: 'T', valeur: '9' }]);
    }
    const before = await partner.fingerprints();
    await partner.sync(last);
    expect(await partner.fingerprints()).toEqual(before);
  }, 180_000);
});

describe('twenty equal V2 syncs at once over two replicas', () => {
  it('each record is written once, and the counts of new records add up to the rows', async () => {
    const sent = {
      Syndicats: [union('SYN', [employer('EMP-1')])],
      Employes: [employee('E-1', { Emplois: [job('J', 'EMP-1')], Adhesions: [membership('SYN')] })],
      ObjetsConsentement: [{ IdExterne: 'O', Nom: 'O' }],
    };
    const answers = await Promise.all(many(20, (index) => both(index).sync(sent)));
    const kinds = ['Syndicats', 'Employeurs', 'Employes', 'Emplois', 'Adhesions', 'ObjetsConsentement'];
    const total = (count: string): number[] =>
      kinds.map((kind) => answers.reduce((sum, { json }) => sum + (json[kind][count] as number), 0));
    expect(answers.map(({ status }) => status)).toEqual(many(20, () => 200));
    expect(total('AddCount')).toEqual(many(6, () => 1));
    expect(total('UpdateCount')).toEqual(many(6, () => 19));
  });
});

describe('the deletion of an employer during a sync that names it', () => {
  const ended = job('J-0', 'EMP-1', { DateFin: '2020-01-01' });
  const ids = ['E-1', 'E-2'];
  const syncs: [string, string, Loose][] = [
    [
      'V2',
      '/b2b/v2/sync',
      { Employes: ids.map((id) => employee(id, { Nom: 'Roy', Emplois: [job('J-1', 'EMP-1')] })) },
    ],
    [
      'V1',
      '/b2b/v1/employe/sync',
      {
        employes: ids.map((idExterne) => ({
          ...{ idExterne, prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-1' },
        })),
      },
    ],
  ];

  it.each(syncs)(
    '%s: the deletion waits and is rejected, and there is no deadlock',
    async (_version, path, body) => {
      await partner.employers('EMP-1', 'EMP-2');
      for (const id of ids) await partner.employee(id, { Emplois: [ended, job('J-2', 'EMP-2')] });
      await rival.query('BEGIN');
      await asTenant(`SELECT FROM employe WHERE tenant_id = $1 AND id_externe = 'E-2' FOR UPDATE`);
      const sent = jest.spyOn(Client.prototype, 'query');
      const running = partner.send('POST', path, body);
      await lockWaits(app.database);
      const deletion = twin.send('DELETE', '/b2b/v1/employeur/EMP-1');
      await lockWaits(app.database, 2);
      await rival.query('ROLLBACK');
      expect((await running).status).toBe(200);
      expectProblem(await deletion, 409, 'Employeur.EmploisActifs');
      const outcomes = await Promise.allSettled(sent.mock.results.map(({ value }) => value as unknown));
      sent.mockRestore();
      const failures = outcomes.flatMap((one) =>
        one.status === 'rejected' ? [one.reason as { code: string }] : [],
      );
      // The foreign key rejected the deletion; 40P01 would be a deadlock with a retry.
      expect(failures.map(({ code }) => code)).toEqual(['23503']);
    },
  );
});
