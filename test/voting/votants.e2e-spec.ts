import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, times, walk } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { type Etat, ETATS } from './support/campaigns';
import { app, campaigns, newSpace, spaceOfEachTest } from './support/scene';
import { size, UNIONS_AND_EMPLOYEES, versions, voters } from './support/roll';

spaceOfEachTest({ sync: UNIONS_AND_EMPLOYEES, own: 'volume' });
const otherSpace = () => newSpace(UNIONS_AND_EMPLOYEES);

/** Rows that a refused write of a roll must not change, with their row versions. */
function traces(): Promise<object[]> {
  return campaigns.rows(
    `SELECT 'votant ' || v.xmin || v::text AS row FROM votant v WHERE tenant_id = $1
     UNION ALL SELECT 'campagne ' || id_unique || nombre_votants FROM campagne WHERE tenant_id = $1
     UNION ALL SELECT 'liste ' || l::text FROM liste_electorale l WHERE tenant_id = $1
     UNION ALL SELECT 'journal ' || j::text FROM journal j WHERE tenant_id = $1
     UNION ALL SELECT 'evenement ' || e::text FROM evenement e WHERE tenant_id = $1 ORDER BY 1`,
  );
}

const idsOf = (items: Answer['json'][]): string[] => items.map(({ VotantId }) => VotantId);
const setRight = (id: string, VotantIds: unknown, ADroitDeVote: unknown): Promise<Answer> =>
  campaigns.send('PUT', `/${id}/votants/droit-de-vote`, { VotantIds, ADroitDeVote });

/** Inserts voters, three per millisecond, whose order of creation is not that of their ids. @returns their ids */
async function fill(id: string, count: number): Promise<string[]> {
  const rows = await campaigns.rows<{ id: string }>(
    `WITH made AS (
       INSERT INTO votant (tenant_id, campagne_id, prenom, nom, a_droit_de_vote, poids, date_creation)
       SELECT $1, $2, 'Zoé', 'Roy', true, 1, timestamptz '2026-01-01Z' + (n * 7919 % $3 / 3) * interval '1 millisecond'
       FROM generate_series(1, $3::int) n RETURNING id_unique, date_creation
     ), counted AS (UPDATE campagne SET nombre_votants = $3 WHERE tenant_id = $1 AND id_unique = $2)
     SELECT id_unique AS id FROM made ORDER BY date_creation, id_unique`,
    ...[id, count],
  );
  return rows.map((row) => row.id);
}

const NO_EMAIL = { EtatCourriel: null, StatutCourriel: null, RaisonCourriel: null };

