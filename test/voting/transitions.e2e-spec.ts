import { refusing } from '../adhesion/support/data-space';
import { changed, digests } from '../adhesion/support/digests';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { Campaigns, NEXT_YEAR } from './support/campaigns';

type Etat = 'Brouillon' | 'Planifie' | 'VoteOuvert' | 'Termine' | 'Archive';
type Name = 'publier' | 'depublier' | 'ouvrir' | 'fermer' | 'archiver';

/**
 * Where each transition leads from each state (docs/contract.md, "States and transitions"); what is not here is
 * refused.
 */
const LEADS: Record<Etat, Partial<Record<Name, Etat>>> = {
  Brouillon: { publier: 'Planifie', archiver: 'Archive' },
  Planifie: { depublier: 'Brouillon', ouvrir: 'VoteOuvert' },
  VoteOuvert: { depublier: 'Brouillon', fermer: 'Termine' },
  Termine: { archiver: 'Archive' },
  Archive: {},
};
const NAMES: Name[] = ['publier', 'depublier', 'ouvrir', 'fermer', 'archiver'];
const ETATS = Object.keys(LEADS) as Etat[];
const MATRIX = ETATS.flatMap((from) =>
  NAMES.map((name) => [name, from, LEADS[from][name] ?? 'refused'] as const),
);
const ALLOWED = MATRIX.filter(([, , to]) => to !== 'refused');

/** The event of a transition whose opening and closing lie ahead. */
const EVENTS: Partial<Record<Name, string>> = {
  publier: 'campagne.publiee',
  ouvrir: 'campagne.ouverte',
  fermer: 'campagne.terminee',
};
const SEED = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown;

/** An opening that has passed and a closing that has not. */
const NOW_OPEN = { ouvertureDuVoteUtc: '2001-01-01T00:00:00.000Z' };
const PAST = { ...NOW_OPEN, fermetureDuVoteUtc: '2001-01-02T00:00:00.000Z' };

let app: TestApp;
let campaigns: Campaigns;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  campaigns = new Campaigns(app, await app.tenant());
});

const fire = (id: string, name: Name, body?: unknown, headers?: Record<string, string>) =>
  campaigns.send('POST', `/${id}/${name}`, body, headers);
const MAKERS = {
  Brouillon: 'ready',
  Planifie: 'scheduled',
  VoteOuvert: 'opened',
  Termine: 'closed',
  Archive: 'archived',
} as const;
const make = (etat: Etat, overrides: object = {}): Promise<string> => campaigns[MAKERS[etat]](overrides);

/** The time, by the clock of the database. */
async function now(): Promise<string> {
  const { rows } = await app.database.query<{ at: Date }>(
    `SELECT date_trunc('milliseconds', clock_timestamp()) AS at`,
  );
  return rows[0]!.at.toISOString();
}
const audited = async (id: string): Promise<string[]> => {
  const text = 'SELECT action FROM journal WHERE tenant_id = $1 AND objet_id = $2 ORDER BY id_unique';
  return (await campaigns.rows<{ action: string }>(text, id)).map(({ action }) => action);
};
/** What was sent with the last event of a type. */
async function dataOf(type: string): Promise<object | undefined> {
  const text =
    'SELECT data FROM evenement WHERE tenant_id = $1 AND type = $2 ORDER BY id_unique DESC LIMIT 1';
  return (await campaigns.rows<{ data: object }>(text, type))[0]?.data;
}
const listed = async (id: string): Promise<object> =>
  (await campaigns.sent('GET')).json.find((item: { id: string }) => item.id === id);

/** Runs `work` and expects it to be refused with a code and to leave every row as it was. */
async function expectRefusal(work: () => Promise<Answer>, status: number, code: string): Promise<void> {
  const before = await digests(app.database);
  expectProblem(await work(), status, code);
  expect(changed(before, await digests(app.database))).toEqual([]);
}

