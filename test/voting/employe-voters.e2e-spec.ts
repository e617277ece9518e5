import { VotantRepository } from '../../libs/voting/src/roll/persistence/votant.repository';
import { openTenant } from '../adhesion/support/cards';
import { DataSpace } from '../adhesion/support/data-space';
import { eventually, expectFaults, expectProblem } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import { depth } from '../setup/depth';
import { type Answer, TestApp } from '../setup/test-app';
import { Campaigns } from './support/campaigns';

const STATES = ['Brouillon', 'Planifie', 'VoteOuvert', 'Termine', 'Archive'] as const;
const STEPS = ['publier', 'ouvrir', 'fermer', 'archiver'];
const ACTIVE = ['Planifie', 'VoteOuvert'];
const RACES = depth(30, 100);
const AT_ONCE = 10;

let app: TestApp;
let replica: TestApp;
let cards: DataSpace;
let campaigns: Campaigns;

beforeAll(async () => {
  app = await TestApp.own('changes the schema');
  const { databaseUrl, secretsKey } = app.config;
  replica = await TestApp.start({ databaseUrl, secretsKey });
  await app.database.query(WITNESS);
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});
/** A data space with the unions SYN-1 and SYN-2 and the employees E-1 and E-2. */
beforeEach(async () => {
  const open = await openTenant(app);
  cards = new DataSpace(app, open);
  campaigns = new Campaigns(app, open.partenaire);
});
afterEach(() => jest.restoreAllMocks());

/** A campaign in a state, whose only voter is E-1 or another one. */
async function campaignIn(state: string, voter: object = {}): Promise<string> {
  const id = await campaigns.draft();
  await campaigns.question(id);
  await campaigns.votant(id, { EmployeIdExterne: 'E-1', ...voter });
  for (const step of STEPS.slice(0, STATES.indexOf(state as 'Brouillon'))) {
    await campaigns.sent('POST', `/${id}/${step}`);
  }
  expect(await campaigns.etat(id)).toBe(state);
  return id;
}

const deleteEmployee = (employe = 'E-1', by = app): Promise<Answer> =>
  by.send(campaigns.tenant, 'DELETE', `/b2b/v1/employe/${employe}`);
const deleteCard = (id: string, by = app): Promise<Answer> =>
  by.send(campaigns.tenant, 'DELETE', `/b2b/v2/adhesion/${id}`);
const voters = async (id: string): Promise<Answer['json'][]> =>
  (await campaigns.sent('GET', `/${id}/votants`)).json;
/** Rows and events that a refused deletion leaves as they are. */
const traces = (): Promise<object[]> =>
  campaigns.rows(
    `SELECT 'votant ' || v::text AS row FROM votant v WHERE tenant_id = $1
     UNION ALL SELECT 'campagne ' || c::text FROM campagne c WHERE tenant_id = $1
     UNION ALL SELECT 'adhesion ' || a::text FROM adhesion a WHERE tenant_id = $1
     UNION ALL SELECT 'employe ' || e::text FROM employe e WHERE tenant_id = $1
     UNION ALL SELECT 'evenement ' || e::text FROM evenement e WHERE tenant_id = $1 ORDER BY 1`,
  );

