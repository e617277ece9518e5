import { Module } from '@nestjs/common';
import { ClientsModule, MoveObstacles } from '#clients';
import { ActiveCampaigns, MembershipModule } from '#membership';
import { CampagnesAdministrationService } from './application/campagnes-administration.service';
import { BulletinsService } from './application/bulletins.service';
import { CampagnesService } from './application/campagnes.service';
import { CountingService } from './application/counting.service';
import { DossierBuilderService } from './application/dossier-builder.service';
import { DossierKeys } from './application/dossier-keys';
import { DossiersService } from './application/dossiers.service';
import { EcartsService } from './application/ecarts.service';
import { EngagementsService } from './application/engagements.service';
import { LifecycleService } from './application/lifecycle.service';
import { ListesElectoralesService } from './application/listes-electorales.service';
import { OptionsService } from './application/options.service';
import { QuestionsService } from './application/questions.service';
import { Roll } from './application/roll';
import { SealingService } from './application/sealing.service';
import { StatisticsService } from './application/statistics.service';
import { Structure } from './application/structure';
import { VotantsService } from './application/votants.service';
import { WelcomePages } from './application/welcome-pages';
import { BulletinRepository } from './persistence/bulletin.repository';
import { CampagneQuery } from './persistence/campagne.query';
import { CampagneRepository } from './persistence/campagne.repository';
import { DossierRepository } from './persistence/dossier.repository';
import { DossierSourcesQuery } from './persistence/dossier-sources.query';
import { DossierKeysRepository } from './persistence/dossier-keys.repository';
import { EcartsRepository } from './persistence/ecarts.repository';
import { EngagementRepository } from './persistence/engagement.repository';
import { ListeElectoraleRepository } from './persistence/liste-electorale.repository';
import { QuestionQuery } from './persistence/question.query';
import { QuestionRepository } from './persistence/question.repository';
import { SealingRepository } from './persistence/sealing.repository';
import { StatisticsQuery } from './persistence/statistics.query';
import { VoterErasureRepository } from './persistence/voter-erasure.repository';
import { VotantQuery } from './persistence/votant.query';
import { VotantRepository } from './persistence/votant.repository';
import { VotantsBulk } from './persistence/votants.bulk';

const services = [
  CampagnesService,
  WelcomePages,
  LifecycleService,
  QuestionsService,
  OptionsService,
  VotantsService,
  ListesElectoralesService,
  EcartsService,
  BulletinsService,
  StatisticsService,
  SealingService,
  EngagementsService,
  CampagnesAdministrationService,
  DossierKeys,
  DossierBuilderService,
  DossiersService,
];

@Module({
  imports: [ClientsModule, MembershipModule],
  providers: [
    ...services,
    CountingService,
    Roll,
    Structure,
    BulletinRepository,
    CampagneQuery,
    CampagneRepository,
    DossierKeysRepository,
    DossierRepository,
    DossierSourcesQuery,
    EcartsRepository,
    EngagementRepository,
    ListeElectoraleRepository,
    QuestionQuery,
    QuestionRepository,
    SealingRepository,
    StatisticsQuery,
    VotantQuery,
    VotantRepository,
    VotantsBulk,
    VoterErasureRepository,
  ],
  exports: [...services, VoterErasureRepository],
})
export class VotingModule {
  /** Employees and cards ask whether they are on a roll before they are deleted, and moves of a data space ask for votes. */
  constructor(
    campaigns: ActiveCampaigns,
    votants: VotantRepository,
    moves: MoveObstacles,
    campagnes: CampagneQuery,
  ) {
    campaigns.register(votants);
    moves.register(campagnes);
  }
}