describe('each transition from each state', () => {
  it.each(ALLOWED)('%s: %s → %s', async (name, from, to) => {
    const id = await make(from);
    const before = await campaigns.item(id);
    expect(before.etat).toBe(from);
    const [events, entries] = [await campaigns.events(id), await audited(id)];
    const start = await now();
    const answer = await fire(id, name);
    const end = await now();
    expect(answer.status).toBe(200);
    const { ouvertureDuVoteUtc, fermetureDuVoteUtc, dateModificationUtc } = answer.json;
    expect(answer.json).toEqual({
      ...before,
      etat: to,
      ...(name === 'publier' ? { seuilAnonymat: 1, empreinteGraineDepartage: SEED } : {}),
      ...(name === 'depublier' ? { empreinteGraineDepartage: null } : {}),
      // Told once the box is closed.
      ...(name === 'fermer' ? { graineDepartage: SEED } : {}),
      estPublie: ['Planifie', 'VoteOuvert', 'Termine'].includes(to),
      estArchive: to === 'Archive',
      resultatsVisibles: from === 'Termine' || to === 'Termine',
      // Opening and closing by hand make the date now; nothing else touches a date.
      ...(name === 'ouvrir' ? { ouvertureDuVoteUtc } : {}),
      ...(name === 'fermer' ? { fermetureDuVoteUtc } : {}),
      dateModificationUtc,
    });
    const made = { ouvrir: [ouvertureDuVoteUtc], fermer: [fermetureDuVoteUtc] }[name as 'ouvrir'] ?? [];
    for (const date of [dateModificationUtc, ...made]) expect(date >= start && date <= end).toBe(true);
    expect((await campaigns.send('GET', `/${id}`)).text).toBe(answer.text);
    const event = EVENTS[name];
    expect(await campaigns.events(id)).toEqual([...events, ...(event ? [event] : [])]);
    if (event) expect(await dataOf(event)).toEqual(await listed(id));
    expect(await audited(id)).toEqual([...entries, `campagne.${name}`]);
  });

  it.each(MATRIX.filter(([, , to]) => to === 'refused'))(
    '%s: %s is refused with 400 Campagne.TransitionNonPermise, and nothing is written',
    async (name, from) => {
      const id = await make(from);
      await expectRefusal(() => fire(id, name), 400, 'Campagne.TransitionNonPermise');
      expect(await campaigns.etat(id)).toBe(from);
    },
  );

  it('are all 25, of which 7 are allowed', () => {
    expect([MATRIX.length, ALLOWED.length]).toEqual([25, 7]);
  });

  it('goes by the clock: what has opened is not opened again, and what has ended is not closed again', async () => {
    const soon = await make('Planifie', {
      ouvertureDuVoteUtc: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await campaigns.pass(soon, '2 hours');
    await expectRefusal(() => fire(soon, 'ouvrir'), 400, 'Campagne.TransitionNonPermise');
    await campaigns.pass(soon, '100 years');
    for (const name of ['fermer', 'depublier'] as const) {
      await expectRefusal(() => fire(soon, name), 400, 'Campagne.TransitionNonPermise');
    }
    expect((await fire(soon, 'archiver')).json.etat).toBe('Archive');
  });

  it('opens, ends and is archived at once: a window of any shortness is a window', async () => {
    const id = await campaigns.ready();
    for (const [name, etat] of [
      ['publier', 'Planifie'],
      ['ouvrir', 'VoteOuvert'],
      ['fermer', 'Termine'],
      ['archiver', 'Archive'],
    ] as const) {
      expect((await fire(id, name)).json.etat).toBe(etat);
    }
    expect(await campaigns.events(id)).toEqual(['campagne.publiee', 'campagne.ouverte', 'campagne.terminee']);
  });
});

describe('POST /b2b/v1/campagnes/:id/publier', () => {
  const refused = (id: string, code: string) => expectRefusal(() => fire(id, 'publier'), 400, code);

  it('checks the transition, then questions, then their options, then voters', async () => {
    const id = await campaigns.draft(PAST);
    await refused(id, 'Campagne.TransitionNonPermise');
    await campaigns.sent('PUT', `/${id}`, { titre: 'Vote', ...NEXT_YEAR });
    await refused(id, 'Campagne.AucuneQuestion');
    const question = await campaigns.question(id, { Type: 'ChoixLibre' });
    await refused(id, 'Question.OptionsInsuffisantes');
    await campaigns.sent('POST', `/${id}/questions/${question}/options`, { Libelle: 'Oui' });
    await refused(id, 'Vote.AucunVotant');
    const votant = await campaigns.votant(id);
    await campaigns.sent('DELETE', `/${id}/questions/${question}`);
    await refused(id, 'Campagne.AucuneQuestion');
    await campaigns.question(id);
    await campaigns.sent('DELETE', `/${id}/votants/${votant}`);
    await refused(id, 'Vote.AucunVotant');
    await campaigns.votant(id);
    expect((await fire(id, 'publier')).json.etat).toBe('Planifie');
    expect(await campaigns.events(id)).toEqual(['campagne.publiee']);
  });

  it('400 Question.OptionsInsuffisantes where one question of several has fewer options than an answer must name', async () => {
    const id = await campaigns.ready();
    const Options = [{ Libelle: 'A' }, { Libelle: 'B' }];
    await campaigns.question(id, {
      Type: 'Election',
      MinReponses: 3,
      MaxReponses: 3,
      Titre: 'Qui ?',
      Options,
    });
    await refused(id, 'Question.OptionsInsuffisantes');
    expect((await fire(id, 'publier')).json.detail).toContain('Qui ?');
  });

  it('400 Campagne.TransitionNonPermise once the closing has passed, however complete the campaign is', async () => {
    await refused(await campaigns.ready(PAST), 'Campagne.TransitionNonPermise');
  });

  it('200 VoteOuvert inside the window, with both events, which show the open campaign', async () => {
    const id = await campaigns.ready(NOW_OPEN);
    const answer = await fire(id, 'publier');
    expect([answer.status, answer.json.etat, answer.json.estPublie]).toEqual([200, 'VoteOuvert', true]);
    expect(answer.json).toMatchObject(NOW_OPEN);
    expect(await campaigns.events(id)).toEqual(['campagne.publiee', 'campagne.ouverte']);
    for (const type of ['campagne.publiee', 'campagne.ouverte']) {
      expect(await dataOf(type)).toEqual(await listed(id));
    }
  });

  it('locks questions and options until the campaign is unpublished', async () => {
    const id = await campaigns.scheduled();
    const add = () => campaigns.send('POST', `/${id}/questions`, { Titre: 'Encore ?', Type: 'Proposition' });
    expectProblem(await add(), 409, 'Campagne.StructureVerrouillee');
    await campaigns.sent('POST', `/${id}/depublier`);
    expect((await add()).status).toBe(201);
    expect((await fire(id, 'publier')).json.nombreQuestions).toBe(2);
  });
});

describe('POST /b2b/v1/campagnes/:id/depublier', () => {
  it.each(['Planifie', 'VoteOuvert'] as const)(
    '400 Campagne.DepublierAvecVotes in %s once somebody has voted',
    async (etat) => {
      const id = await make(etat);
      await campaigns.votant(id);
      await campaigns.vote(id);
      await expectRefusal(() => fire(id, 'depublier'), 400, 'Campagne.DepublierAvecVotes');
      expect(await campaigns.etat(id)).toBe(etat);
    },
  );

  it('400 Campagne.TransitionNonPermise, and not the votes, once it has ended', async () => {
    const id = await make('VoteOuvert');
    await campaigns.vote(id);
    await campaigns.sent('POST', `/${id}/fermer`);
    await expectRefusal(() => fire(id, 'depublier'), 400, 'Campagne.TransitionNonPermise');
  });

  it('votes of another campaign do not keep it', async () => {
    await campaigns.vote(await make('VoteOuvert'));
    expect((await fire(await make('VoteOuvert'), 'depublier')).json.etat).toBe('Brouillon');
  });
});

describe('GET /b2b/v1/campagnes/:id/validation', () => {
  const codesOf = async (id: string): Promise<string[]> => {
    const { valide, erreurs } = (await campaigns.sent('GET', `/${id}/validation`)).json;
    expect(valide).toBe(erreurs.length === 0);
    for (const erreur of erreurs) {
      expect(erreur).toEqual({ code: expect.any(String), detail: expect.stringMatching(/./) });
    }
    return erreurs.map(({ code }: { code: string }) => code);
  };

  it('tells all at once what would stop a publication, in the order of its checks, and writes nothing', async () => {
    const id = await campaigns.draft(PAST);
    const before = await digests(app.database);
    expect(await codesOf(id)).toEqual([
      'Campagne.TransitionNonPermise',
      'Campagne.AucuneQuestion',
      'Vote.AucunVotant',
    ]);
    expect(changed(before, await digests(app.database))).toEqual([]);
    await campaigns.question(id, { Type: 'Election' });
    expect(await codesOf(id)).toEqual([
      'Campagne.TransitionNonPermise',
      'Question.OptionsInsuffisantes',
      'Vote.AucunVotant',
    ]);
    await campaigns.sent('PUT', `/${id}`, { titre: 'Vote', ...NEXT_YEAR });
    expect(await codesOf(id)).toEqual(['Question.OptionsInsuffisantes', 'Vote.AucunVotant']);
    const [{ detail }] = (await campaigns.sent('GET', `/${id}/validation`)).json.erreurs;
    expect((await fire(id, 'publier')).json.detail).toBe(detail);
  });

  it('{"valide":true,"erreurs":[]} exactly where a publication succeeds', async () => {
    const id = await campaigns.ready();
    expect((await campaigns.send('GET', `/${id}/validation`)).text).toBe('{"valide":true,"erreurs":[]}');
    expect((await fire(id, 'publier')).status).toBe(200);
    expect(await codesOf(id)).toEqual(['Campagne.TransitionNonPermise']);
  });

  it.each(ETATS.slice(1))('of a campaign in %s says that it cannot be published', async (etat) => {
    expect(new Set(await codesOf(await make(etat)))).toEqual(new Set(['Campagne.TransitionNonPermise']));
  });
});

describe('resultatsVisibles', () => {
  const visible = async (id: string): Promise<unknown> => (await campaigns.item(id)).resultatsVisibles;
  async function show(resultatsVoteActifVisibles: boolean): Promise<void> {
    const path = `/admin/v1/clients/${campaigns.tenant.clientId}`;
    const answer = await app.send(app.adminKey, 'PUT', path, { drapeaux: { resultatsVoteActifVisibles } });
    expect(answer.status).toBe(200);
  }

  it('is false until the vote has ended, and true from then on', async () => {
    const seen: unknown[] = [];
    for (const etat of ETATS) seen.push(await visible(await make(etat)));
    expect(seen).toEqual([false, false, false, true, true]);
  });

  it('is true while the vote is open as long as the client has the flag on, and of no other client', async () => {
    const [planned, open, ended] = [await make('Planifie'), await make('VoteOuvert'), await make('Termine')];
    const other = new Campaigns(app, await app.tenant());
    const theirs = await other.opened();
    await show(true);
    expect([await visible(planned), await visible(open), await visible(ended)]).toEqual([false, true, true]);
    expect((await other.item(theirs)).resultatsVisibles).toBe(false);
    await show(false);
    expect([await visible(open), await visible(ended)]).toEqual([false, true]);
  });

  it('changes when the closing comes, without any worker', async () => {
    const id = await make('VoteOuvert');
    expect(await visible(id)).toBe(false);
    await campaigns.pass(id, '100 years');
    expect(await visible(id)).toBe(true);
  });
});

describe('all transitions alike', () => {
  it.each(ALLOWED)('%s from %s takes no body and no query', async (name, from) => {
    const id = await make(from);
    const before = await digests(app.database);
    for (const body of [{ force: true }, [], '"x"', 'null', '1']) {
      expectFaults(await fire(id, name, body), { '': 'unknown' });
    }
    expectFaults(await campaigns.send('POST', `/${id}/${name}?force=true`), { '?force': 'unknown' });
    expect(changed(before, await digests(app.database))).toEqual([]);
    // What many clients send with every POST.
    expect((await fire(id, name, {})).status).toBe(200);
  });

  it.each(ALLOWED)(
    'twenty %s from %s at once: one 200, nineteen 400 Campagne.TransitionNonPermise',
    async (name, from) => {
      const id = await make(from);
      const known = await campaigns.events(id);
      const answers = await Promise.all(times(20, () => fire(id, name)));
      expect(answers.map(({ status, json }) => json.code ?? status).sort()).toEqual([
        ...[200, ...times(19, () => 'Campagne.TransitionNonPermise')],
      ]);
      expect((await campaigns.events(id)).length).toBe(known.length + (EVENTS[name] ? 1 : 0));
      expect((await audited(id)).filter((action) => action === `campagne.${name}`)).toHaveLength(1);
    },
  );

  it('fermer and depublier at once: one of the two wins, and there is never an end of what was unpublished', async () => {
    for (const n of times(12, (index) => index)) {
      const id = await make('VoteOuvert');
      const names = n % 2 ? (['fermer', 'depublier'] as const) : (['depublier', 'fermer'] as const);
      const answers = await Promise.all(names.map((name) => fire(id, name)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      const etat = await campaigns.etat(id);
      expect(['Termine', 'Brouillon']).toContain(etat);
      expect((await campaigns.events(id)).includes('campagne.terminee')).toBe(etat === 'Termine');
    }
  });

  it.each([
    ['publier', 'Brouillon', 'evenement'],
    ['ouvrir', 'Planifie', 'evenement'],
    ['fermer', 'VoteOuvert', 'evenement'],
    ...ALLOWED.map(([name, from]) => [name, from, 'journal'] as const),
  ] as const)('%s from %s has no effect where its row of %s cannot be written', async (name, from, table) => {
    const id = await make(from);
    const before = await digests(app.database);
    const answer = await refusing(app, table, () => fire(id, name));
    expect(answer.status).toBe(500);
    expect(changed(before, await digests(app.database))).toEqual([]);
    expect((await fire(id, name)).status).toBe(200);
  });

  it('replays the first answer to the same Idempotency-Key', async () => {
    const id = await make('Brouillon');
    const headers = { 'Idempotency-Key': 'one' };
    const first = await fire(id, 'publier', undefined, headers);
    await campaigns.sent('POST', `/${id}/depublier`);
    const again = await fire(id, 'publier', undefined, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(await campaigns.etat(id)).toBe('Brouillon');
  });
});