describe('the deletion of a card of SYN-1', () => {
  it.each(STATES.flatMap((state) => [null, 'SYN-1', 'SYN-2'].map((union) => [state, union] as const)))(
    'of a voter of a campaign in %s who counts for the union %s',
    async (state, SyndicatIdExterne) => {
      const id = await cards.sign();
      const campaign = await campaignIn(state, { SyndicatIdExterne });
      const roll = await voters(campaign);
      const before = await traces();
      for (const rest of [id, 'membre/E-1', 'membre/E-1?idExterneSyndicat=SYN-1']) {
        const answer = await cards.delete(rest);
        if (ACTIVE.includes(state) && SyndicatIdExterne !== 'SYN-2') {
          expectProblem(answer, 409, 'Adhesion.LinkedToActiveCampaign');
          expect(await traces()).toEqual(before);
        } else {
          expect([rest, answer.status]).toEqual([rest, rest === id ? 204 : 200]);
          expect(await cards.ids()).toEqual([]);
        }
      }
      // The roll is that of an employee, whatever cards there are.
      expect(await voters(campaign)).toEqual(roll);
    },
  );

  it('goes by the clock: open once the opening has come, over once the closing has, and free when unpublished', async () => {
    const id = await cards.sign();
    const scheduled = await campaignIn('Planifie');
    await campaigns.rows(
      `UPDATE campagne SET ouverture_du_vote_utc = now() - interval '1 day', fermeture_du_vote_utc = now() + interval '1 day'
       WHERE tenant_id = $1`,
    );
    expect(await campaigns.etat(scheduled)).toBe('VoteOuvert');
    expectProblem(await cards.delete(id), 409, 'Adhesion.LinkedToActiveCampaign');
    await campaigns.sent('POST', `/${scheduled}/depublier`);
    expect((await cards.delete(id)).status).toBe(204);
    await campaigns.sent('POST', `/${scheduled}/publier`);
    const again = await cards.sign();
    expectProblem(await cards.delete(again), 409, 'Adhesion.LinkedToActiveCampaign');
    await campaigns.pass(scheduled, '2 days');
    expect((await cards.delete(again)).status).toBe(204);
    // The event of its end has not been sent yet.
    expect(await campaigns.events(scheduled)).not.toContain('campagne.terminee');
  });

  it('asks for voters of this employee and tenant only', async () => {
    const id = await cards.sign();
    await campaignIn('VoteOuvert', { EmployeIdExterne: 'E-2', SyndicatIdExterne: 'SYN-1' });
    await campaignIn('VoteOuvert', { EmployeIdExterne: null, Prenom: 'Zoé', Nom: 'Roy' });
    const mine = campaigns;
    campaigns = new Campaigns(app, (await openTenant(app)).partenaire);
    await campaignIn('VoteOuvert', { SyndicatIdExterne: 'SYN-1' });
    campaigns = mine;
    expect((await cards.delete(id)).status).toBe(204);
  });

  it('answers the campaign before payments, and deletes all cards of a member or none', async () => {
    const [one, two] = [await cards.sign(), await cards.sign({ syndicatIdExterne: 'SYN-2' })];
    await campaignIn('Planifie', { SyndicatIdExterne: 'SYN-2' });
    expect((await cards.link(two, 'paiements')).status).toBe(201);
    for (const rest of [two, 'membre/E-1', 'membre/E-1?idExterneSyndicat=SYN-2']) {
      expectProblem(await cards.delete(rest), 409, 'Adhesion.LinkedToActiveCampaign');
    }
    expect(await cards.ids()).toEqual([one, two].sort());
    expect((await cards.delete('membre/E-1?idExterneSyndicat=SYN-1')).json).toEqual({ nombreSupprime: 1 });
    expect(await cards.ids()).toEqual([two]);
  });
});

describe('the deletion of an employee', () => {
  it.each(STATES.flatMap((state) => [null, 'SYN-2'].map((union) => [state, union] as const)))(
    'who is a voter of a campaign in %s, for the union %s',
    async (state, SyndicatIdExterne) => {
      const campaign = await campaignIn(state, { SyndicatIdExterne, Identifiant: 'V-1', Poids: 2 });
      const roll = await voters(campaign);
      const before = await traces();
      const answer = await deleteEmployee();
      if (ACTIVE.includes(state)) {
        expectProblem(answer, 409, 'Employe.LieCampagneActive');
        expect(await traces()).toEqual(before);
        return;
      }
      expect(answer.status).toBe(204);
      // A draft loses its voter; a campaign that has ended keeps it, detached.
      const left = state === 'Brouillon' ? [] : [{ ...roll[0], EmployeIdExterne: null }];
      expect(await voters(campaign)).toEqual(left);
      expect((await campaigns.item(campaign)).nombreVotants).toBe(left.length);
    },
  );

  it('goes by the clock: one whose closing has passed has ended, and keeps its voter', async () => {
    const campaign = await campaignIn('VoteOuvert');
    await campaigns.pass(campaign, '100 years');
    expect((await deleteEmployee()).status).toBe(204);
    expect(await voters(campaign)).toMatchObject([{ EmployeIdExterne: null, Prenom: 'Zoé' }]);
    expect((await campaigns.item(campaign)).nombreVotants).toBe(1);
  });

  it('an archived draft counts as ended; drafts keep other voters, and a new employee with the id is not linked to the old voter', async () => {
    const archived = await campaignIn('Brouillon');
    await campaigns.sent('POST', `/${archived}/archiver`);
    const drafts = [await campaignIn('Brouillon'), await campaignIn('Brouillon')];
    for (const draft of drafts) await campaigns.votant(draft, { EmployeIdExterne: 'E-2' });
    expect((await deleteEmployee()).status).toBe(204);
    expect(await voters(archived)).toMatchObject([{ EmployeIdExterne: null }]);
    for (const draft of drafts) {
      expect((await voters(draft)).map(({ EmployeIdExterne }) => EmployeIdExterne)).toEqual(['E-2']);
      expect((await campaigns.item(draft)).nombreVotants).toBe(1);
    }
    await synced(app, campaigns.tenant, { Employes: [{ IdExterne: 'E-1', Prenom: 'Autre', Nom: 'Roy' }] });
    expect(await voters(archived)).toMatchObject([{ EmployeIdExterne: null, Prenom: 'Zoé' }]);
    await campaigns.votant(drafts[0]!, { EmployeIdExterne: 'E-1' });
  });

  it('one active campaign, or signed cards: 409, and the draft keeps its voter', async () => {
    const draft = await campaignIn('Brouillon');
    await campaignIn('Termine');
    const active = await campaignIn('Planifie');
    let before = await traces();
    expectProblem(await deleteEmployee(), 409, 'Employe.LieCampagneActive');
    expect(await traces()).toEqual(before);
    await campaigns.sent('DELETE', `/${active}`);
    await cards.sign();
    before = await traces();
    expectProblem(await deleteEmployee(), 409, 'Employe.LieAdhesions');
    expect(await traces()).toEqual(before);
    expect(await voters(draft)).toHaveLength(1);
  });
});

