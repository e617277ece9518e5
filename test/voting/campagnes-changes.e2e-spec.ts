import { randomUUID } from 'node:crypto';
import { refusing } from '../adhesion/support/data-space';
import { eventually, expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, synced } from '../membership/synced';
import { type Etat, ETATS, NEXT_YEAR, WHOLE } from './support/campaigns';
import { app, campaigns, expectRefused, newSpace, spaceOfEachTest, unchanged } from './support/scene';

/** Another value of each property. */
const OTHER = {
  titre: 'Autre titre',
  ouvertureDuVoteUtc: '2099-01-02T00:00:00.000Z',
  fermetureDuVoteUtc: '2099-01-09T00:00:00.000Z',
  textePageAccueil: '<p>Autre texte</p>',
  libelleAbstention: 'Autre libellé',
  ordreReponsesAleatoire: false,
};
const EVERY: object[] = Object.entries(OTHER).map(([name, value]) => ({ [name]: value }));

spaceOfEachTest();

const put = (id: string, body: unknown, headers?: Record<string, string>) =>
  campaigns.send('PUT', `/${id}`, body, headers);
const make = (etat: Etat): Promise<string> => campaigns.in(etat, WHOLE);
/** The properties of a campaign that a request can set. */
async function content(id: string): Promise<typeof WHOLE> {
  const item = await campaigns.item(id);
  return Object.fromEntries(Object.keys(WHOLE).map((name) => [name, item[name]])) as typeof WHOLE;
}
/** Replaces a campaign by its content with some changes. */
const change = async (id: string, changes: object) => put(id, { ...(await content(id)), ...changes });

