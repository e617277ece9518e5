import { CAMPAGNE, OPTION, QUESTION, VOTANT } from '../domain/voting.errors';
import { Param } from '@nestjs/common';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { EXAMPLE_IDS } from './examples';

export const campagnePart = (example: string = EXAMPLE_IDS.campagne) => guidPart('campaign', example);
export const questionPart = (example: string = EXAMPLE_IDS.question) => guidPart('question', example);
export const optionPart = (example: string = EXAMPLE_IDS.option) => guidPart('option', example);
export const votantPart = (example: string = EXAMPLE_IDS.votant) => guidPart('voter', example);

export const CampagneId = () => Param('id', new GuidPart(CAMPAGNE.NotFound));

export const QuestionId = () => Param('questionId', new GuidPart(QUESTION.NotFound));

export const OptionId = () => Param('optionId', new GuidPart(OPTION.NotFound));

export const VotantId = () => Param('votantId', new GuidPart(VOTANT.NotFound));
