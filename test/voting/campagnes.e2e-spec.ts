import { expectFaults, expectProblem } from '../http/expect-problem';
import { GUID, INSTANT, times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { Threads } from '../../libs/platform/src/limits/threads';
import { WelcomePages } from '../../libs/voting/src/campagne/application/welcome-pages';
import { CAMPAGNES, ETATS, NEXT_YEAR, WHOLE } from './support/campaigns';
import { app, campaigns, newSpace, spaceOfEachTest, unchanged } from './support/scene';

/** A GUID that names nothing. */
const NONE = '00000000-0000-4000-8000-000000000000';
const BARE = { titre: 'Vote', ...NEXT_YEAR };
/** The slug of a title without any letter or digit. */
const DIGEST = expect.stringMatching(/^campagne-[0-9a-f]{12}$/);
/** Properties that the service and the clock set, as a partner sends them back. */
const READ_ONLY = {
  ...{ id: 'x', slug: 7, etat: 'Archive', estPublie: true, estArchive: 'oui', nombreVotants: -1 },
  ...{ nombreQuestions: null, dateCreationUtc: '', dateModificationUtc: [], resultatsVisibles: {} },
};

spaceOfEachTest({ own: 'changes the schema' });

const post = (body: unknown, headers?: Record<string, string>) => campaigns.send('POST', '', body, headers);
const put = (id: string, body: unknown, headers?: Record<string, string>) =>
  campaigns.send('PUT', `/${id}`, body, headers);
const titled = (titre: string) => post({ ...BARE, titre });

async function made(body: object = WHOLE): Promise<string> {
  const answer = await post(body);
  expect([answer.status, answer.json?.errors]).toEqual([201, undefined]);
  return answer.json as string;
}
async function titles(): Promise<string[]> {
  const rows = await campaigns.rows<{ titre: string }>(
    'SELECT titre FROM campagne WHERE tenant_id = $1 ORDER BY titre COLLATE "C"',
  );
  return rows.map(({ titre }) => titre);
}
/** Entries of the audit trail, with their keys. */
const journal = () =>
  campaigns.rows<{ action: string; objet: string; cle: string }>(
    `SELECT action, objet_id AS objet, cle_id AS cle FROM journal
     WHERE tenant_id = $1 AND action LIKE 'campagne.%' ORDER BY id_unique`,
  );
const codes = (answers: Answer[]): string[] =>
  answers.map(({ status, json }) => `${status} ${json?.code ?? ''}`.trim()).sort();

describe('POST /b2b/v1/campagnes', () => {
  it('201 returns the GUID as a JSON string, with its Location; the campaign is a draft', async () => {
    const created = await post(WHOLE);
    const id = created.json as string;
    expect(id).toMatch(GUID);
    expect([created.status, created.text, created.headers.get('location')]).toEqual([
      ...[201, `"${id}"`, `${CAMPAGNES}/${id}`],
    ]);
    const read = await campaigns.send('GET', `/${id}`);
    expect([read.status, read.headers.get('etag')]).toEqual([200, expect.stringMatching(/^".+"$/)]);
    const instant = expect.stringMatching(INSTANT);
    expect(Object.entries(read.json)).toEqual(
      Object.entries({
        ...{ id, titre: WHOLE.titre, slug: 'election-du-comite', ...NEXT_YEAR },
        ...{ etat: 'Brouillon', estPublie: false, estArchive: false, nombreVotants: 0, nombreQuestions: 0 },
        ...{ dateCreationUtc: instant, dateModificationUtc: instant },
        textePageAccueil: WHOLE.textePageAccueil,
        libelleAbstention: WHOLE.libelleAbstention,
        ...{ ordreReponsesAleatoire: true, resultatsVisibles: false },
        ...{ seuilAnonymat: null, raisonSeuilAnonymat: null, raisonConstat: null },
        ...{ empreinteGraineDepartage: null, empreinteGrainePartenaire: null },
        ...{ graineDepartage: null, grainePartenaire: null },
      }),
    );
    expect(await journal()).toEqual([{ action: 'campagne.creer', objet: id, cle: campaigns.tenant.cleId }]);
    expect(await campaigns.events(id)).toEqual([]);
  });

  it.each([
    ['absent', {}],
    ['null', { textePageAccueil: null, libelleAbstention: null, ordreReponsesAleatoire: null }],
    ['empty', { textePageAccueil: '', libelleAbstention: ' ' }],
  ])('201 without text, label and random order if they are %s', async (_what, optional) => {
    expect(await campaigns.item(await made({ ...BARE, ...optional }))).toMatchObject({
      ...{ textePageAccueil: null, libelleAbstention: null, ordreReponsesAleatoire: false },
    });
  });

  it('201 trims texts, takes either case of a first letter and ignores read-only properties', async () => {
    const id = await made({
      ...{ Titre: ' \tVote ', OuvertureDuVoteUtc: '2099-01-01T09:00-04:00' },
      ...{ FermetureDuVoteUtc: ' 2099-02-01 ' },
      ...{ LibelleAbstention: ' Aucun ', OrdreReponsesAleatoire: true, TextePageAccueil: ' a ' },
      ...READ_ONLY,
    });
    expect(id).toMatch(GUID);
    expect(await campaigns.item(id)).toMatchObject({
      ...{ id, titre: 'Vote', slug: 'vote', ouvertureDuVoteUtc: '2099-01-01T13:00:00.000Z' },
      ...{ fermetureDuVoteUtc: '2099-02-01T00:00:00.000Z', libelleAbstention: 'Aucun' },
      ...{ textePageAccueil: 'a', ordreReponsesAleatoire: true, etat: 'Brouillon', estArchive: false },
    });
  });

  it('201 cleans the welcome text, and stores null if it is then empty', async () => {
    const textePageAccueil =
      '<p onclick="x()">Bon<script>alert(1)</script>jour <a href="javascript:x">ici</a>';
    const id = await made({ ...BARE, textePageAccueil });
    expect((await campaigns.item(id)).textePageAccueil).toBe('<p>Bonjour <a>ici</a></p>');
    const emptied = (await put(id, { ...BARE, textePageAccueil: '<style>p{}</style>' })).json;
    expect(emptied.textePageAccueil).toBeNull();
  });

  it.each([
    ['accents', 'L’élection à Noël', 'l-election-a-noel'],
    ['signs beside a number', '100 %', '100'],
    ['an emoji alone', '🎉👩‍🏭', DIGEST],
    ['signs alone', '%_\\', DIGEST],
    ['a statement', "'; DROP TABLE campagne; --", 'drop-table-campagne'],
    ['255 letters', 'x'.repeat(255), 'x'.repeat(255)],
    ['255 emoji', '🙂'.repeat(255), DIGEST],
    ['marks of HTML and JSON', '"<b>&\u2028\n{}', 'b-and'],
  ])('201 with %s as title, stored unchanged, and a slug', async (_what, titre, slug) => {
    expect(await campaigns.item(await made({ ...BARE, titre }))).toMatchObject({ titre, slug });
  });

  it('201 with an opening that equals the closing, in the past and in any year', async () => {
    for (const date of ['2099-01-01T00:00:00.000Z', '2001-01-01T00:00:00.001Z', '0001-01-01T00:00:00.000Z']) {
      const dates = { ouvertureDuVoteUtc: date, fermetureDuVoteUtc: date };
      const id = await made({ titre: `Vote ${date}`, ...dates });
      expect(await campaigns.item(id)).toMatchObject({ ...dates, etat: 'Brouillon' });
    }
  });

  const HTML = '/textePageAccueil length';
  const DATES = '/ouvertureDuVoteUtc date, /fermetureDuVoteUtc date';
  it.each<[what: string, body: unknown, faults: string]>([
    ['a welcome text of 20,001 tags', { ...BARE, textePageAccueil: '<br>'.repeat(20_001) }, HTML],
    ['a welcome text of 101 levels', { ...BARE, textePageAccueil: '<b>'.repeat(101) }, HTML],
    [
      'a date without an offset and a day that does not exist',
      { ...BARE, ouvertureDuVoteUtc: '2099-01-01T13:00:00', fermetureDuVoteUtc: '2099-02-30' },
      DATES,
    ],
  ])('400 for %s, on creation and replacement, and nothing is written', async (_what, body, faults) => {
    const id = await made();
    const answers = await unchanged(async () => [await post(body), await put(id, body)]);
    for (const answer of answers) expectFaults(answer, faults);
  });

  it('the welcome text is cleaned after all other checks, and beside the main thread if it is long', async () => {
    const clean = jest.spyOn(WelcomePages.prototype, 'clean');
    const textePageAccueil = '<p onclick="x()">é</p>'.repeat(4_500);
    const dates = { ouvertureDuVoteUtc: '2099-01-02', fermetureDuVoteUtc: '2099-01-01' };
    await post({ ...BARE, ...dates, textePageAccueil });
    await put(NONE, { ...BARE, textePageAccueil });
    await put(await made(BARE), { ...BARE, textePageAccueil }, { 'If-Match': '"x"' });
    expect(clean).not.toHaveBeenCalled();
    const threads = jest.spyOn(Threads.prototype, 'run');
    const id = await made({ ...BARE, titre: 'Long', textePageAccueil });
    expect((await campaigns.item(id)).textePageAccueil).toBe('<p>é</p>'.repeat(4_500));
    await made({ ...BARE, titre: 'Court', textePageAccueil: '<p>é</p>'.repeat(500) });
    expect([clean.mock.calls.length, threads.mock.calls.length]).toEqual([2, 1]);
    jest.restoreAllMocks();
  });

  it('400 Campagne.OuvertureVoteApresFermeture from one millisecond on, also on PUT, before any conflict', async () => {
    const id = await made({ ...BARE, titre: 'Autre' });
    const dates = { ouvertureDuVoteUtc: '2099-01-01T00:00:00.001Z', fermetureDuVoteUtc: '2099-01-01' };
    const code = 'Campagne.OuvertureVoteApresFermeture';
    expectProblem(await post({ ...BARE, ...dates }), 400, code);
    expectProblem(await post({ titre: 'Autre', ...dates }), 400, code);
    expectProblem(await put(id, { titre: 'Autre', ...dates }), 400, code);
    expect(await titles()).toEqual(['Autre']);
    expect(await campaigns.item(id)).toMatchObject(NEXT_YEAR);
  });

  it('replays the first answer to the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const [first, again] = [await post(WHOLE, headers), await post(WHOLE, headers)];
    expect([again.status, again.text, again.headers.get('location')]).toEqual([
      ...[201, first.text, first.headers.get('location')],
    ]);
    expectProblem(await post(BARE, headers), 422, 'Idempotence.CleReutilisee');
    expect(await titles()).toHaveLength(1);
  });
});