describe('a voter', () => {
  it('200 returns exactly the documented properties, in the list and alone', async () => {
    const id = await campaigns.draft();
    const sent = {
      ...{ Identifiant: 'ELECTEUR-1', Prenom: 'Marie-Ève', Nom: "L'Écuyer", Courriel: 'm@example.org' },
      ...{ EmployeIdExterne: 'E-1', SyndicatIdExterne: 'SYN-1', EmployeurIdentifiantExterne: 'EMP-1' },
      ...{ ADroitDeVote: false, Poids: 1.5 },
    };
    const full = await campaigns.votant(id, sent);
    const bare = await campaigns.votant(id);
    const { ADroitDeVote, Poids, ...named } = sent;
    const items = [
      { VotantId: full, ...named, ADroitDeVote, AVote: false, Poids, ...NO_EMAIL },
      {
        ...{ VotantId: bare, Identifiant: null, Prenom: 'Zoé', Nom: 'Roy', Courriel: null },
        ...{ EmployeIdExterne: null, SyndicatIdExterne: null, EmployeurIdentifiantExterne: null },
        ...{ ADroitDeVote: true, AVote: false, Poids: 1, ...NO_EMAIL },
      },
    ];
    expect(full).toMatch(GUID);
    const listed = await campaigns.sent('GET', `/${id}/votants`);
    expect(listed.text).toBe(JSON.stringify(items));
    for (const item of items) {
      const { text } = await campaigns.sent('GET', `/${id}/votants/${item.VotantId.toUpperCase()}`);
      expect(text).toBe(JSON.stringify(item));
    }
  });

  it('304 for the ETag; 412 for a deletion with a stale one, which deletes no voter', async () => {
    const id = await campaigns.draft();
    const votant = await campaigns.votant(id);
    const path = `/${id}/votants/${votant}`;
    const tag = (await campaigns.sent('GET', path)).headers.get('etag')!;
    const held = await campaigns.send('GET', path, undefined, { 'If-None-Match': `"x", W/${tag}` });
    expect([held.status, held.text, held.headers.get('etag')]).toEqual([304, '', tag]);
    await campaigns.markVoted(id, votant);
    const changed = await campaigns.send('GET', path, undefined, { 'If-None-Match': tag });
    expect([changed.status, changed.json.AVote]).toEqual([200, true]);
    expect(changed.headers.get('etag')).not.toBe(tag);
    await campaigns.rows('UPDATE votant SET a_vote = false, poids = 2 WHERE tenant_id = $1');
    const before = await traces();
    const stale = await campaigns.send('DELETE', path, undefined, { 'If-Match': tag });
    expectProblem(stale, 412, 'Precondition.Echouee');
    expect(await traces()).toEqual(before);
    const current = (await campaigns.sent('GET', path)).headers.get('etag')!;
    expect((await campaigns.send('DELETE', path, undefined, { 'If-Match': current })).status).toBe(204);
    expect(await size(id)).toBe(0);
  });

  it('404 Votant.NotFound for one that is unknown, of another campaign or of another tenant', async () => {
    const theirs = await otherSpace();
    const foreign = await theirs.draft();
    const strangers = [
      await theirs.votant(foreign),
      await campaigns.votant(await campaigns.draft()),
      ...[randomUUID(), 'E-1', '0'],
    ];
    const id = await campaigns.draft();
    await campaigns.votant(id);
    const before = [await traces(), await versions(theirs)];
    for (const method of ['GET', 'DELETE']) {
      const unknown = comparable(await campaigns.send(method, `/${id}/votants/${randomUUID()}`));
      for (const votant of strangers) {
        const answer = await campaigns.send(method, `/${id}/votants/${votant}`);
        expectProblem(answer, 404, 'Votant.NotFound');
        expect(comparable(answer)).toEqual(unknown);
      }
    }
    expect([await traces(), await versions(theirs)]).toEqual(before);
  });

  it('404 Campagne.NotFound for a campaign that is unknown or of another tenant, read or written', async () => {
    const theirs = await otherSpace();
    const foreign = await theirs.draft();
    const votant = await theirs.votant(foreign);
    const before = await versions(theirs);
    const stolen = { VotantId: votant, Nom: 'Volé' };
    const requests: [method: string, path: string, body?: object][] = [
      ['GET', ''],
      ['GET', '?limite=1&aVote=true'],
      ['GET', `/${votant}`],
      ['DELETE', `/${votant}`],
      ['POST', '/upsert', { Prenom: 'Zoé', Nom: 'Roy' }],
      ['POST', '/upsert', stolen],
      ['POST', '/upsert', [stolen]],
      ['PUT', '/droit-de-vote', { VotantIds: [votant], ADroitDeVote: false }],
    ];
    for (const [method, path, body] of requests) {
      const answer = await campaigns.send(method, `/${foreign}/votants${path}`, body);
      expectProblem(answer, 404, 'Campagne.NotFound');
      const unknown = await campaigns.send(method, `/${randomUUID()}/votants${path}`, body);
      expect(comparable(answer)).toEqual(comparable(unknown));
    }
    expect(await versions(theirs)).toEqual(before);
  });
});

