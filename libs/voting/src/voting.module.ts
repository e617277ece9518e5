import { Module } from '@nestjs/common';
import { MoveObstacles } from '#clients';
import { ClientsModule } from '#clients/module';
import { ActiveCampaigns } from '#membership';
import { MembershipModule } from '#membership/module';
import { CampagnesAdministrationService } from './ballot/application/campagnes-administration.service';
import { BulletinsService } from './ballot/application/bulletins.service';
import { CampagnesService } from './campagne/application/campagnes.service';
import { ChiffrementService } from './chiffrement/application/chiffrement.service';
import { EncryptedCountsService } from './chiffrement/application/encrypted-counts.service';
import { ProofsService } from './chiffrement/application/proofs.service';
import { CountingService } from './count/application/counting.service';
import { DossierBuilderService } from './dossier/application/dossier-builder.service';
import { DossierKeys } from './application/dossier-keys';
import { DossiersService } from './dossier/application/dossiers.service';
import { EcartsService } from './roll/application/ecarts.service';
import { ExplicationsService } from './roll/application/explications.service';
import { EngagementsService } from './ballot/application/engagements.service';
import { LifecycleService } from './campagne/application/lifecycle.service';
import { ListesElectoralesService } from './roll/application/listes-electorales.service';
import { OptionsService } from './structure/application/options.service';
import { QuestionsService } from './structure/application/questions.service';
import { PlacesService } from './roll/application/places.service';
import { Roll } from './roll/application/roll';
import { SealingService } from './ballot/application/sealing.service';
import { StatisticsService } from './count/application/statistics.service';
import { Structure } from './structure/application/structure';
import { VotantsService } from './roll/application/votants.service';
import { WelcomePages } from './campagne/application/welcome-pages';
import { BulletinRepository } from './ballot/persistence/bulletin.repository';
import { CampagneQuery } from './campagne/persistence/campagne.query';
import { CampagneRepository } from './campagne/persistence/campagne.repository';
import { ChiffrementRepository } from './chiffrement/persistence/chiffrement.repository';
import { DossierRepository } from './dossier/persistence/dossier.repository';
import { DossierSourcesQuery } from './dossier/persistence/dossier-sources.query';
import { DossierKeysRepository } from './persistence/dossier-keys.repository';
import { EcartsRepository } from './roll/persistence/ecarts.repository';
import { EngagementRepository } from './ballot/persistence/engagement.repository';
import { ExplicationQuery } from './roll/persistence/explication.query';
import { ListeElectoraleRepository } from './roll/persistence/liste-electorale.repository';
import { QuestionQuery } from './structure/persistence/question.query';
import { QuestionRepository } from './structure/persistence/question.repository';
import { SealingRepository } from './ballot/persistence/sealing.repository';
import { StatisticsQuery } from './count/persistence/statistics.query';
import { VoterErasureRepository } from './roll/persistence/voter-erasure.repository';
import { VotantQuery } from './roll/persistence/votant.query';
import { VoterEmails } from './roll/persistence/voter-emails';
import { VotantRepository } from './roll/persistence/votant.repository';
import { VotantsBulk } from './roll/persistence/votants.bulk';

const services = [
  CampagnesService,
  WelcomePages,
  LifecycleService,
  QuestionsService,
  OptionsService,
  VotantsService,
  PlacesService,
  ListesElectoralesService,
  EcartsService,
  ExplicationsService,
  ChiffrementService,
  EncryptedCountsService,
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
    ProofsService,
    Roll,
    Structure,
    BulletinRepository,
    CampagneQuery,
    CampagneRepository,
    ChiffrementRepository,
    DossierKeysRepository,
    DossierRepository,
    DossierSourcesQuery,
    EcartsRepository,
    EngagementRepository,
    ExplicationQuery,
    ListeElectoraleRepository,
    QuestionQuery,
    QuestionRepository,
    SealingRepository,
    StatisticsQuery,
    VotantQuery,
    VoterEmails,
    VotantRepository,
    VotantsBulk,
    VoterErasureRepository,
  ],
  exports: [...services, VoterEmails, VoterErasureRepository],
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