describe('titles and slugs', () => {
  it.each([
    ['the same', 'Élection', 'Élection'],
    ['another case', 'Élection', 'ÉLECTION'],
    ['space around it', 'Élection', ' \u00a0élection\n'],
    ['accents put together in another way', 'Élection'.normalize('NFC'), 'élection'.normalize('NFD')],
    ['ß for SS', 'GROSSE STRASSE', 'große Straße'],
    ['another sigma', 'ΣΊΣΥΦΟΣ', 'Σίσυφος'],
    ['a letter whose capital is none of its own', 'Ταΐζω', 'Ταΐζω'.toUpperCase()],
    ['a ligature', 'Fin', 'ﬁn'],
    ['signs without a case', '🎉 100 %', '🎉 100 %'],
  ])('409 Campagne.NomDejaUtilise for %s, either way round', async (_what, one, other) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      const id = await made({ ...BARE, titre: first });
      expectProblem(await titled(second), 409, 'Campagne.NomDejaUtilise');
      const another = await made({ ...BARE, titre: 'Tout autre' });
      expectProblem(await put(another, { ...BARE, titre: second }), 409, 'Campagne.NomDejaUtilise');
      expect(await titles()).toEqual([first.trim().normalize(), 'Tout autre'].sort());
      for (const done of [id, another]) await campaigns.sent('DELETE', `/${done}`);
    }
  });

  it.each([
    ['accents', 'Élection', 'Election'],
    ['signs', 'Vote', '« Vote ! » 🎉'],
    ['space', 'Vote final', 'Vote  final'],
  ])('409 Campagne.SlugDejaUtilise for titles that differ in %s only', async (_what, one, other) => {
    const id = await made({ ...BARE, titre: one });
    expectProblem(await titled(other), 409, 'Campagne.SlugDejaUtilise');
    const another = await made({ ...BARE, titre: 'Tout autre' });
    expectProblem(await put(another, { ...BARE, titre: other }), 409, 'Campagne.SlugDejaUtilise');
    expect(await titles()).toEqual([one, 'Tout autre'].sort());
    // A campaign may keep its own slug.
    expect((await put(id, { ...BARE, titre: other })).json).toMatchObject({ titre: other });
  });

  it.each([
    ['Inuktitut beside the same Latin word', 'Vote ᐊᖓᔪᖅᑳᖅ', 'Vote ᐃᓕᓐᓂᐊᖅᑐᓕᕆᔨ', 'vote-DIGEST'],
    ['Chinese beside the same year', '选举 2027', '投票 2027', '2027-DIGEST'],
    ['Hebrew letters', 'בחירות', 'הצבעה', 'campagne-DIGEST'],
    ['Hindi that differs in a vowel sign', 'मत कि', 'मत की', 'campagne-DIGEST'],
    ['Greek with breathings', 'Βουλὴ ὁδός', 'Βουλὴ ἑδός', 'boyl-dos-DIGEST'],
    ['letters of First Nations', 'SENĆOŦEN ȽOSEN', 'SENĆOŦEN ȺOSEN', 'senco-en-osen-DIGEST'],
    ['the last of 255 letters', `${'a'.repeat(254)}ᐊ`, `${'a'.repeat(254)}ᐃ`, `${'a'.repeat(254)}-DIGEST`],
    ['an unread letter after 254 unicorns', `${'🦄'.repeat(254)}ᐊ`, `${'🦄'.repeat(254)}ᐃ`, '.{2032}DIGEST'],
    ['Cyrillic', 'Выборы комитета', 'Выборы совета', 'vybory-(komiteta|soveta)'],
    ['Arabic', 'انتخاب اللجنة', 'انتخاب المجلس', 'antkhab-al[a-z]+'],
  ])('201 for two titles that differ in %s, with a slug each', async (_what, one, other, pattern) => {
    const slugs = [];
    for (const titre of [one, other]) slugs.push((await campaigns.item(await made({ ...BARE, titre }))).slug);
    const expected = expect.stringMatching(`^${pattern.replace('DIGEST', '[0-9a-f]{12}')}$`);
    expect(slugs).toEqual([expected, expected]);
    expect(slugs[1]).not.toBe(slugs[0]);
    for (const titre of [one, other]) expectProblem(await titled(titre), 409, 'Campagne.NomDejaUtilise');
  });

  it('409 Campagne.NomDejaUtilise if one campaign has the title and another the slug', async () => {
    for (const titre of ['Fin', 'n']) await made({ ...BARE, titre });
    for (const [titre, slug] of [
      ['Fin', 'autre'],
      ['n', 'fin'],
    ])
      await app.database.query('UPDATE campagne SET slug = $2 WHERE titre = $1', [titre, slug]);
    expectProblem(await titled('ﬁn'), 409, 'Campagne.NomDejaUtilise');
    // PostgreSQL checks the older index first: the index of titles now, and that of slugs after the exchange.
    for (const [index, columns] of [
      ['titre', 'tenant_id, titre_compare'],
      ['slug', 'tenant_id, slug'],
    ]) {
      await app.database.query(
        `ALTER TABLE campagne DROP CONSTRAINT campagne_${index}_key,
           ADD CONSTRAINT campagne_${index}_key UNIQUE (${columns})`,
      );
      expectProblem(await titled('ﬁn'), 409, 'Campagne.NomDejaUtilise');
      expectProblem(await titled('fin'), 409, 'Campagne.NomDejaUtilise');
      expectProblem(await titled('« fin »'), 409, 'Campagne.SlugDejaUtilise');
    }
  });

  it('409 Campagne.SlugDejaUtilise for titles that are transliterated alike', async () => {
    const pairs: [string, string][] = [
      ['Щит', 'Schit'],
      ['мель', 'мел'],
      ['Élection 🗳️ ٣', 'Election 3'],
    ];
    for (const [one, other] of pairs) {
      await made({ ...BARE, titre: one });
      expectProblem(await titled(other), 409, 'Campagne.SlugDejaUtilise');
    }
  });

  it('keeps the slug of a title that stays, as an earlier release has made it', async () => {
    const titre = 'Vote ᐊᖓᔪᖅᑳᖅ';
    const id = await made({ ...BARE, titre });
    await app.database.query(`UPDATE campagne SET slug = 'vote' WHERE id_unique = $1`, [id]);
    const libelleAbstention = 'Aucun';
    expect((await put(id, { ...BARE, titre, libelleAbstention })).json).toMatchObject({
      ...{ slug: 'vote', libelleAbstention },
    });
    const renamed = (await put(id, { ...BARE, titre: 'Vote ᐃᓕᓐᓂᐊᖅᑐᓕᕆᔨ' })).json;
    expect(renamed.slug).toMatch(/^vote-[0-9a-f]{12}$/);
  });

  it('a title and a slug stay taken in every state, and are free once the campaign is deleted', async () => {
    const titre = 'Élection';
    for (const etat of ETATS) {
      const id = await campaigns.in(etat, { titre });
      expectProblem(await titled('élection'), 409, 'Campagne.NomDejaUtilise');
      expectProblem(await titled('Election'), 409, 'Campagne.SlugDejaUtilise');
      await campaigns.sent('DELETE', `/${id}`);
    }
    await made({ ...BARE, titre });
  });

  it('another tenant may have the same', async () => {
    await made();
    const other = await newSpace();
    expect((await other.send('POST', '', WHOLE)).status).toBe(201);
  });

  it.each(times(5, (run) => run + 1))(
    'twenty equal creations at once: one 201, nineteen 409 Campagne.NomDejaUtilise (%i)',
    async () => {
      const spellings = ['Vote été', 'VOTE ÉTÉ', ' vote été', 'Vote été'.normalize('NFD')];
      const answers = await Promise.all(times(20, (n) => titled(spellings[n % 4]!)));
      expect(codes(answers)).toEqual(['201', ...times(19, () => '409 Campagne.NomDejaUtilise')]);
      expect(await titles()).toHaveLength(1);
      expect(await journal()).toHaveLength(1);
    },
  );

  it('twenty titles with one slug at once: one 201, nineteen 409 Campagne.SlugDejaUtilise', async () => {
    const answers = await Promise.all(times(20, (n) => titled(`Vote${'!'.repeat(n)}`)));
    expect(codes(answers)).toEqual(['201', ...times(19, () => '409 Campagne.SlugDejaUtilise')]);
    expect(await titles()).toHaveLength(1);
  });

  it('ten campaigns that take one title at once: one 200, nine 409 Campagne.NomDejaUtilise', async () => {
    const ids = await Promise.all(times(10, (n) => made({ ...BARE, titre: `Vote ${n}` })));
    const answers = await Promise.all(ids.map((id) => put(id, { ...BARE, titre: 'Le même' })));
    expect(codes(answers)).toEqual(['200', ...times(9, () => '409 Campagne.NomDejaUtilise')]);
    expect((await titles()).filter((titre) => titre === 'Le même')).toHaveLength(1);
  });
});
