import { CAMPAGNE } from '../../domain/voting.errors';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires, Tenant } from '#access/requires.decorator';
import { EMPLOYE } from '#membership';
import type { Language } from '#platform/errors/text';
import { Answers } from '#platform/http/answers.decorator';
import { announceLanguage, CallerLanguage } from '#platform/http/language';
import { Query } from '#platform/input/request-parts.decorator';
import { ExplicationsService } from '../application/explications.service';
import { CampagneId, campagnePart } from '../../http/path-parts';
import { EligibiliteItem, ExplicationItem, ExplicationQueryInput } from './explications.dto';

@ApiTags('Voters')
@Requires({ role: 'partenaire', module: 'vote' })
@Controller('b2b/v1/campagnes/:id/liste-electorale/explication')
export class ExplicationsController {
  constructor(private readonly explications: ExplicationsService) {}

  @Get()
  @Answers({
    summary: 'Explain why an employee is on the roll, or not',
    description:
      'Explains by the same criteria that made the roll. A voter keeps the reasons of its enrolment, whatever has changed in the master data since. For another employee, `contrefactuel` names the smallest change that would put the employee on the roll.',
    path: { id: campagnePart() },
    type: ExplicationItem,
    messages: true,
    errors: [CAMPAGNE.NotFound, EMPLOYE.NotFound],
  })
  async explain(
    @Tenant() tenantId: string,
    @CampagneId() campagneId: string,
    @Query() { idExterneEmploye }: ExplicationQueryInput,
    @CallerLanguage() language: Language,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ExplicationItem> {
    announceLanguage(response, language);
    return this.explications.told(tenantId, campagneId, idExterneEmploye, language);
  }
}

@ApiTags('Votes')
@Requires({ role: 'plateforme', module: 'vote' })
@Controller('plateforme/v1/campagnes/:id/eligibilite')
export class EligibiliteController {
  constructor(private readonly explications: ExplicationsService) {}

  @Get()
  @Answers({
    summary: 'Tell a member whether and why it may vote',
    description: 'The reasons in the member’s words, in French or English by `Accept-Language`.',
    path: { id: campagnePart() },
    type: EligibiliteItem,
    messages: true,
    errors: [CAMPAGNE.NotFound, EMPLOYE.NotFound],
  })
  async eligibility(
    @Tenant() tenantId: string,
    @CampagneId() campagneId: string,
    @Query() { idExterneEmploye }: ExplicationQueryInput,
    @CallerLanguage() language: Language,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EligibiliteItem> {
    announceLanguage(response, language);
    return this.explications.toldToMember(tenantId, campagneId, idExterneEmploye, language);
  }
}
