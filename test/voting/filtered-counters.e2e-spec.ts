import fc from 'fast-check';
import { times } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import type { Answer } from '../setup/test-app';
import { app, campaigns, seal, spaceOfEachTest, stats } from './support/scene';
import { ballot, type Vote, Votes } from './support/votes';

const TRIALS = depth(4, 60);
const STEPS = 30;
const PEOPLE = 12;
const UNIONS = ['SYN-1', 'SYN-2'];
const EMPLOYERS = ['EMP-1', 'EMP-2', 'EMP-3'];
const FILTERS = [undefined, ...UNIONS, 'SYN-NONE'].flatMap((syndicatIdExterne) =>
  [undefined, ...EMPLOYERS, 'EMP-NONE'].map((employeurIdentifiantExterne) => ({
    ...(syndicatIdExterne ? { syndicatIdExterne } : {}),
    ...(employeurIdentifiantExterne ? { employeurIdentifiantExterne } : {}),
  })),
);

/** An employee of one union and one employer, by numbers. */
const person = (n: number, union = n, employer = n): object => ({
  ...{ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: `Roy ${n}` },
  Emplois: [
    {
      ...{ IdentifiantExterne: `J-${n}-${employer % 2}`, Matricule: '1' },
      IdentifiantExterneEmployeur: EMPLOYERS[employer % 2],
    },
  ],
  Adhesions: [{ SyndicatIdExterne: UNIONS[union % 2], DateAdhesion: '2024-01-01' }],
});

spaceOfEachTest({
  sync: {
    Syndicats: UNIONS.map((IdentifiantExterne, index) => ({
      ...{ IdentifiantExterne, Nom: IdentifiantExterne },
      Employeurs: (index === 0 ? EMPLOYERS : []).map((one) => ({ IdentifiantExterne: one, Nom: one })),
    })),
    Employes: times(PEOPLE, (n) => person(n)),
  },
});

/** Returns filters under which a question does not count those who have voted. */
async function contradictions(id: string): Promise<string[]> {
  const found = await Promise.all(
    FILTERS.map(async (filter) => {
      const query = new URLSearchParams(filter).toString();
      const { votantsAyantVote, resultatsVisibles, questions } = await stats(id, `?${query}`);
      expect([resultatsVisibles, questions.length]).toEqual([true, 2]);
      return (questions as { Exprimes: number; Abstentions: number }[])
        .filter(({ Exprimes, Abstentions }) => Exprimes + Abstentions !== votantsAyantVote)
        .map(({ Exprimes, Abstentions }) => `?${query}: ${votantsAyantVote}, ${Exprimes} + ${Abstentions}`);
    }),
  );
  return found.flat();
}

/** An open vote on two questions with the employees, and two voters who are none. */
async function open(): Promise<Vote> {
  const id = await campaigns.draft();
  for (const Titre of ['Pour ou contre ?', 'Et encore ?']) await campaigns.question(id, { Titre });
  await campaigns.sent('POST', `/${id}/liste-electorale`, { SyndicatsIdExternes: UNIONS });
  for (const n of times(2, (one) => one))
    await campaigns.votant(id, { Identifiant: `V-${n}`, EmployeurIdentifiantExterne: EMPLOYERS[2 - n] });
  await campaigns.sent('POST', `/${id}/publier`);
  await campaigns.sent('POST', `/${id}/ouvrir`);
  const [question, ...others] = (await campaigns.sent('GET', `/${id}/questions`)).json;
  const roll = (await campaigns.sent('GET', `/${id}/votants`)).json as { VotantId: string }[];
  return { id, question, others, voters: roll.map(({ VotantId }) => VotantId) };
}

/** Ways of changing who a voter is, or what a voter is made of. Some are refused. */
const CHANGES: Readonly<
  Record<string, (vote: Vote, voter: number, pick: <T>(of: readonly T[]) => T) => Promise<Answer>>
> = {
  'an upsert of the union': ({ id, voters }, voter, pick) =>
    campaigns.send('POST', `/${id}/votants/upsert`, {
      ...{ VotantId: voters[voter], SyndicatIdExterne: pick([...UNIONS, null]) },
    }),
  'an upsert of the employer': ({ id, voters }, voter, pick) =>
    campaigns.send('POST', `/${id}/votants/upsert`, {
      ...{ VotantId: voters[voter], EmployeurIdentifiantExterne: pick([...EMPLOYERS, null]) },
    }),
  'an upsert of the employee': ({ id, voters }, voter, pick) =>
    campaigns.send('POST', `/${id}/votants/upsert`, {
      ...{ VotantId: voters[voter], EmployeIdExterne: pick([`E-${voter}`, null]) },
    }),
  'a list of voters': ({ id, voters }, _voter, pick) =>
    campaigns.send(
      'POST',
      `/${id}/votants/upsert`,
      voters.map((VotantId) => ({
        ...{ VotantId, SyndicatIdExterne: pick(UNIONS), EmployeurIdentifiantExterne: pick(EMPLOYERS) },
      })),
    ),
  'the right to vote': ({ id, voters }, voter, pick) =>
    campaigns.send('PUT', `/${id}/votants/droit-de-vote`, {
      ...{ VotantIds: [voters[voter]], ADroitDeVote: pick([true, false, true]) },
    }),
  'a deletion of the voter': ({ id, voters }, voter) =>
    campaigns.send('DELETE', `/${id}/votants/${voters[voter]}`),
  'another electoral list': ({ id }, _voter, pick) =>
    campaigns.send('POST', `/${id}/liste-electorale`, { SyndicatsIdExternes: [pick(UNIONS)] }),
  'the differences from the master data': async ({ id }) => {
    const { empreinte } = (await campaigns.sent('GET', `/${id}/liste-electorale/ecarts`)).json;
    return campaigns.send('POST', `/${id}/liste-electorale/ecarts/appliquer`, {
      ...{ empreinte, natures: ['AAjouter', 'ARetirer', 'AModifier'] },
    });
  },
  'a sync': (_vote, voter, pick) =>
    ofPartner('POST', '/b2b/v2/sync', { Employes: [person(voter, pick([0, 1]), pick([0, 1]))] }),
  'a deletion of the employee': (_vote, voter) => ofPartner('DELETE', `/b2b/v1/employe/E-${voter}`),
  'a deletion of the employer': () => ofPartner('DELETE', `/b2b/v1/employeur/${EMPLOYERS[2]}`),
  'an erasure of the person': (_vote, voter) => erase(voter),
};

