import { refusing } from '../adhesion/support/data-space';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { type Etat, ETATS, NEXT_YEAR, WHOLE_LIFE } from './support/campaigns';
import {
  app,
  campaigns,
  databaseNow,
  expectRefused,
  newSpace,
  spaceOfEachTest,
  unchanged,
} from './support/scene';

type Name = 'publier' | 'depublier' | 'ouvrir' | 'fermer' | 'archiver';

/**
 * The state after each transition (docs/contract.md, "States and transitions"); all others are rejected.
 */
const LEADS: Record<Etat, Partial<Record<Name, Etat>>> = {
  Brouillon: { publier: 'Planifie', archiver: 'Archive' },
  Planifie: { depublier: 'Brouillon', ouvrir: 'VoteOuvert' },
  VoteOuvert: { depublier: 'Brouillon', fermer: 'Termine' },
  Termine: { archiver: 'Archive' },
  Archive: {},
};
const NAMES: Name[] = ['publier', 'depublier', 'ouvrir', 'fermer', 'archiver'];
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

spaceOfEachTest();

const fire = (id: string, name: Name, body?: unknown, headers?: Record<string, string>) =>
  campaigns.send('POST', `/${id}/${name}`, body, headers);
const make = (etat: Etat, overrides?: object): Promise<string> => campaigns.in(etat, overrides);
const now = async (): Promise<string> => (await databaseNow()).toISOString();
/** The data of the last event of a type. */
async function dataOf(type: string): Promise<object | undefined> {
  const text =
    'SELECT data FROM evenement WHERE tenant_id = $1 AND type = $2 ORDER BY id_unique DESC LIMIT 1';
  return (await campaigns.rows<{ data: object }>(text, type))[0]?.data;
}
const listed = async (id: string): Promise<object> =>
  (await campaigns.sent('GET')).json.find((item: { id: string }) => item.id === id);