/** Notes each card that is gone when its transaction commits although it belongs to a voter of an active campaign. */
const WITNESS = `
  CREATE TABLE violation (adhesion uuid);
  CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    -- The last moment before the commit, held for a while: whoever can pass by now passes.
    PERFORM pg_sleep(random() * 0.03);
    INSERT INTO violation SELECT OLD.id_unique FROM votant v
      JOIN campagne c ON c.tenant_id = v.tenant_id AND c.id_unique = v.campagne_id
      WHERE v.tenant_id = OLD.tenant_id AND v.employe_id_externe = OLD.id_externe_employe
        AND (v.syndicat_id_externe IS NULL OR v.syndicat_id_externe = OLD.syndicat_id_externe)
        AND c.publiee AND NOT c.archivee AND clock_timestamp() < c.fermeture_du_vote_utc;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER witness AFTER DELETE ON adhesion DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION witness()`;

async function violations(): Promise<number> {
  const { rows } = await app.database.query('DELETE FROM violation RETURNING adhesion');
  return rows.length;
}

/** Responses to two requests at once: status, and the first code of a refusal. */
function outcome(answers: readonly Answer[]): string {
  return answers.map(({ status, json }) => (json?.code ? `${status} ${json.code}` : `${status}`)).join(', ');
}

/**
 * Runs races of two requests, some at a time. The order of sending changes from race to race, and so does the lead.
 * Otherwise one of the two would win all races, because it has less to do before they meet.
 */
async function race(
  one: (index: number) => Promise<Answer>,
  other: (index: number) => Promise<Answer>,
): Promise<Answer[][]> {
  const done: Answer[][] = [];
  while (done.length < RACES) {
    const some = times(AT_ONCE, (offset) => {
      const index = done.length + offset;
      const late = async (send: typeof one): Promise<Answer> => {
        await new Promise((resolve) => setTimeout(resolve, (Math.floor(index / 2) % 5) * 12));
        return send(index);
      };
      return Promise.all(index % 2 ? [late(one), other(index)] : [one(index), late(other)]);
    });
    done.push(...(await Promise.all(some)));
  }
  return done;
}

/** Employees and so on, one for each race. */
const racers = (): Promise<unknown> =>
  synced(app, campaigns.tenant, {
    Employes: times(RACES, (index) => ({ IdExterne: `R-${index}`, Prenom: 'Zoé', Nom: 'Roy' })),
  });
/** A card of each of them. */
async function racingCards(): Promise<string[]> {
  await racers();
  return Promise.all(times(RACES, (index) => cards.sign({ employeIdExterne: `R-${index}` })));
}
const publish = (id: string, by = app): Promise<Answer> =>
  by.send(campaigns.tenant, 'POST', `/b2b/v1/campagnes/${id}/publier`);
