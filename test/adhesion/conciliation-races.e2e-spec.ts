import { setTimeout as sleep } from 'node:timers/promises';
import { depth } from '../setup/depth';
import { expectProblem } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { openTenant, PNG, signed } from './support/cards';
import { DataSpace } from './support/data-space';
import { lockWaits } from '../setup/lock-waits';

const PATH = '/b2b/v2/conciliation';

let app: TestApp;
let replica: TestApp;
let space: DataSpace;

beforeAll(async () => {
  app = await TestApp.start();
  const { databaseUrl, secretsKey } = app.config;
  replica = await TestApp.start({ databaseUrl, secretsKey });
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});
beforeEach(async () => {
  space = new DataSpace(app, await openTenant(app));
});

const both = (index: number): TestApp => (index % 2 ? replica : app);
const decide = (index: number, id: string, decision: string, body: object = {}) =>
  both(index).send(space.open.partenaire, 'POST', `${PATH}/${id}/${decision}`, body);
const confirm = (index: number, id: string, body?: object) => decide(index, id, 'confirmer', body);
const reject = (index: number, id: string) => decide(index, id, 'rejeter', { raison: 'Inconnu' });
const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status);

async function request(overrides: object = {}): Promise<string> {
  const sent = { employeIdExterne: undefined, prenom: 'Ève', nom: 'Caron', ...overrides };
  return (await signed(app, space.open.plateforme, sent)).json.demandeId;
}
async function requests(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await request());
  return ids;
}

/** Returns the records that confirmations have created, without the two initial employees of the tenant. */
async function made(): Promise<{ employes: string[]; cards: string[]; events: number; decided: string[] }> {
  const employes = await space.rows<{ id: string }>(
    `SELECT id_externe AS id FROM employe WHERE tenant_id = $1 AND id_externe NOT IN ('E-1', 'E-2') ORDER BY 1`,
  );
  const decided = await space.rows<{ statut: string }>(
    `SELECT statut FROM demande_adhesion WHERE tenant_id = $1 AND statut <> 'ATransferer'`,
  );
  return {
    employes: employes.map(({ id }) => id),
    cards: await space.ids(),
    events: (await space.events('adhesion.signee')).length,
    decided: decided.map(({ statut }) => statut),
  };
}

