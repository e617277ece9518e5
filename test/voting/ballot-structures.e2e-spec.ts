import { randomUUID } from 'node:crypto';
import { BulletinRepository } from '../../libs/voting/src/ballot/persistence/bulletin.repository';
import { MOST_OPTIONS, MOST_QUESTIONS } from '../../libs/voting/src/structure/domain/question.fields';
import { app, newSpace, spaceOfFile, votes } from './support/scene';
import { Votes } from './support/votes';

spaceOfFile();
afterEach(() => jest.restoreAllMocks());

/** Reads of a campaign's structure: which ones, and how many ran at once. */
function watchedReads(): { of: (id: string) => number; atOnce: () => number } {
  const ids: string[] = [];
  let [running, atOnce] = [0, 0];
  const { votedOn } = BulletinRepository.prototype;
  jest.spyOn(BulletinRepository.prototype, 'votedOn').mockImplementation(async function (
    this: BulletinRepository,
    tenantId,
    id,
  ) {
    ids.push(id);
    atOnce = Math.max(atOnce, ++running);
    return votedOn.call(this, tenantId, id).finally(() => running--);
  });
  return { of: (id) => ids.filter((one) => one === id).length, atOnce: () => atOnce };
}

/** A draft whose ballot box has a copy of the largest structure. */
async function largest(of: Votes): Promise<string> {
  const id = await of.campaigns.draft();
  await of.campaigns.rows(
    `WITH u AS (
       INSERT INTO urne (tenant_id, campagne_id, graine) SELECT $1, $2, sha256('')
     ), q AS (
       INSERT INTO urne_question (tenant_id, campagne_id, place, question_id, titre, type, est_preferentiel, min_reponses,
         max_reponses, nombre_options)
       SELECT $1, $2, n - 1, uuidv7(), 'Q', 'ChoixLibre', false, 1, 1, ${MOST_OPTIONS} FROM generate_series(1, ${MOST_QUESTIONS}) n
       RETURNING place
     )
     INSERT INTO urne_option (tenant_id, campagne_id, question, place, option_id, libelle)
     SELECT $1, $2, q.place, n - 1, uuidv7(), 'O' FROM q, generate_series(1, ${MOST_OPTIONS}) n`,
    id,
  );
  return id;
}

const strange = (): object => ({ VotantId: randomUUID(), Reponses: [] });

describe('the structure that ballots are checked against', () => {
  it('is read once for ballots that arrive together', async () => {
    const vote = await votes.opened(20);
    const reads = watchedReads();
    await Promise.all(vote.voters.map((_, voter) => votes.voted(vote, voter)));
    expect(reads.of(vote.id)).toBe(1);
  });

  it('stays in memory while another client sends ballots for two of the largest campaigns, which are read one at a time', async () => {
    const vote = await votes.opened(2);
    const other = await Votes.of(app, await newSpace());
    const ids = [await largest(other), await largest(other)];
    const reads = watchedReads();
    await votes.voted(vote, 0);
    const answers = await Promise.all([...ids, ...ids].map((id) => other.cast(id, strange())));
    expect(answers.map(({ json }) => json.code)).toEqual(answers.map(() => 'Vote.CampagneNonOuverte'));
    await Promise.all(ids.map((id) => other.cast(id, strange())));
    await votes.voted(vote, 1);
    expect([vote.id, ...ids].map((id) => reads.of(id))).toEqual([1, 1, 1]);
    expect(reads.atOnce()).toBe(1);
  });
});
