import { CAMPAGNE, OPTION, QUESTION, VOTANT } from '../domain/voting.errors';
import { Param } from '@nestjs/common';
import { GuidPart } from '#platform/input/guid-part.pipe';
import { EXAMPLE_IDS } from './examples';

/** Documents the part of a path that is the identifier of something; the example of the demonstration tenant may vary. */
const guidPart =
  (what: string, usual: string) =>
  (example = usual) =>
    ({ description: `Identifier of the ${what} (GUID).`, format: 'uuid', example }) as const;

export const campagnePart = guidPart('campaign', EXAMPLE_IDS.campagne);
export const questionPart = guidPart('question', EXAMPLE_IDS.question);
export const optionPart = guidPart('option', EXAMPLE_IDS.option);
export const votantPart = guidPart('voter', EXAMPLE_IDS.votant);

export const CampagneId = () => Param('id', new GuidPart(CAMPAGNE.NotFound, 'No campaign has this id.'));

export const QuestionId = () =>
  Param('questionId', new GuidPart(QUESTION.NotFound, 'The campaign has no question with this id.'));

export const OptionId = () =>
  Param('optionId', new GuidPart(OPTION.NotFound, 'The question has no option with this id.'));

export const VotantId = () =>
  Param('votantId', new GuidPart(VOTANT.NotFound, 'The campaign has no voter with this id.'));
