import { csvOf, expectSame, parseCsv } from '../http/csv';
import { expectFaults, expectProblem } from '../http/expect-problem';
import type { Answer } from '../setup/test-app';
import { CAMPAGNES } from './support/campaigns';
import { endedVote } from './support/ended-vote';
import { app, campaigns, newSpace, spaceOfEachTest, stats } from './support/scene';

spaceOfEachTest();

const csv = (rest: string, of = campaigns): Promise<Answer> => csvOf(app, of.tenant, CAMPAGNES + rest);

/** Rows as objects. */
function rowsOf({ text }: Answer): Record<string, string>[] {
  const [header, ...rows] = parseCsv(text);
  return rows.map((row) => Object.fromEntries(row.map((cell, place) => [header![place], cell])));
}

describe('GET /b2b/v1/campagnes/:id/votants as CSV', () => {
  it('has the voters of JSON, by the same filters', async () => {
    const id = await campaigns.draft();
    expect(parseCsv((await csv(`/${id}/votants`)).text)).toHaveLength(1);
    await campaigns.votant(id, { Identifiant: '=1+1', Nom: 'Roy, fils', Poids: 1.5 });
    await campaigns.votant(id, { ADroitDeVote: false });
    for (const filter of ['', '?aDroitDeVote=true', '?aVote=true']) {
      const answer = await csv(`/${id}/votants${filter}`);
      expectSame(answer, await campaigns.send('GET', `/${id}/votants${filter}`));
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="votants.csv"');
    }
    const foreign = await newSpace();
    expectProblem(await csv(`/${id}/votants`, foreign), 404, 'Campagne.NotFound');
  });
});

describe('GET /b2b/v1/campagnes/:id/stats as CSV', () => {
  it('has a row for each option, with the values of its question and of the campaign', async () => {
    const { id, options } = await endedVote(
      [
        { isRanked: false, seats: 1, options: 2 },
        { isRanked: true, seats: 1, options: 3 },
      ],
      [
        { syndicat: 'SYN-1', employeur: null, poids: '12.3456', reponses: ['0', '1,0'] },
        { syndicat: null, employeur: null, poids: 1, reponses: ['1', '2'] },
        { syndicat: null, employeur: null, poids: 1 },
      ],
    );
    const answer = await csv(`/${id}/stats`);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="statistiques.csv"');
    const { questions, ...campagne } = await stats(id);
    const items = questions.flatMap(
      ({ Options, Elus, Departages, Methode, Tours, ...question }: Answer['json']) => {
        expect([Methode === undefined, Tours === undefined, Departages]).toEqual([
          !question.EstPreferentiel,
          !question.EstPreferentiel,
          undefined,
        ]);
        return Options.map((option: object) => ({
          ...campagne,
          raisonConstat: null,
          questions: { ...question, Elus, Options: option },
        }));
      },
    );
    expectSame(answer, { ...answer, json: items });
    expect(rowsOf(answer).map((row) => row['questions.Options.OptionId'])).toEqual(options.flat());
    expectSame(await csv(`/${id}/stats?separateur=;`), { ...answer, json: items }, ';');
    const [first] = rowsOf(await csv(`/${id}/stats?syndicatIdExterne=SYN-1`));
    expect(first).toMatchObject({ totalVotants: '1', 'questions.Options.PoidsTotal': '12.3456' });
  });

  it('a question without visible options has one row', async () => {
    const id = await campaigns.opened();
    const rows = rowsOf(await csv(`/${id}/stats`));
    expect(rows).toEqual([
      expect.objectContaining({
        ...{ campagneId: id, etat: 'VoteOuvert', totalVotants: '1', resultatsVisibles: 'false' },
        ...{ 'questions.Titre': 'Pour ou contre ?', 'questions.Exprimes': '', 'questions.Options.Votes': '' },
      }),
    ]);
  });

  it('a campaign without questions is a header', async () => {
    const { text } = await csv(`/${await campaigns.draft()}/stats`);
    expect(text).toMatch(/^campagneId,titre,.*,questions\.Options\.Pourcentage\r\n$/);
  });

  it('more options than a batch holds, all of them elected', async () => {
    const { id, options } = await endedVote(
      [{ isRanked: false, seats: 120, options: 120 }],
      [
        {
          syndicat: null,
          employeur: null,
          poids: 1,
          reponses: [Array.from({ length: 120 }, (_, at) => at).join()],
        },
      ],
    );
    const rows = rowsOf(await csv(`/${id}/stats`));
    expect(rows.map((row) => row['questions.Options.OptionId'])).toEqual(options[0]);
    expect(JSON.parse(rows.at(-1)!['questions.Elus']!)).toHaveLength(120);
  });

  it('is JSON without Accept: text/csv; errors are problem details', async () => {
    const id = await campaigns.ready();
    const answer = await campaigns.send('GET', `/${id}/stats`, undefined, { Accept: '*/*' });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('vary')).toMatch(/^Accept(,|$)/);
    expectFaults(await campaigns.send('GET', `/${id}/stats?separateur=;`), '?separateur unknown');
    expectFaults(await csv(`/${id}/stats?separateur=a`), '?separateur choice');
    expectProblem(await csv(`/${id}/stats`, await newSpace()), 404, 'Campagne.NotFound');
  });
});