describe('each transition from each state', () => {
  it.each(ALLOWED)('%s: %s → %s', async (name, from, to) => {
    const id = await make(from);
    const before = await campaigns.item(id);
    expect(before.etat).toBe(from);
    const [events, entries] = [await campaigns.events(id), await campaigns.audited(id)];
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
      // Shown after the box is closed.
      ...(name === 'fermer' ? { graineDepartage: SEED } : {}),
      estPublie: ['Planifie', 'VoteOuvert', 'Termine'].includes(to),
      estArchive: to === 'Archive',
      resultatsVisibles: from === 'Termine' || to === 'Termine',
      // Only opening and closing by API call set a date: to now.
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
    expect(await campaigns.audited(id)).toEqual([...entries, `campagne.${name}`]);
  });

  it.each(MATRIX.filter(([, , to]) => to === 'refused'))(
    '%s: %s is 400 Campagne.TransitionNonPermise, and nothing is written',
    async (name, from) => {
      const id = await make(from);
      await expectRefused(() => fire(id, name), 400, 'Campagne.TransitionNonPermise');
      expect(await campaigns.etat(id)).toBe(from);
    },
  );

  it('are all 25, of which 7 are allowed', () => {
    expect([MATRIX.length, ALLOWED.length]).toEqual([25, 7]);
  });

  it('follows the dates: an open vote is not opened again, an ended one not closed again', async () => {
    const soon = await make('Planifie', {
      ouvertureDuVoteUtc: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await campaigns.pass(soon, '2 hours');
    await expectRefused(() => fire(soon, 'ouvrir'), 400, 'Campagne.TransitionNonPermise');
    await campaigns.pass(soon, '100 years');
    for (const name of ['fermer', 'depublier'] as const) {
      await expectRefused(() => fire(soon, name), 400, 'Campagne.TransitionNonPermise');
    }
    expect((await fire(soon, 'archiver')).json.etat).toBe('Archive');
  });

  it('allows a window of any length: opened, closed and archived at once', async () => {
    const id = await campaigns.ready();
    for (const [index, name] of (['publier', 'ouvrir', 'fermer', 'archiver'] as const).entries())
      expect((await fire(id, name)).json.etat).toBe(ETATS[index + 1]);
    expect(await campaigns.events(id)).toEqual(WHOLE_LIFE);
  });
});

describe('POST /b2b/v1/campagnes/:id/publier', () => {
  const refused = (id: string, code: string) => expectRefused(() => fire(id, 'publier'), 400, code);

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

  it.each([
    ['the same label', { Libelle: 'Jean Roy' }, { Libelle: 'Jean Roy' }],
    [
      'case and space',
      { Libelle: 'Jean Roy', Description: 'x Y' },
      { Libelle: 'jean\u00a0 ROY', Description: ' X y' },
    ],
  ])('400 Option.LibelleEnDouble if two options of a question are equal: %s', async (_what, one, other) => {
    const id = await campaigns.draft();
    await campaigns.votant(id);
    await campaigns.question(id, { Type: 'Election', Options: [one, { Libelle: 'Luc' }, other] });
    await refused(id, 'Option.LibelleEnDouble');
  });

  it('two options with one label and different descriptions are published', async () => {
    const id = await campaigns.draft();
    await campaigns.votant(id);
    const Options = ['Local 1', 'Local 2'].map((Description) => ({ Libelle: 'Jean Roy', Description }));
    await campaigns.question(id, { Type: 'Election', Options });
    expect((await campaigns.send('POST', `/${id}/publier`)).status).toBe(200);
  });

  it('the validation lists every faulty question', async () => {
    const id = await campaigns.draft();
    await campaigns.votant(id);
    const double = { Type: 'Election', Options: [{ Libelle: 'A' }, { Libelle: 'a' }] };
    for (const record of [
      { Type: 'Election', Options: [] },
      double,
      { Type: 'Election', Options: [] },
      double,
    ]) {
      await campaigns.question(id, record);
    }
    const { json } = await campaigns.sent('GET', `/${id}/validation`);
    expect(json.erreurs.map(({ code }: { code: string }) => code)).toEqual([
      ...['Question.OptionsInsuffisantes', 'Question.OptionsInsuffisantes'],
      ...['Option.LibelleEnDouble', 'Option.LibelleEnDouble'],
    ]);
  });

  it('400 Question.OptionsInsuffisantes if a question has fewer options than MinReponses', async () => {
    const id = await campaigns.ready();
    const Options = [{ Libelle: 'A' }, { Libelle: 'B' }];
    const three = { MinReponses: 3, MaxReponses: 3 };
    await campaigns.question(id, { Type: 'Election', Titre: 'Qui ?', ...three, Options });
    await refused(id, 'Question.OptionsInsuffisantes');
    expect((await fire(id, 'publier')).json.detail).toContain('Qui ?');
  });

  it('400 Campagne.TransitionNonPermise for a complete campaign after its closing', async () => {
    await refused(await campaigns.ready(PAST), 'Campagne.TransitionNonPermise');
  });

  it('200 VoteOuvert inside the window, with two events that show the open campaign', async () => {
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
    '400 Campagne.DepublierAvecVotes in %s after the first vote',
    async (etat) => {
      const id = await make(etat);
      await campaigns.votant(id);
      await campaigns.vote(id);
      await expectRefused(() => fire(id, 'depublier'), 400, 'Campagne.DepublierAvecVotes');
      expect(await campaigns.etat(id)).toBe(etat);
    },
  );

  it('400 Campagne.TransitionNonPermise after the end, although it has votes', async () => {
    const id = await make('VoteOuvert');
    await campaigns.vote(id);
    await campaigns.sent('POST', `/${id}/fermer`);
    await expectRefused(() => fire(id, 'depublier'), 400, 'Campagne.TransitionNonPermise');
  });

  it('200 if only another campaign has votes', async () => {
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

  it('200 returns all reasons that block a publication, in the order of its checks, and writes nothing', async () => {
    const id = await campaigns.draft(PAST);
    const ended = 'Campagne.TransitionNonPermise';
    const found = await unchanged(() => codesOf(id));
    expect(found).toEqual([ended, 'Campagne.AucuneQuestion', 'Vote.AucunVotant']);
    await campaigns.question(id, { Type: 'Election' });
    const without = ['Question.OptionsInsuffisantes', 'Vote.AucunVotant'];
    expect(await codesOf(id)).toEqual([ended, ...without]);
    await campaigns.sent('PUT', `/${id}`, { titre: 'Vote', ...NEXT_YEAR });
    expect(await codesOf(id)).toEqual(without);
    const [{ detail }] = (await campaigns.sent('GET', `/${id}/validation`)).json.erreurs;
    expect((await fire(id, 'publier')).json.detail).toBe(detail);
  });

  it('200 {"valide":true,"erreurs":[]} before a publication that succeeds', async () => {
    const id = await campaigns.ready();
    expect((await campaigns.send('GET', `/${id}/validation`)).text).toBe('{"valide":true,"erreurs":[]}');
    expect((await fire(id, 'publier')).status).toBe(200);
    expect(await codesOf(id)).toEqual(['Campagne.TransitionNonPermise']);
  });

  it.each(ETATS.slice(1))('200 with Campagne.TransitionNonPermise in %s', async (etat) => {
    expect(new Set(await codesOf(await make(etat)))).toEqual(new Set(['Campagne.TransitionNonPermise']));
  });
});

describe('resultatsVisibles', () => {
  const visible = async (id: string): Promise<unknown> => (await campaigns.item(id)).resultatsVisibles;
  it('is false before the end of the vote, and true after it', async () => {
    const seen: unknown[] = [];
    for (const etat of ETATS) seen.push(await visible(await make(etat)));
    expect(seen).toEqual([false, false, false, true, true]);
  });

  it('is true for an open vote if the flag of its client is on', async () => {
    const [planned, open, ended] = [await make('Planifie'), await make('VoteOuvert'), await make('Termine')];
    const other = await newSpace();
    const theirs = await other.opened();
    await campaigns.setFlags({ resultatsVoteActifVisibles: true });
    expect([await visible(planned), await visible(open), await visible(ended)]).toEqual([false, true, true]);
    expect((await other.item(theirs)).resultatsVisibles).toBe(false);
    await campaigns.setFlags({ resultatsVoteActifVisibles: false });
    expect([await visible(open), await visible(ended)]).toEqual([false, true]);
  });

  it('becomes true at the closing, without a worker', async () => {
    const id = await make('VoteOuvert');
    expect(await visible(id)).toBe(false);
    await campaigns.pass(id, '100 years');
    expect(await visible(id)).toBe(true);
  });
});

describe('all transitions alike', () => {
  it.each(ALLOWED)('%s from %s takes no body and no query', async (name, from) => {
    const id = await make(from);
    await unchanged(async () => {
      for (const body of [{ force: true }, [], '"x"', 'null', '1'])
        expectFaults(await fire(id, name, body), 'unknown');
      expectFaults(await campaigns.send('POST', `/${id}/${name}?force=true`), '?force unknown');
    });
    // Many clients send an empty object with every POST.
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
      expect((await campaigns.audited(id)).filter((action) => action === `campagne.${name}`)).toHaveLength(1);
    },
  );

  it('fermer and depublier at once: one of them succeeds, and an unpublished vote has no end', async () => {
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
  ] as const)(
    '%s from %s is 500 without effect if its row of %s cannot be written',
    async (name, from, table) => {
      const id = await make(from);
      const answer = await unchanged(() => refusing(app, table, () => fire(id, name)));
      expect(answer.status).toBe(500);
      expect((await fire(id, name)).status).toBe(200);
    },
  );

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