const ofPartner = (method: string, path: string, body?: object): Promise<Answer> =>
  app.send(campaigns.tenant, method, path, body);

function erase(voter: number): Promise<Answer> {
  const path = `/admin/v1/clients/${campaigns.tenant.clientId}/environnements/staging/employes/E-${voter}`;
  return app.send(app.adminKey, 'DELETE', path);
}

describe('Under every filter, those who have voted are the ballots of each question', () => {
  it(`in ${TRIALS} votes in which voters and master data change before, beside and after the ballots`, async () => {
    const seen = new Map<string, Set<string>>();
    const random = fc.sample(fc.infiniteStream(fc.nat()), { numRuns: 1, seed: SEED })[0]!;
    const pick = <T>(of: readonly T[]): T => of[random.next().value! % of.length]!;
    for (let trial = 0; trial < TRIALS; trial++) {
      const votes = await Votes.of(app, campaigns);
      await ofPartner('POST', '/b2b/v2/sync', {
        Syndicats: [
          {
            IdentifiantExterne: 'SYN-1',
            Nom: 'SYN-1',
            Employeurs: EMPLOYERS.map((one) => ({ IdentifiantExterne: one, Nom: one })),
          },
        ],
        Employes: times(PEOPLE, (n) => person(n)),
      });
      const vote = await open();
      const cast = (voter: number): Promise<Answer> => {
        const [first, second] = [vote.question, vote.others![0]!].map(({ Id, Options }) => ({
          ...{ QuestionId: Id, Options: pick([[Options[0]!.Id], [Options[1]!.Id], []]) },
        }));
        return votes.cast(vote.id, { ...ballot(vote, voter), Reponses: [first, second] });
      };
      for (let step = 0; step < STEPS; step++) {
        const voter = pick(times(vote.voters.length, (n) => n));
        const name = pick(Object.keys(CHANGES));
        const [{ status, json }] = await Promise.all([
          CHANGES[name]!(vote, voter, pick),
          ...(step % 2 ? [cast(voter)] : []),
        ]);
        expect(status).toBeLessThan(500);
        const outcome = status < 300 ? 'accepted' : (json.code as string);
        seen.set(name, (seen.get(name) ?? new Set()).add(outcome));
      }
      await campaigns.sent('POST', `/${vote.id}/fermer`);
      expect(await contradictions(vote.id)).toEqual([]);
      expect(await seal(vote.id)).toBe(true);
      expect(await contradictions(vote.id)).toEqual([]);
      await Promise.all(times(PEOPLE, erase));
      expect(await contradictions(vote.id)).toEqual([]);
      expect((await stats(vote.id)).votantsAyantVote).toBeGreaterThan(3);
    }
    const outcomes = Object.fromEntries([...seen].map(([name, codes]) => [name, [...codes]]));
    const both = expect.arrayContaining(['accepted', 'Votant.AVote']);
    expect(outcomes).toMatchObject({
      'an upsert of the union': both,
      'an upsert of the employer': both,
      'an upsert of the employee': both,
      'the right to vote': both,
      'a deletion of the voter': both,
      'a list of voters': ['accepted'],
      'the differences from the master data': expect.arrayContaining(['accepted']),
      'a sync': ['accepted'],
    });
  }, 900_000);

  it.each(['syndicat_id_externe', 'employeur_identifiant_externe'])(
    'control: a change of %s past the service is a contradiction',
    async (column) => {
      const votes = await Votes.of(app, campaigns);
      const vote = await open();
      const [question, other] = [vote.question, vote.others![0]!];
      for (const voter of [0, 1, 2])
        await votes.cast(vote.id, {
          VotantId: vote.voters[voter],
          Reponses: [question, other].map(({ Id, Options }) => ({
            QuestionId: Id,
            Options: [Options[0]!.Id],
          })),
        });
      await campaigns.rows(
        `UPDATE votant SET ${column} = CASE ${column} WHEN $3 THEN $4 ELSE $3 END
         WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = $5`,
        ...[vote.id, ...(column.startsWith('syn') ? UNIONS : EMPLOYERS.slice(0, 2)), vote.voters[0]],
      );
      await campaigns.sent('POST', `/${vote.id}/fermer`);
      expect(await contradictions(vote.id)).not.toEqual([]);
    },
  );
});