describe('GET votants', () => {
  it('200 for every combination of filters returns the voters that meet them, in the order of the list', async () => {
    const id = await campaigns.draft();
    const records = [null, 'SYN-1', 'SYN-2'].flatMap((SyndicatIdExterne) =>
      [null, 'EMP-1', 'EMP-2'].flatMap((EmployeurIdentifiantExterne) =>
        [true, true, false].map((ADroitDeVote) => ({
          ...{ Prenom: 'Zoé', Nom: 'Roy', SyndicatIdExterne, EmployeurIdentifiantExterne, ADroitDeVote },
        })),
      ),
    );
    // The same voters in another campaign and with another tenant, which no filter returns.
    const theirs = await otherSpace();
    await theirs.sent('POST', `/${await theirs.draft()}/votants/upsert`, records);
    for (const campaign of [id, await campaigns.draft()]) {
      await campaigns.sent('POST', `/${campaign}/votants/upsert`, records);
    }
    const made = await voters(id);
    for (const [index, { VotantId }] of made.entries()) {
      if (index % 3 === 0) await campaigns.markVoted(id, VotantId);
    }
    const all = await voters(id);
    expect(all.map(({ AVote, ADroitDeVote }) => `${AVote} ${ADroitDeVote}`).slice(0, 3)).toEqual([
      ...['true true', 'false true', 'false false'],
    ]);
    const values = {
      syndicatIdExterne: ['', 'SYN-1', 'SYN-2', 'syn-1', 'INCONNU'],
      employeurIdentifiantExterne: ['', 'EMP-1', 'EMP-2', 'INCONNU'],
      aVote: ['', 'true', 'false'],
      aDroitDeVote: ['', 'true', 'false'],
    };
    const combinations = Object.entries(values).reduce<Record<string, string>[]>(
      (some, [name, each]) =>
        some.flatMap((filters) => each.map((value) => (value ? { ...filters, [name]: value } : filters))),
      [{}],
    );
    expect(combinations).toHaveLength(180);
    let found = 0;
    for (const filters of combinations) {
      const query = new URLSearchParams(filters).toString();
      const items = all.filter((votant) =>
        Object.entries(filters).every(
          ([name, value]) => String(votant[name[0]!.toUpperCase() + name.slice(1)]) === value,
        ),
      );
      const path = `/b2b/v1/campagnes/${id}/votants?limite=4&${query}`;
      const pages = await walk(app, campaigns.tenant, path);
      expect({ query, items: await voters(id, `?${query}`) }).toEqual({ query, items });
      expect({ query, items: pages.flat() }).toEqual({ query, items });
      found += items.length;
    }
    expect(found).toBeGreaterThan(100);
  });

  it('400 for parameters that are unknown, repeated, empty or no boolean', async () => {
    const id = await campaigns.draft();
    for (const [query, expected] of [
      ['SyndicatIdExterne=SYN-1', '?SyndicatIdExterne unknown'],
      ['idExterneSyndicat=SYN-1&aVote=true', '?idExterneSyndicat unknown'],
      ['employeIdExterne=E-1', '?employeIdExterne unknown'],
      ['syndicatIdExterne=', '?syndicatIdExterne required'],
      ['syndicatIdExterne=SYN-1&syndicatIdExterne=SYN-2', '?syndicatIdExterne duplicate'],
      ['aVote=oui&aDroitDeVote=1', '?aVote type, ?aDroitDeVote type'],
      ['aVote=TRUE', '?aVote type'],
      ['limite=0', '?limite range'],
      ['limite=1001', '?limite range'],
      ['curseur=x', '?curseur cursor'],
    ] as const)
      expectFaults(await campaigns.send('GET', `/${id}/votants?${query}`), expected);
  });

  it('pages return every voter once, in the order of creation, while voters are added and deleted', async () => {
    const id = await campaigns.draft();
    const made = await fill(id, 250);
    const path = `/b2b/v1/campagnes/${id}/votants?limite=40`;
    const pages = await walk(app, campaigns.tenant, path);
    expect(pages.map((page) => page.length)).toEqual([40, 40, 40, 40, 40, 40, 10]);
    expect(idsOf(pages.flat())).toEqual(made);
    const seen: string[] = [];
    const gone = [made[39]!, made[200]!];
    for (let next: string | undefined = path; next !== undefined;) {
      const answer: Answer = await app.send(campaigns.tenant, 'GET', next);
      seen.push(...idsOf(answer.json));
      if (seen.length === 40) {
        for (const votant of gone) await campaigns.sent('DELETE', `/${id}/votants/${votant}`);
        await campaigns.votant(id);
      }
      const link = answer.headers.get('link');
      next = link?.slice(1).split('>')[0]!.slice(app.config.publicUrl.length);
    }
    // The added voter is the last; the first deleted voter had been returned already.
    expect(seen.slice(0, -1)).toEqual(made.filter((votant) => votant !== gone[1]));
    expect(await size(id)).toBe(249);
  });
});

