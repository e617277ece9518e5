import { isDeepStrictEqual } from 'node:util';
import { CampagneRepository } from '../../libs/voting/src/campagne/persistence/campagne.repository';
import { times } from '../membership/synced';
import { depth, IS_WHOLE } from '../setup/depth';
import type { Answer } from '../setup/test-app';
import { type Barrier, Replicas, type Stoppable } from './support/structure';
import { ballot, Votes } from './support/votes';

/** The request that is stopped in the middle of its transaction until the other one waits for it. */
type Held = 'nobody' | Extract<Stoppable, 'the vote' | 'the end'>;
const HELD: readonly Held[] = ['nobody', 'the vote', 'the end'];

const VOTERS = 3;
const AT_ONCE = 5;
const RACES_OF_END = depth(6, 102);

let replicas: Replicas;
let barrier: Barrier;
let here: Votes;
let there: Votes;

beforeAll(async () => {
  replicas = await Replicas.start();
  barrier = replicas.barrier;
});
afterAll(() => replicas.stop());
beforeEach(async () => {
  here = await Votes.of(replicas.apps[0]);
  there = here.by(replicas.apps[1]);
});
afterEach(() => jest.restoreAllMocks());

/** A request that ends a vote, or would end it. */
interface End {
  readonly what: string;
  readonly request: readonly [method: string, rest: string];
  readonly done: string;
  readonly refused?: string;
  /** State of the campaign once the request is done. */
  readonly left: string;
  /** Votes that come too late. */
  readonly late: string;
}
const ENDS: readonly End[] = [
  {
    ...{ what: 'unpublishing', request: ['POST', '/depublier'], done: '200', left: 'Brouillon' },
    ...{ refused: '400 Campagne.DepublierAvecVotes', late: '409 Vote.CampagneNonOuverte' },
  },
  {
    ...{ what: 'closing', request: ['POST', '/fermer'], done: '200', left: 'Termine' },
    late: '409 Vote.CampagneNonOuverte',
  },
  {
    ...{ what: 'deleting', request: ['DELETE', ''], done: '204', left: '404' },
    ...{ refused: '409 Campagne.SupprimerAvecVotes', late: '404 Campagne.NotFound' },
  },
];

const code = ({ status, json }: Answer): string => `${status} ${json?.code ?? ''}`.trim();

/** A race of votes with the end of the vote, each on a replica of its own. @returns the winner, or all that was odd */
async function race(end: End, held: Held, index: number): Promise<string> {
  const vote = await here.opened(VOTERS);
  const [voting, ending] = index % 2 ? [here, there] : [there, here];
  const cast = (): Promise<Answer[]> =>
    Promise.all(times(VOTERS, (n) => voting.cast(vote.id, ballot(vote, n, n % 2))));
  const finish = async (): Promise<{ answer: Answer; told: number | undefined }> => {
    const [method, rest] = end.request;
    const answer = await ending.campaigns.send(method, `/${vote.id}${rest}`);
    if (end.what !== 'closing') return { answer, told: undefined };
    // The result that is shown right after the close is the counted one.
    const { json } = await voting.campaigns.sent('GET', `/${vote.id}/stats`);
    return { answer, told: json.questions[0].Exprimes };
  };
  const lead = (index % 5) * 4;
  const isVoteFirst = held === 'nobody' ? index % 4 < 2 : held === 'the vote';
  let answers: Answer[];
  let ended: Awaited<ReturnType<typeof finish>>;
  if (isVoteFirst) [answers, ended] = await barrier.meet(held, vote.id, lead, [cast, VOTERS], [finish, 1]);
  else [ended, answers] = await barrier.meet(held, vote.id, lead, [finish, 1], [cast, VOTERS]);

  const counted = answers.filter(({ status }) => status === 201).length;
  const { status, json } = await here.campaigns.send('GET', `/${vote.id}`);
  const seen = {
    end: code(ended.answer),
    told: ended.told,
    left: status === 200 ? (json.etat as string) : `${status}`,
    ballots: (await here.box(vote.id)).length,
    voted: await here.aVote(vote.id),
    refusals: [...new Set(answers.map(code).filter((answer) => answer !== '201'))],
  };
  const isDone = seen.end === end.done;
  const isClosing = end.what === 'closing';
  const expected = {
    end: isDone ? end.done : end.refused,
    told: isClosing ? counted : undefined,
    left: isDone ? end.left : 'VoteOuvert',
    ballots: counted,
    voted: counted,
    refusals: counted === VOTERS ? [] : [end.late],
  };
  // If a campaign has ballots, only a close is done. If it has none, the end is done.
  const isConsistent = isClosing || isDone === (counted === 0);
  if (!isConsistent || !isDeepStrictEqual(seen, expected)) return JSON.stringify({ ...seen, counted });
  return counted === 0 ? 'the end' : 'the vote';
}