/** Runs `work` after another transaction has run `statement`, and ends that transaction with `end`. */
async function beside<T>(
  statement: string,
  values: unknown[],
  end: 'COMMIT' | 'ROLLBACK',
  work: (finish: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const rival = await app.connect();
  try {
    await rival.query('BEGIN');
    await rival.query(statement, values);
    return await work(() => rival.query(end));
  } finally {
    await rival.end();
  }
}

describe('confirmations at once', () => {
  it('twenty of one request: one employee, one card, one event; all responses are the same', async () => {
    const id = await request({ imageSignature: PNG });
    // They wait for a lock until the maximum of a tenant is running, because otherwise one would be far ahead.
    const answers = await beside('LOCK TABLE numero_membre IN SHARE MODE', [], 'ROLLBACK', async (finish) => {
      const running = times(20, (index) => confirm(index, id));
      await lockWaits(app.database, 8);
      await finish();
      return Promise.all(running);
    });
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const { idExterne, adhesionId } = answers[0]!.json;
    expect(idExterne).toBe('M-000001');
    expect(await made()).toEqual({
      employes: ['M-000001'],
      cards: [adhesionId],
      events: 1,
      decided: ['Confirmee'],
    });
  });

  it('ten of ten requests: ten employees, numbered without a gap', async () => {
    const ids = await requests(10);
    const answers = await Promise.all(ids.map((id, index) => confirm(index, id)));
    const numbers = times(10, (index) => `M-0000${String(index + 1).padStart(2, '0')}`);
    expect(answers.map(({ json }) => json.idExterne).sort()).toEqual(numbers);
    const after = await made();
    expect(after).toMatchObject({ employes: numbers, events: 10 });
    expect(answers.map(({ json }) => json.adhesionId).sort()).toEqual(after.cards);
  });

  it('two of different requests with the same new identifier: one employee, two cards', async () => {
    const rounds = depth(3, 15);
    for (let round = 0; round < rounds; round++) {
      const ids = await requests(2);
      const idExterne = `N-${round}`;
      const answers = await Promise.all(ids.map((id, index) => confirm(index, id, { idExterne })));
      expect(answers.map(({ status, json }) => [status, json.idExterne])).toEqual([
        [200, idExterne],
        [200, idExterne],
      ]);
      expect(answers[0]!.json.adhesionId).not.toBe(answers[1]!.json.adhesionId);
    }
    const after = await made();
    expect([after.employes.length, after.cards.length, after.events]).toEqual([
      rounds,
      2 * rounds,
      2 * rounds,
    ]);
  });

  it('confirmations and rejections of one request: one decision is made', async () => {
    const winners = new Set<string>();
    let confirmations = 0;
    for (let round = 0; round < 30; round++) {
      const id = await request();
      // The request that is sent first mostly wins, so the order changes from round to round.
      const sent = [confirm, reject, confirm, reject].map((send, index) => () => send(index, id));
      if (round % 2) sent.reverse();
      const answers = await Promise.all(sent.map((send) => send()));
      if (round % 2) answers.reverse();
      const wins = statuses(answers)[0] === 200 ? 'confirmed' : 'rejected';
      winners.add(wins);
      if (wins === 'confirmed') confirmations++;
      expect(statuses(answers)).toEqual(wins === 'confirmed' ? [200, 409, 200, 409] : [409, 200, 409, 200]);
      for (const answer of answers) {
        if (answer.status === 409) expectProblem(answer, 409, 'Conciliation.DejaTraitee');
      }
    }
    expect(winners.size).toBe(2);
    const after = await made();
    expect([after.cards.length, after.events, after.decided.length]).toEqual([
      confirmations,
      confirmations,
      30,
    ]);
    expect(after.decided.filter((statut) => statut === 'Confirmee')).toHaveLength(confirmations);
  });
});

describe('the next number is taken meanwhile', () => {
  const INSERT = `INSERT INTO employe (tenant_id, id_externe, prenom, nom) VALUES ($1, 'M-000001', 'Rival', 'R')`;

  it('by a transaction that commits: the confirmation gives the one after', async () => {
    const id = await request();
    const answer = await beside(INSERT, [space.open.tenantId], 'COMMIT', async (finish) => {
      const running = confirm(0, id);
      await lockWaits(app.database);
      await finish();
      return running;
    });
    expect([answer.status, answer.json.idExterne]).toEqual([200, 'M-000002']);
    expect((await made()).employes).toEqual(['M-000001', 'M-000002']);
  });

  it('by a transaction that rolls back: the confirmation gives it', async () => {
    const id = await request();
    const answer = await beside(INSERT, [space.open.tenantId], 'ROLLBACK', async (finish) => {
      const running = confirm(0, id);
      await lockWaits(app.database);
      await finish();
      return running;
    });
    expect([answer.status, answer.json.idExterne]).toEqual([200, 'M-000001']);
  });

  it.each(['/b2b/v1/employe/sync', '/b2b/v2/sync'])(
    'by %s of the same numbers, many times: no error, and every request has its own employee',
    async (path) => {
      const numbers: string[] = [];
      const rounds = depth(4, 25);
      for (let round = 0; round < rounds; round++) {
        const ids = await requests(3);
        const [last] = await space.rows<{ dernier: string }>(
          'SELECT dernier FROM numero_membre WHERE tenant_id = $1',
        );
        const taken = times(
          4,
          (index) => `M-${String(Number(last?.dernier ?? 0) + index + 1).padStart(6, '0')}`,
        );
        const body = path.includes('v1')
          ? { employes: taken.map((idExterne) => ({ idExterne, prenom: 'Sync', nom: 'S' })) }
          : { Employes: taken.map((IdExterne) => ({ IdExterne, Prenom: 'Sync', Nom: 'S' })) };
        const [sync, ...answers] = await Promise.all([
          replica.send(space.open.partenaire, 'POST', path, body),
          ...ids.map((id, index) => confirm(index, id)),
        ]);
        expect([sync.status, ...statuses(answers)]).toEqual([200, 200, 200, 200]);
        expect(JSON.stringify(sync.json)).not.toMatch(/"(Message|message)"/);
        numbers.push(...answers.map(({ json }) => json.idExterne));
      }
      expect(new Set(numbers).size).toBe(3 * rounds);
      expect((await made()).cards).toHaveLength(3 * rounds);
    },
  );
});

describe('a confirmation during the deletion of the matching employee', () => {
  it('the deletion is rejected because of the card, or the confirmation creates the employee again', async () => {
    const ROUNDS = 40;
    const employes = times(ROUNDS, (index) => ({ IdExterne: `R-${index}`, Prenom: 'P', Nom: 'Ancien' }));
    await synced(app, space.open.partenaire, { Employes: employes });
    const outcomes = new Set<string>();
    for (const [index, { IdExterne: idExterne }] of employes.entries()) {
      const id = await request();
      // In the first round the deletion wins on a slow machine, too.
      const leadOfDeletion = index === 0 ? 500 : (4 - (index % 9)) * 4;
      const [confirmation, deletion] = await Promise.all([
        sleep(Math.max(0, leadOfDeletion)).then(() => confirm(0, id, { idExterne })),
        sleep(Math.max(0, -leadOfDeletion)).then(() =>
          replica.send(space.open.partenaire, 'DELETE', `/b2b/v1/employe/${idExterne}`),
        ),
      ]);
      expect([confirmation.status, confirmation.json.idExterne]).toEqual([200, idExterne]);
      if (deletion.status !== 204) expectProblem(deletion, 409, 'Employe.LieAdhesions');
      const [employe] = await space.rows<{ nom: string }>(
        `SELECT nom FROM employe WHERE tenant_id = $1 AND id_externe = '${idExterne}'`,
      );
      outcomes.add(`${deletion.status} ${employe?.nom}`);
    }
    expect([...outcomes].sort()).toEqual(['204 Caron', '409 Ancien']);
    expect(await space.ids()).toHaveLength(ROUNDS);
  });
});

describe('a confirmation whose connection is killed', () => {
  /** Tables in the order in which it writes them; it waits and is killed at each. */
  const TABLES = [
    'employe',
    'adhesion',
    'membership',
    'consentement',
    'evenement',
    'signature_manuscrite',
    'demande_adhesion',
    'journal',
  ];

  it.each(TABLES)('while it writes to %s writes nothing, and can be sent again', async (table) => {
    await synced(app, space.open.partenaire, { ObjetsConsentement: [{ IdExterne: 'INFO', Nom: 'I' }] });
    const consentements = [{ objetConsentementIdExterne: 'INFO', accepte: true }];
    const id = await request({ imageSignature: PNG, consentements });
    const nothing = await made();
    const lock = `LOCK TABLE ${table} IN SHARE MODE`;
    const killed = await beside(lock, [], 'ROLLBACK', async (finish) => {
      const running = confirm(0, id);
      await app.database.query(
        'SELECT pg_terminate_backend($1)',
        (await lockWaits(app.database)).slice(0, 1),
      );
      const answer = await running;
      await finish();
      return answer;
    });
    expectProblem(killed, 503, 'Service.Indisponible');
    expect(await made()).toEqual(nothing);
    expect(nothing).toEqual({ employes: [], cards: [], events: 0, decided: [] });
    for (const left of ['membership', 'consentement', 'numero_membre']) {
      expect(await space.rows(`SELECT FROM ${left} WHERE tenant_id = $1`)).toEqual([]);
    }
    const images = await space.rows('SELECT demande_id FROM signature_manuscrite WHERE tenant_id = $1');
    expect(images).toEqual([{ demande_id: id }]);
    expect((await confirm(0, id)).json.idExterne).toBe('M-000001');
    expect(await made()).toMatchObject({ employes: ['M-000001'], events: 1, decided: ['Confirmee'] });
  });
});