const add = (id: string, body: unknown, by = app): Promise<Answer> =>
  by.send(campaigns.tenant, 'POST', `/b2b/v1/campagnes/${id}/votants/upsert`, body);
const kinds = (results: Answer[][]): string[] => [...new Set(results.map(outcome))].sort();

describe(`${RACES} times at once, over two replicas`, () => {
  const drafts = (): Promise<string[]> =>
    Promise.all(times(RACES, (index) => campaignIn('Brouillon', { EmployeIdExterne: `R-${index}` })));

  it('publication and deletion of the card: no card goes once its voter’s campaign is active', async () => {
    const ids = await racingCards();
    const published = await drafts();
    const results = await race(
      (index) => publish(published[index]!, replica),
      (index) => deleteCard(ids[index]!),
    );
    // Each side must have won: races that one side always wins would show nothing.
    expect(kinds(results)).toEqual(['200, 204', '200, 409 Adhesion.LinkedToActiveCampaign']);
    expect(await violations()).toBe(0);
  }, 120_000);

  it('publication and deletion of the employee: the voter is there and stays, or the roll is empty', async () => {
    await racers();
    const published = await drafts();
    const results = await race(
      (index) => publish(published[index]!, replica),
      (index) => deleteEmployee(`R-${index}`),
    );
    expect(kinds(results)).toEqual(['200, 409 Employe.LieCampagneActive', '400 Vote.AucunVotant, 204']);
    for (const [index, [publication]] of results.entries()) {
      const { nombreVotants } = await campaigns.item(published[index]!);
      const named = (await voters(published[index]!)).map(({ EmployeIdExterne }) => EmployeIdExterne);
      expect([nombreVotants, named]).toEqual(publication!.status === 200 ? [1, [`R-${index}`]] : [0, []]);
    }
  }, 120_000);

  it.each([
    ['made', null],
    ['given the union', 'SYN-2'],
  ])(
    'a voter who is %s and deletion of the card: no card goes once it belongs to a voter',
    async (_what, union) => {
      const ids = await racingCards();
      const id = await campaigns.scheduled();
      // A change that does not name the employee.
      const record = (index: number): object =>
        union === null ? { EmployeIdExterne: `R-${index}` } : { VotantId: known[index] };
      const known: string[] = [];
      for (let index = 0; union !== null && index < RACES; index++) {
        const voter = { EmployeIdExterne: `R-${index}`, SyndicatIdExterne: union };
        known.push(await campaigns.votant(id, voter));
      }
      const results = await race(
        (index) => add(id, { ...record(index), SyndicatIdExterne: 'SYN-1' }, replica),
        (index) => deleteCard(ids[index]!),
      );
      const made = union === null ? 201 : 200;
      expect(kinds(results)).toEqual([`${made}, 204`, `${made}, 409 Adhesion.LinkedToActiveCampaign`]);
      expect(await violations()).toBe(0);
      expect((await campaigns.item(id)).nombreVotants).toBe(RACES + 1);
    },
    120_000,
  );

  it('a voter who is made and deletion of the employee: one of the two wins', async () => {
    await racers();
    const id = await campaigns.scheduled();
    const results = await race(
      (index) => add(id, { EmployeIdExterne: `R-${index}` }, replica),
      (index) => deleteEmployee(`R-${index}`),
    );
    expect(kinds(results)).toEqual(['201, 409 Employe.LieCampagneActive', '400 Requete.Invalide, 204']);
    const made = results.filter(([upsert]) => upsert!.status === 201).length;
    const attached = (await voters(id)).filter(({ EmployeIdExterne }) => EmployeIdExterne !== null);
    expect([attached.length, (await campaigns.item(id)).nombreVotants]).toEqual([made, made + 1]);
  }, 120_000);
});

/** The number of the lock that stands for a barrier. */
const BARRIER = 4_711;

/**
 * Sends one request, which stops where its `trigger` fires. Sends another one meanwhile, which waits for the first or gets
 * its response. Then lets the first continue. @returns both responses, and whether the other one waited
 */