describe('votes that meet the end of their vote', () => {
  it(
    `${ENDS.length * RACES_OF_END} times over two replicas: no ballot in what is unpublished or deleted, none after the close`,
    async () => {
      const winners = new Map<string, number>();
      const odd: string[] = [];
      for (const end of ENDS) {
        for (const held of HELD) {
          const races = RACES_OF_END / HELD.length;
          // Only races without a stop may run beside others, because their waiting connections could not be distinguished.
          const atOnce = held === 'nobody' ? AT_ONCE : 1;
          for (let from = 0; from < races; from += atOnce) {
            const some = times(Math.min(atOnce, races - from), (offset) => race(end, held, from + offset));
            for (const winner of await Promise.all(some)) {
              const name = `${winner} while ${held} is held`;
              winners.set(name, (winners.get(name) ?? 0) + 1);
              if (!['the vote', 'the end'].includes(winner)) odd.push(`${end.what}, ${held}: ${winner}`);
            }
          }
        }
      }
      expect(odd).toEqual([]);
      const perHeld = (ENDS.length * RACES_OF_END) / HELD.length;
      const free = HELD.slice(1).map((winner) => winners.get(`${winner} while nobody is held`) ?? 0);
      // Each side must have won: races that one side always wins would show nothing. In few races it is left to chance.
      if (IS_WHOLE) expect(Math.min(...free)).toBeGreaterThan(0);
      expect(free[0]! + free[1]!).toBe(perHeld);
      expect(winners.get('the vote while the vote is held')).toBe(perHeld);
      expect(winners.get('the end while the end is held')).toBe(perHeld);
    },
    5 * 60_000,
  );

  describe('negative control: without the gate', () => {
    beforeEach(() => {
      const open = { name: 'gate_open', text: 'SELECT WHERE $1::boolean', values: ['false'] };
      jest.spyOn(CampagneRepository.prototype, 'enterVote').mockReturnValue(open);
    });

    it('a campaign is unpublished, and has ballots', async () => {
      expect(JSON.parse(await race(ENDS[0]!, 'the vote', 0))).toMatchObject({
        ...{ end: '200', left: 'Brouillon', ballots: VOTERS },
      });
    });

    it('ballots come after the close, and change the published count', async () => {
      expect(JSON.parse(await race(ENDS[1]!, 'the vote', 0))).toMatchObject({
        ...{ end: '200', told: 0, left: 'Termine', ballots: VOTERS },
      });
    });

    it('a campaign is deleted and has ballots, were it not for their foreign key', async () => {
      const { database } = replicas.apps[0];
      const name = 'bulletin_campagne_fkey';
      await database.query(`ALTER TABLE bulletin DROP CONSTRAINT ${name}`);
      expect(JSON.parse(await race(ENDS[2]!, 'the vote', 0))).toMatchObject({
        ...{ end: '204', left: '404', ballots: VOTERS },
      });
      await database.query(`ALTER TABLE bulletin ADD CONSTRAINT ${name} FOREIGN KEY (tenant_id, campagne_id)
        REFERENCES campagne (tenant_id, id_unique) NOT VALID`);
    });
  });
});