describe('a weight', () => {
  /** The body is text: JSON.stringify would write numbers in its own way. */
  const weigh = (id: string, weight: string): Promise<Answer> =>
    campaigns.send('POST', `/${id}/votants/upsert`, `{"Prenom":"Zoé","Nom":"Roy","Poids":${weight}}`);

  it('is returned as the number that was sent, digit by digit', async () => {
    const id = await campaigns.draft();
    const plain = ['1', '1.5', '0.0001', '1000000', '999999.9999', '123456.789', '0.1', '100'];
    const weights: Record<string, string> = {
      ...Object.fromEntries(plain.flatMap((one) => [one, `"${one}"`].map((sent) => [sent, one]))),
      ...{ '"2.5000"': '2.5', '2.50': '2.5', '"1000000.0000"': '1000000', '"007.50"': '7.5', '" 3 "': '3' },
      ...{ '1e2': '100', '1E-4': '0.0001', null: '1' },
    };
    for (const [sent, weight] of Object.entries(weights)) {
      const { status, text, json } = await weigh(id, sent);
      const tail = text.slice(text.indexOf('"Poids"'));
      expect({ sent, status, tail }).toEqual({
        sent,
        status: 201,
        tail: `"Poids":${weight},${JSON.stringify(NO_EMAIL).slice(1)}`,
      });
      expect((await campaigns.sent('GET', `/${id}/votants/${json.VotantId}`)).text).toBe(text);
    }
    expect(await size(id)).toBe(Object.keys(weights).length);
  });

  it('400 if it is no number, too large or has more than four decimals; no voter is added', async () => {
    const id = await campaigns.draft();
    const numbers = '0 -1 -0.0001 0.00001 1.00001 1000000.0001 1000001 1e-7 1e21';
    const texts =
      '0 0.0000 -1 1.00001 1000000.0001 1000000.00000001 1e3 1,5 un +1 .5 5. 0x10 NaN Infinity 1_0 ١';
    const long = `1${'0'.repeat(400)}`;
    for (const weight of [...numbers.split(' '), ...[...texts.split(' '), long].map((text) => `"${text}"`)]) {
      const answer = await weigh(id, weight);
      expect([weight, answer.status]).toEqual([weight, 400]);
      expectFaults(answer, '/Poids range');
    }
    for (const weight of ['true', '[]', '{}', '[1]']) {
      const faults = expectProblem(await weigh(id, weight), 400, 'Requete.Invalide');
      expect([weight, Object.keys(faults)]).toEqual([weight, ['/Poids']]);
    }
    expect(await size(id)).toBe(0);
  });
});

