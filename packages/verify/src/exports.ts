import { type Answers } from './answers.js';
import { type Question, type Vote } from './bundle.js';
import { Unreadable } from './findings.js';

/** A ranked question and its answers. */
export interface Ranked {
  readonly place: number;
  readonly question: Question;
  readonly answers: Answers;
}

/** Returns the ranked questions. @throws Unreadable if there are none */
export function rankedOf(vote: Vote, answers: readonly Answers[]): Ranked[] {
  const ranked = vote.questions.flatMap((question, place) =>
    question.EstPreferentiel ? [{ place, question, answers: answers[place]! }] : [],
  );
  if (ranked.length === 0)
    throw new Unreadable('The vote has no ranked question: --blt and --cvr have nothing to write.');
  return ranked;
}

/** A ballot weight of 1, in ten-thousandths. */
const ONE = 10_000n;

const seatsOf = ({ NombreElus }: Question): number => NombreElus ?? 1;

/** A text of BLT: the format has no escapes. */
const quoted = (text: string): string =>
  `"${text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replaceAll('"', "'")}"`;

/**
 * Returns a ranked question as BLT, the format of programs that count single transferable votes. A line has the weight of equal
 * rankings, in units of the question's finest weight: a count in whole units has the same thresholds.
 */
export function bltOf({ question, answers }: Ranked): string {
  const unit = 10n ** BigInt(4 - question.Decimales);
  return [
    `${question.Options.length} ${seatsOf(question)}`,
    ...answers.rankings.map(({ options, weight }) =>
      [weight / unit, ...options.map((option) => option + 1), 0].join(' '),
    ),
    '0',
    ...question.Options.map(({ Libelle }) => quoted(Libelle)),
    quoted(question.Titre),
    '',
  ].join('\n');
}

/**
 * Returns the parts of a report of cast vote records (NIST SP 1500-103, version 1.0.0, JSON) with a record for each ballot that
 * ranks an option. A record has one question, because the bundle does not link answers to different questions.
 *
 * @throws Unreadable if ballots have weights, which records do not have
 */
export function recordsOf(vote: Vote, ranked: readonly Ranked[], now: Date): Iterable<string> {
  for (const { place, answers } of ranked)
    if (answers.rankings.some(({ weight, ballots }) => weight !== BigInt(ballots) * ONE))
      throw new Unreadable(
        `Ballots of question ${place + 1} have weights, and cast vote records have none. Use --blt.`,
      );
  return partsOf(vote, ranked, now);
}

function* partsOf(vote: Vote, ranked: readonly Ranked[], now: Date): Generator<string, void> {
  const head = {
    '@type': 'CVR.CastVoteRecordReport',
    Version: '1.0.0',
    GeneratedDate: now.toISOString(),
    Notes:
      'Rankings have only the options at which a ballot rested during the count. Abstentions are absent.',
    ReportGeneratingDeviceIds: ['verifier'],
    ReportingDevice: [{ '@id': 'verifier', '@type': 'CVR.ReportingDevice', Application: 'mandat-verify' }],
    GpUnit: [{ '@id': 'all', '@type': 'CVR.GpUnit', Type: 'other', OtherType: 'electorate' }],
    Election: [
      {
        ...{ '@id': 'election', '@type': 'CVR.Election', Name: vote.titre, ElectionScopeId: 'all' },
        Candidate: ranked.flatMap(({ place, question }) =>
          question.Options.map(({ Libelle }, option) => ({
            ...{ '@id': `candidate-${place}-${option}`, '@type': 'CVR.Candidate', Name: Libelle },
          })),
        ),
        Contest: ranked.map(({ place, question }) => ({
          ...{ '@id': `contest-${place}`, '@type': 'CVR.CandidateContest', Name: question.Titre },
          ...{ VoteVariation: 'rcv', NumberElected: seatsOf(question) },
          ContestSelection: question.Options.map((_, option) => ({
            ...{ '@id': `selection-${place}-${option}`, '@type': 'CVR.CandidateSelection' },
            CandidateIds: [`candidate-${place}-${option}`],
          })),
        })),
      },
    ],
  };
  yield `${JSON.stringify(head).slice(0, -1)},"CVR":[`;
  let number = 0;
  for (const { place, answers } of ranked)
    for (const { options, ballots } of answers.rankings) {
      const selections = JSON.stringify(
        options.map((option, index) => ({
          '@type': 'CVR.CVRContestSelection',
          ContestSelectionId: `selection-${place}-${option}`,
          Rank: index + 1,
          SelectionPosition: [{ '@type': 'CVR.SelectionPosition', HasIndication: 'yes', NumberVotes: 1 }],
        })),
      );
      for (let ballot = 0; ballot < ballots; ballot++) {
        const id = `snapshot-${++number}`;
        yield (
          `${number === 1 ? '' : ','}\n{"@type":"CVR.CVR","ElectionId":"election","CurrentSnapshotId":"${id}","CVRSnapshot":` +
          `[{"@id":"${id}","@type":"CVR.CVRSnapshot","Type":"interpreted","CVRContest":` +
          `[{"@type":"CVR.CVRContest","ContestId":"contest-${place}","CVRContestSelection":${selections}}]}]}`
        );
      }
    }
  yield ']}\n';
}