describe('PUT /b2b/v1/campagnes/:id', () => {
  it('200 replaces every property, with the slug of the new title; id and creation stay', async () => {
    const id = await campaigns.draft(WHOLE);
    const before = await campaigns.send('GET', `/${id}`);
    const replaced = await put(id, OTHER);
    expect([replaced.status, replaced.headers.get('location')]).toEqual([200, null]);
    const { dateModificationUtc } = replaced.json;
    expect(replaced.json).toEqual({ ...before.json, ...OTHER, slug: 'autre-titre', dateModificationUtc });
    expect(dateModificationUtc > before.json.dateModificationUtc).toBe(true);
    const read = await campaigns.send('GET', `/${id}`);
    expect([read.text, read.headers.get('etag')]).toEqual([replaced.text, replaced.headers.get('etag')]);
    expect(read.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(await campaigns.audited(id)).toEqual(['campagne.creer', 'campagne.modifier']);
    expect(await campaigns.events(id)).toEqual([]);
  });

  it('200 clears optional properties that are absent', async () => {
    const id = await campaigns.draft(WHOLE);
    expect((await put(id, { titre: 'Vote', ...NEXT_YEAR })).json).toMatchObject({
      ...{ textePageAccueil: null, libelleAbstention: null, ordreReponsesAleatoire: false },
    });
  });

  it('200 with the same item, ETag and time of change if a read is sent back', async () => {
    for (const etat of ['Brouillon', 'Planifie', 'VoteOuvert'] as const) {
      const id = await make(etat);
      const known = await campaigns.audited(id);
      const read = await campaigns.send('GET', `/${id}`);
      const answer = await put(id, read.json, { 'If-Match': read.headers.get('etag')! });
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([
        ...[200, read.text, read.headers.get('etag')],
      ]);
      expect(await campaigns.audited(id)).toEqual(known);
      await campaigns.sent('DELETE', `/${id}`);
    }
  });

  it.each([
    ['whose tags were removed', '<p><font color=red><div>Bonjour'],
    // HTML writes each of these characters as four.
    ['that has the maximum length as HTML', '<'.repeat(25_000)],
  ])('200 with the same item if a read is sent back with a welcome text %s', async (_what, text) => {
    const id = await campaigns.draft({ ...WHOLE, textePageAccueil: text });
    const read = await campaigns.send('GET', `/${id}`);
    const answer = await put(id, read.json);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(read.text);
  });

  it('400 for a welcome text that is too long as HTML', async () => {
    const id = await campaigns.draft(WHOLE);
    const body = { ...WHOLE, titre: 'Autre', textePageAccueil: '<'.repeat(25_001) };
    for (const answer of [await campaigns.send('POST', '', body), await put(id, body)])
      expectFaults(answer, '/textePageAccueil length');
    expect(await content(id)).toEqual(WHOLE);
  });

  it('412 Precondition.Echouee for a stale or weak If-Match; the ETag, a list of them or * pass', async () => {
    const id = await campaigns.draft(WHOLE);
    const etag = (await campaigns.send('GET', `/${id}`)).headers.get('etag')!;
    const title = (titre: string, ifMatch: string) => put(id, { ...WHOLE, titre }, { 'If-Match': ifMatch });
    expectProblem(await title('A', '"stale"'), 412, 'Precondition.Echouee');
    expectProblem(await title('A', `W/${etag}`), 412, 'Precondition.Echouee');
    const second = await title('B', `"x", ${etag}`);
    expect([second.status, second.json.titre]).toEqual([200, 'B']);
    expectProblem(await title('C', etag), 412, 'Precondition.Echouee');
    expect((await title('C', '*')).json.titre).toBe('C');
  });

  it('412 if the clock has opened the vote since the read', async () => {
    const ouvertureDuVoteUtc = new Date(Date.now() + 3_000).toISOString();
    const id = await campaigns.scheduled({ ...WHOLE, ouvertureDuVoteUtc });
    const read = await campaigns.send('GET', `/${id}`);
    expect(read.json.etat).toBe('Planifie');
    await eventually(async () => (await campaigns.etat(id)) === 'VoteOuvert' || undefined, 'The opening');
    const ifMatch = { 'If-Match': read.headers.get('etag')! };
    expectProblem(await put(id, read.json, ifMatch), 412, 'Precondition.Echouee');
    expect((await put(id, read.json)).json.etat).toBe('VoteOuvert');
  });

  it.each(['Brouillon', 'Planifie'] as const)('200 for each property in %s', async (etat) => {
    const id = await make(etat);
    for (const changes of [...EVERY, WHOLE]) {
      const expected = { ...(await content(id)), ...changes };
      const answer = await change(id, changes);
      expect([answer.status, answer.json.etat]).toEqual([200, etat]);
      expect(await content(id)).toEqual(expected);
    }
  });

  it.each([
    ['a later closing', { fermetureDuVoteUtc: OTHER.fermetureDuVoteUtc }],
    ['another welcome text', { textePageAccueil: OTHER.textePageAccueil }],
    ['no welcome text', { textePageAccueil: null }],
    ['both', { fermetureDuVoteUtc: '2199-01-01T00:00:00.000Z', textePageAccueil: OTHER.textePageAccueil }],
  ])('200 for %s in VoteOuvert', async (_what, changes) => {
    const id = await make('VoteOuvert');
    const expected = { ...(await content(id)), ...changes };
    const answer = await change(id, changes);
    expect([answer.status, answer.json.etat]).toEqual([200, 'VoteOuvert']);
    expect(await content(id)).toEqual(expected);
    expect(await campaigns.events(id)).toEqual(['campagne.publiee', 'campagne.ouverte']);
  });

  it.each([
    ['titre', { titre: OTHER.titre }],
    ['another case of the title', { titre: WHOLE.titre.toUpperCase() }],
    ['a later ouvertureDuVoteUtc', { ouvertureDuVoteUtc: NEXT_YEAR.fermetureDuVoteUtc }],
    ['an earlier ouvertureDuVoteUtc', { ouvertureDuVoteUtc: '2001-01-01T00:00:00Z' }],
    ['libelleAbstention', { libelleAbstention: OTHER.libelleAbstention }],
    ['no libelleAbstention', { libelleAbstention: undefined }],
    ['ordreReponsesAleatoire', { ordreReponsesAleatoire: OTHER.ordreReponsesAleatoire }],
    ['an earlier fermetureDuVoteUtc', { fermetureDuVoteUtc: '2099-01-08T21:59:59.999Z' }],
    ['a permitted and a forbidden change', { ...OTHER, ouvertureDuVoteUtc: undefined }],
  ])('409 Campagne.ModificationNonPermise for %s in VoteOuvert', async (_what, changes) => {
    const id = await make('VoteOuvert');
    const opened = await content(id);
    const body = { ...opened, ...changes };
    const sent = { ...body, ouvertureDuVoteUtc: body.ouvertureDuVoteUtc ?? opened.ouvertureDuVoteUtc };
    await expectRefused(() => put(id, sent), 409, 'Campagne.ModificationNonPermise');
  });

  it.each(['Termine', 'Archive'] as const)(
    '409 Campagne.ModificationNonPermise for every change in %s',
    async (etat) => {
      const id = await make(etat);
      const whole = await content(id);
      // A later opening would be after the closing, which is another error.
      const earlier = { ouvertureDuVoteUtc: '2001-01-01T00:00:00Z' };
      const every = [...EVERY, {}, OTHER].map((changes) => ({
        ...{ ...whole, ...changes },
        ...('ouvertureDuVoteUtc' in changes ? earlier : {}),
      }));
      await unchanged(async () => {
        for (const body of every) expectProblem(await put(id, body), 409, 'Campagne.ModificationNonPermise');
      });
    },
  );

  it('409 follows the dates: a vote is VoteOuvert or Termine without a worker', async () => {
    const refused = async (id: string, changes: object) =>
      expectProblem(await change(id, changes), 409, 'Campagne.ModificationNonPermise');
    const now = Date.now();
    const window = (opening: number, closing: number) => ({
      ouvertureDuVoteUtc: new Date(now + opening).toISOString(),
      fermetureDuVoteUtc: new Date(now + closing).toISOString(),
    });
    const open = await campaigns.scheduled(window(600_000, 1_200_000));
    await campaigns.pass(open, '15 minutes');
    await refused(open, { titre: 'x' });
    await refused(open, window(-300_000, 299_000));
    expect((await change(open, { fermetureDuVoteUtc: NEXT_YEAR.fermetureDuVoteUtc })).status).toBe(200);
    const ended = await campaigns.scheduled(window(600_000, 1_200_000));
    await campaigns.pass(ended, '30 minutes');
    await refused(ended, { fermetureDuVoteUtc: NEXT_YEAR.fermetureDuVoteUtc });
    await refused(ended, {});
  });

  it('409 Campagne.ModificationNonPermise for a closing in the past in Planifie; a draft may have one', async () => {
    const past = { ouvertureDuVoteUtc: '2001-01-01T00:00:00Z', fermetureDuVoteUtc: '2002-01-01T00:00:00Z' };
    const id = await make('Planifie');
    expectProblem(await change(id, past), 409, 'Campagne.ModificationNonPermise');
    expect(await content(id)).toEqual(WHOLE);
    await campaigns.sent('POST', `/${id}/depublier`);
    expect((await change(id, past)).json).toMatchObject({
      etat: 'Brouillon',
      ouvertureDuVoteUtc: '2001-01-01T00:00:00.000Z',
    });
  });

  it('200 opens a scheduled campaign whose opening is moved into the past, with the event campagne.ouverte', async () => {
    const id = await make('Planifie');
    const answer = await change(id, { ouvertureDuVoteUtc: '2001-01-01T00:00:00Z' });
    expect([answer.status, answer.json.etat]).toEqual([200, 'VoteOuvert']);
    expect(await campaigns.events(id)).toEqual(['campagne.publiee', 'campagne.ouverte']);
    const [{ data } = { data: {} }] = await campaigns.rows<{ data: object }>(
      `SELECT data FROM evenement WHERE tenant_id = $1 AND type = 'campagne.ouverte'`,
    );
    const [listed] = (await campaigns.sent('GET')).json;
    expect(data).toEqual(listed);
  });

  it.each(['evenement', 'journal'])(
    '500 without effect if its row of %s cannot be written',
    async (table) => {
      const id = await make('Planifie');
      const body = { ...(await content(id)), ouvertureDuVoteUtc: '2001-01-01T00:00:00Z' };
      expect((await unchanged(() => refusing(app, table, () => put(id, body)))).status).toBe(500);
      expect((await put(id, body)).json.etat).toBe('VoteOuvert');
    },
  );
});

describe('DELETE /b2b/v1/campagnes/:id', () => {
  /** Rows of a campaign in each of its tables. */
  async function countAll(id: string): Promise<Record<string, number>> {
    const [row] = await campaigns.rows<Record<string, number>>(
      `SELECT (SELECT count(*)::int FROM campagne WHERE tenant_id = $1 AND id_unique = $2) AS campagne,
         (SELECT count(*)::int FROM question WHERE tenant_id = $1 AND campagne_id = $2) AS question,
         (SELECT count(*)::int FROM option WHERE tenant_id = $1) AS option,
         (SELECT count(*)::int FROM votant WHERE tenant_id = $1 AND campagne_id = $2) AS votant,
         (SELECT count(*)::int FROM liste_electorale WHERE tenant_id = $1 AND campagne_id = $2) AS liste`,
      id,
    );
    return row!;
  }

  it('204 deletes its questions, options, voters and electoral lists, and no row of another campaign', async () => {
    await synced(app, campaigns.tenant, { Employes: [{ IdExterne: 'E-1', Prenom: 'Luc', Nom: 'Côté' }] });
    const ids: string[] = [];
    for (const titre of ['A', 'B']) {
      const id = await campaigns.ready({ titre });
      await campaigns.sent('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['E-1'] });
      ids.push(id);
    }
    const [one, other] = ids as [string, string];
    expect(await countAll(one)).toEqual({ campagne: 1, question: 1, option: 4, votant: 2, liste: 1 });
    const answer = await campaigns.send('DELETE', `/${one}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await countAll(one)).toEqual({ campagne: 0, question: 0, option: 2, votant: 0, liste: 0 });
    expect(await countAll(other)).toEqual({ campagne: 1, question: 1, option: 2, votant: 2, liste: 1 });
    expectProblem(await campaigns.send('GET', `/${one}`), 404, 'Campagne.NotFound');
    expectProblem(await campaigns.send('DELETE', `/${one}`), 404, 'Campagne.NotFound');
    expect((await campaigns.sent('GET')).json.map(({ id }: { id: string }) => id)).toEqual([other]);
    expect((await campaigns.audited(one)).at(-1)).toBe('campagne.supprimer');
  });

  it.each(ETATS)('204 in %s before the first vote', async (etat) => {
    const id = await make(etat);
    expect(await campaigns.etat(id)).toBe(etat);
    expect((await campaigns.send('DELETE', `/${id}`)).status).toBe(204);
    expect((await countAll(id)).campagne).toBe(0);
  });

  it('409 Campagne.SupprimerAvecVotes after the first vote, in VoteOuvert, Termine and Archive', async () => {
    const id = await make('VoteOuvert');
    await campaigns.votant(id);
    await campaigns.vote(id);
    for (const next of ['fermer', 'archiver', undefined]) {
      await expectRefused(() => campaigns.send('DELETE', `/${id}`), 409, 'Campagne.SupprimerAvecVotes');
      if (next) await campaigns.sent('POST', `/${id}/${next}`);
    }
    expect(await campaigns.etat(id)).toBe('Archive');
    // It cannot be archived again.
    const { json } = await campaigns.send('DELETE', `/${id}`);
    expect(json.detail).toContain('archived already: it is kept');
  });

  it('412 Precondition.Echouee for a stale If-Match; with the ETag 204', async () => {
    const id = await campaigns.draft();
    const stale = (await campaigns.send('GET', `/${id}`)).headers.get('etag')!;
    const etag = (await change(id, { titre: 'Autre' })).headers.get('etag')!;
    const withTag = (ifMatch: string) =>
      campaigns.send('DELETE', `/${id}`, undefined, { 'If-Match': ifMatch });
    expectProblem(await withTag(stale), 412, 'Precondition.Echouee');
    expect(await campaigns.etat(id)).toBe('Brouillon');
    expect((await withTag(etag)).status).toBe(204);
  });
});

describe('an unknown campaign', () => {
  it.each([
    ...['GET', 'PUT', 'DELETE', 'GET /validation', 'POST /publier', 'POST /depublier', 'POST /ouvrir'],
    ...['POST /fermer', 'POST /archiver'],
  ])('404 Campagne.NotFound for %s: unknown, no GUID and another tenant’s are alike', async (request) => {
    const [method, rest = ''] = request.split(' ') as [string, string?];
    const body = method === 'PUT' ? WHOLE : undefined;
    const foreign = await (await newSpace()).scheduled();
    await unchanged(async () => {
      const none = await campaigns.send(method, `/${randomUUID()}${rest}`, body);
      expectProblem(none, 404, 'Campagne.NotFound');
      for (const id of [foreign, 'vote', `${foreign}0`, foreign.replaceAll('-', ''), '%25']) {
        const answer = await campaigns.send(method, `/${id}${rest}`, body);
        expect({ id, ...comparable(answer) }).toEqual({ id, ...comparable(none) });
      }
    });
  });

  it('200 for the GUID in capitals; 304 for its ETag; 400 for a query', async () => {
    const id = await campaigns.draft();
    const read = await campaigns.send('GET', `/${id}`);
    expect((await campaigns.send('GET', `/${id.toUpperCase()}`)).text).toBe(read.text);
    const headers = { 'If-None-Match': read.headers.get('etag')! };
    expect((await campaigns.send('GET', `/${id}`, undefined, headers)).status).toBe(304);
    expectFaults(await campaigns.send('GET', `/${id}?etat=Brouillon`), '?etat unknown');
  });
});