describe('DELETE of a voter', () => {
  it('204 once, for an id in either case; the audit trail has it', async () => {
    const id = await campaigns.draft();
    const kept = await campaigns.votant(id);
    const gone = await campaigns.votant(id, { EmployeIdExterne: 'E-1' });
    const answer = await campaigns.send('DELETE', `/${id}/votants/${gone.toUpperCase()}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expectProblem(await campaigns.send('DELETE', `/${id}/votants/${gone}`), 404, 'Votant.NotFound');
    expect(idsOf(await voters(id))).toEqual([kept]);
    expect(await size(id)).toBe(1);
    const journal = await campaigns.rows(
      `SELECT cle_id, objet_id FROM journal WHERE tenant_id = $1 AND action = 'votant.supprimer'`,
    );
    expect(journal).toEqual([{ cle_id: campaigns.tenant.cleId, objet_id: gone }]);
    // The employee can be a voter again.
    await campaigns.votant(id, { EmployeIdExterne: 'E-1' });
    expect(await size(id)).toBe(2);
  });

  it('409 Votant.AVote after the ballot; the voter stays', async () => {
    const id = await campaigns.opened();
    const votant = await campaigns.votant(id);
    await campaigns.markVoted(id, votant);
    const before = await traces();
    expectProblem(await campaigns.send('DELETE', `/${id}/votants/${votant}`), 409, 'Votant.AVote');
    expect(await traces()).toEqual(before);
  });
});

const upsert = (id: string, body: unknown): Promise<Answer> =>
  campaigns.send('POST', `/${id}/votants/upsert`, body);
const NEW = { Prenom: 'Luc', Nom: 'Côté' };

/** Every write of a roll: its status, the number of voters that it adds, and the request. */
const WRITES: Record<
  string,
  [status: number, growth: number, send: (id: string, votant: string) => Promise<Answer>]
> = {
  'a new voter': [201, 1, (id) => upsert(id, NEW)],
  'a changed voter': [200, 0, (id, VotantId) => upsert(id, { VotantId, Nom: 'Côté' })],
  'two new voters, a changed one and a bad record': [
    ...([200, 2] as const),
    (id, VotantId) => upsert(id, [{ EmployeIdExterne: 'E-2' }, { VotantId, Poids: 2 }, 0, NEW]),
  ],
  'an electoral list': [
    ...([201, 3] as const),
    (id) => campaigns.send('POST', `/${id}/liste-electorale`, { SyndicatsIdExternes: ['SYN-1'] }),
  ],
  'the right to vote': [200, 0, (id, votant) => setRight(id, [votant], false)],
  'a deletion': [204, -1, (id, votant) => campaigns.send('DELETE', `/${id}/votants/${votant}`)],
};

describe('until the campaign ends', () => {
  it.each(ETATS.slice(0, 3))(
    'the roll of a campaign in %s takes every write, and nombreVotants follows',
    async (etat) => {
      const id = await campaigns.in(etat);
      const votant = await campaigns.votant(id);
      for (const [what, [status, growth, send]] of Object.entries(WRITES)) {
        const before = await size(id);
        const answer = await send(id, votant);
        const grown = (await size(id)) - before;
        expect({ what, status: answer.status, grown }).toEqual({ what, status, grown: growth });
      }
    },
  );

  const ENDED: [what: string, etat: Etat, end: (id: string) => Promise<unknown>][] = [
    ['closed by API call', 'VoteOuvert', (id) => campaigns.sent('POST', `/${id}/fermer`)],
    ['archived', 'Termine', (id) => campaigns.sent('POST', `/${id}/archiver`)],
    ['archived as a draft', 'Brouillon', (id) => campaigns.sent('POST', `/${id}/archiver`)],
    ['whose closing has passed, without a worker', 'VoteOuvert', (id) => campaigns.pass(id, '100 years')],
  ];
  it.each(ENDED)(
    'and no longer: every write of a campaign %s is 409 Campagne.ModificationNonPermise and changes nothing',
    async (_what, etat, end) => {
      const id = await campaigns.in(etat);
      await end(id);
      const [{ VotantId }] = await voters(id);
      const before = await traces();
      for (const [what, [, , send]] of Object.entries(WRITES)) {
        const answer = await send(id, VotantId);
        expect([what, answer.json?.code]).toEqual([what, 'Campagne.ModificationNonPermise']);
        expectProblem(answer, 409, 'Campagne.ModificationNonPermise');
      }
      expect(await traces()).toEqual(before);
      expect(await size(id)).toBe(1);
    },
  );
});

describe('PUT droit-de-vote', () => {
  it('200 takes and gives the right, counts the known voters and lists the unknown ones as sent', async () => {
    const theirs = await otherSpace();
    const foreign = await theirs.votant(await theirs.draft());
    const elsewhere = await campaigns.votant(await campaigns.draft());
    const id = await campaigns.draft();
    const one = await campaigns.votant(id);
    const two = await campaigns.votant(id, { ADroitDeVote: false });
    const untouched = await campaigns.votant(id);
    const unknown = randomUUID();
    const sent = [unknown.toUpperCase(), one.toUpperCase(), foreign, two, elsewhere];
    const { status, json } = await setRight(id, sent, false);
    expect([status, json.NombreModifies]).toEqual([200, 2]);
    const missing = (json.VotantIdsNonTrouves as string[]).map((one) => one.toLowerCase());
    expect(missing).toEqual([unknown, foreign, elsewhere]);
    expect((await voters(id)).map(({ ADroitDeVote }) => ADroitDeVote)).toEqual([false, false, true]);
    const others = `SELECT FROM votant WHERE tenant_id = $1 AND a_droit_de_vote`;
    expect([await theirs.rows(others), await campaigns.rows(others)]).toEqual([[{}], [{}, {}]]);
    const given = await setRight(id, [two, untouched], true);
    expect(given.json).toEqual({ NombreModifies: 2, VotantIdsNonTrouves: [] });
    expect((await voters(id)).map(({ ADroitDeVote }) => ADroitDeVote)).toEqual([false, true, true]);
    const journal = await campaigns.rows(
      `SELECT objet_id FROM journal WHERE tenant_id = $1 AND action = 'votant.droitDeVote'`,
    );
    expect(journal).toEqual([{ objet_id: id }, { objet_id: id }]);
    expect(await size(id)).toBe(3);
  });

  it('a voter that is named twice counts once', async () => {
    const id = await campaigns.draft();
    const votant = await campaigns.votant(id);
    const unknown = randomUUID();
    const { status, json } = await setRight(id, [votant, unknown, votant.toUpperCase(), unknown], false);
    expect([status, json]).toEqual([200, { NombreModifies: 1, VotantIdsNonTrouves: [unknown] }]);
    expect((await voters(id)).map(({ ADroitDeVote }) => ADroitDeVote)).toEqual([false]);
  });

  it('400 without a list of GUIDs or without a right; no row changes', async () => {
    const id = await campaigns.draft();
    const votant = await campaigns.votant(id);
    const before = await traces();
    for (const [ids, right, expected] of [
      [[votant, 'E-1'], false, '/VotantIds/1 uuid'],
      [[`${votant}0`, ''], false, '/VotantIds/0 length, /VotantIds/1 required'],
      [[votant, 7, null], false, '/VotantIds/1 type, /VotantIds/2 type'],
      [votant, false, '/VotantIds type'],
      [undefined, undefined, '/VotantIds required, /ADroitDeVote required'],
      [null, null, '/VotantIds required, /ADroitDeVote required'],
      [[votant], 'non', '/ADroitDeVote type'],
      [times(25_001, () => randomUUID()), false, '/VotantIds length'],
    ] as const)
      expectFaults(await setRight(id, ids, right), expected);
    expect(await traces()).toEqual(before);
  });

  it('409 Votant.AVote if one of them has voted; none loses the right', async () => {
    const id = await campaigns.opened();
    const [voted, other] = [await campaigns.votant(id), await campaigns.votant(id)];
    await campaigns.markVoted(id, voted);
    const before = await traces();
    expectProblem(await setRight(id, [other, voted, randomUUID()], false), 409, 'Votant.AVote');
    expect(await traces()).toEqual(before);
    // Giving a right that they have changes nothing.
    expect((await setRight(id, [other, voted], true)).json.NombreModifies).toBe(2);
    expect((await setRight(id, [other], false)).json.NombreModifies).toBe(1);
    expect(await size(id)).toBe(3);
  });

  it('200 updates 24,990 of 25,000 voters and lists 10 unknown ones', async () => {
    const id = await campaigns.draft();
    const ids = await fill(id, 25_000);
    const unknown = times(10, () => randomUUID());
    const sent = [...ids];
    for (const [index, stranger] of unknown.entries()) sent[2_500 * index + 7] = stranger;
    const { status, json } = await setRight(id, sent, false);
    expect([status, json]).toEqual([200, { NombreModifies: 24_990, VotantIdsNonTrouves: unknown }]);
    const kept = await campaigns.rows<{ id: string }>(
      'SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND a_droit_de_vote ORDER BY 1',
    );
    expect(kept.map((row) => row.id)).toEqual(unknown.map((_, index) => ids[2_500 * index + 7]).sort());
  });
});