async function meeting(
  trigger: string,
  first: () => Promise<Answer>,
  second: () => Promise<Answer>,
): Promise<[string, waited: boolean, answers: [Answer, Answer]]> {
  const { database } = app;
  await database.query(
    `CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM pg_advisory_xact_lock(${BARRIER}); RETURN coalesce(NEW, OLD); END $$`,
  );
  // Named to fire after the checks of foreign keys.
  await database.query(`CREATE TRIGGER zz_stop ${trigger} FOR EACH ROW EXECUTE FUNCTION stop()`);
  await database.query(`SELECT pg_advisory_lock(${BARRIER})`);
  const isWaiting = async (lock: string): Promise<true | undefined> => {
    const text = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE datname = current_database() AND NOT granted AND objid IS ${lock}`;
    return (await database.query(text)).rowCount ? true : undefined;
  };
  const one = first();
  await eventually(() => isWaiting(`NOT DISTINCT FROM ${BARRIER}`), 'The stop');
  let answered = false;
  const other = second().finally(() => (answered = true));
  const isSettled = async () => answered || isWaiting(`DISTINCT FROM ${BARRIER}`);
  await eventually(async () => (await isSettled()) || undefined, 'A wait or an answer');
  const waited = !answered;
  await database.query(`SELECT pg_advisory_unlock(${BARRIER})`);
  const answers: [Answer, Answer] = [await one, await other];
  await database.query('DROP FUNCTION stop CASCADE');
  return [outcome(answers), waited, answers];
}

describe('one of them held in its middle', () => {
  it('the deletion of the card, which found no campaign: the publication waits for it', async () => {
    const [card, id] = [await cards.sign(), await campaignIn('Brouillon')];
    const [answers, waited] = await meeting(
      'BEFORE DELETE ON adhesion',
      () => deleteCard(card),
      () => publish(id, replica),
    );
    expect([answers, waited, await violations()]).toEqual(['204, 200', true, 0]);
  });

  it('the deletion of the card, which found a voter of another union: a change of the union waits for it', async () => {
    const [card, id] = [await cards.sign(), await campaignIn('Planifie', { SyndicatIdExterne: 'SYN-2' })];
    const [{ VotantId }] = await voters(id);
    const [answers, waited] = await meeting(
      'BEFORE DELETE ON adhesion',
      () => deleteCard(card),
      () => add(id, { VotantId, SyndicatIdExterne: 'SYN-1' }, replica),
    );
    expect([answers, waited, await violations()]).toEqual(['204, 200', true, 0]);
  });

  it('the publication: the deletion of the card waits for it and is refused', async () => {
    const [card, id] = [await cards.sign(), await campaignIn('Brouillon')];
    const [answers, waited] = await meeting(
      'AFTER UPDATE ON campagne',
      () => publish(id),
      () => deleteCard(card, replica),
    );
    expect([answers, waited]).toEqual(['200, 409 Adhesion.LinkedToActiveCampaign', true]);
  });

  it('the deletion of the employee, which found no campaign: the publication waits for it and finds no voter', async () => {
    const id = await campaignIn('Brouillon');
    const [answers, waited] = await meeting(
      'BEFORE DELETE ON votant',
      () => deleteEmployee(),
      () => publish(id, replica),
    );
    expect([answers, waited]).toEqual(['204, 400 Vote.AucunVotant', true]);
    expect((await campaigns.item(id)).nombreVotants).toBe(0);
  });

  it('the publication: the deletion of the employee waits for it and is refused', async () => {
    const id = await campaignIn('Brouillon');
    const [answers, waited] = await meeting(
      'AFTER UPDATE ON campagne',
      () => publish(id),
      () => deleteEmployee('E-1', replica),
    );
    expect([answers, waited]).toEqual(['200, 409 Employe.LieCampagneActive', true]);
    expect(await voters(id)).toMatchObject([{ EmployeIdExterne: 'E-1' }]);
  });

  it('the upsert that has made the voter: both deletions wait for it and are refused', async () => {
    const card = await cards.sign({ employeIdExterne: 'E-2' });
    const id = await campaigns.scheduled();
    for (const [employe, deletion] of [
      ['E-1', () => deleteEmployee('E-1', replica)],
      ['E-2', () => deleteCard(card, replica)],
    ] as const) {
      const [answers, waited] = await meeting(
        'AFTER INSERT ON votant',
        () => add(id, { EmployeIdExterne: employe }),
        deletion,
      );
      const code = employe === 'E-1' ? 'Employe.LieCampagneActive' : 'Adhesion.LinkedToActiveCampaign';
      expect([answers, waited]).toEqual([`201, 409 ${code}`, true]);
    }
  });

  it('deletion of an employee without voters: requests that name the employee wait, and then report it unknown', async () => {
    const id = await campaigns.scheduled();
    const named = { EmployeIdExterne: 'E-1' };
    const list = `/b2b/v1/campagnes/${id}/liste-electorale`;
    const refused = { Index: 0, Code: 'Requete.Invalide', Message: 'EmployeIdExterne names no employee' };
    const requests: [send: () => Promise<Answer>, check: (answer: Answer) => void][] = [
      [() => add(id, named, replica), (answer) => expectFaults(answer, { '/EmployeIdExterne': 'reference' })],
      [
        () => add(id, [named, { EmployeIdExterne: 'E-2' }], replica),
        ({ json }) => expect(json).toEqual({ NombreCrees: 1, NombreModifies: 0, Erreurs: [refused] }),
      ],
      [
        () => replica.send(campaigns.tenant, 'POST', list, { EmployesIdExternes: ['E-1'] }),
        (answer) => expectFaults(answer, { '/EmployesIdExternes/0': 'reference' }),
      ],
    ];
    for (const [send, check] of requests) {
      const Employes = [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' }];
      await synced(app, campaigns.tenant, { Employes });
      const [, waited, [gone, answer]] = await meeting(
        'BEFORE DELETE ON employe',
        () => deleteEmployee(),
        send,
      );
      expect([gone.status, waited]).toEqual([204, true]);
      check(answer);
    }
    expect((await campaigns.item(id)).nombreVotants).toBe(2);
  });

  it('the write of the voter, which found the employee: one of the two gives way, and the roll says which', async () => {
    const id = await campaigns.scheduled();
    const requests: Record<string, [path: string, body: object]> = {
      'E-1': ['votants/upsert', { EmployeIdExterne: 'E-1' }],
      'E-2': ['votants/upsert', [{ EmployeIdExterne: 'E-2' }]],
      'E-3': ['liste-electorale', { EmployesIdExternes: ['E-3'] }],
    };
    await synced(app, campaigns.tenant, { Employes: [{ IdExterne: 'E-3', Prenom: 'Zoé', Nom: 'Roy' }] });
    for (const [employe, [path, body]] of Object.entries(requests)) {
      const [, , [write, deletion]] = await meeting(
        'BEFORE INSERT ON votant',
        () => app.send(campaigns.tenant, 'POST', `/b2b/v1/campagnes/${id}/${path}`, body),
        () => deleteEmployee(employe, replica),
      );
      expect(write.status).toBeLessThan(500);
      const named = (await voters(id)).map(({ EmployeIdExterne }) => EmployeIdExterne);
      expect([204, 409]).toContain(deletion.status);
      expect([employe, named.includes(employe)]).toEqual([employe, deletion.status === 409]);
      expect((await campaigns.item(id)).nombreVotants).toBe(named.length);
    }
  });

  it('negative control: a check without its locks lets the publication pass, and the card or the employee goes', async () => {
    const { hasVoter } = VotantRepository.prototype;
    jest.spyOn(VotantRepository.prototype, 'hasVoter').mockImplementation(function (
      this: VotantRepository,
      ...asked
    ) {
      const { transactions } = this as unknown as {
        transactions: { client(): { query(...given: unknown[]): unknown } };
      };
      const client = transactions.client();
      const query = (...given: [string, ...unknown[]]): unknown =>
        / FOR (KEY )?SHARE/.test(given[0]) ? { rows: [] } : client.query(...given);
      return hasVoter.apply(
        { transactions: { client: () => ({ query }) } } as unknown as VotantRepository,
        asked,
      );
    });
    const [card, one] = [await cards.sign(), await campaignIn('Brouillon')];
    const gone = await meeting(
      'BEFORE DELETE ON adhesion',
      () => deleteCard(card),
      () => publish(one, replica),
    );
    expect([gone[0], gone[1], await violations()]).toEqual(['204, 200', false, 1]);
    const two = await campaignIn('Brouillon', { EmployeIdExterne: 'E-2' });
    const left = await meeting(
      'BEFORE DELETE ON votant',
      () => deleteEmployee('E-2'),
      () => publish(two, replica),
    );
    expect([left[0], left[1]]).toEqual(['204, 200', false]);
    // An active campaign without a voter.
    expect(await campaigns.item(two)).toMatchObject({ etat: 'Planifie', nombreVotants: 0 });
  });
});
