import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ADHESION_ENTITIES, FormulairesService, SigningService } from '#adhesion';
import { AdhesionModule } from '#adhesion/module';
import {
  AuthenticationService,
  CLIENTS_ENTITIES,
  ClientsService,
  DeplacementsService,
  JournalService,
} from '#clients';
import { ClientsModule } from '#clients/module';
import { CONSENT_ENTITIES } from '#consent';
import { MEETING_ENTITIES, PointsService, SeancesService } from '#meeting';
import { MeetingModule } from '#meeting/module';
import { ChampsUtilisateurService, ChangementsService, MEMBERSHIP_ENTITIES } from '#membership';
import { MembershipModule } from '#membership/module';
import { CourrielsService } from '#messaging';
import { MessagingModule } from '#messaging/module';
import { PersonnesService } from '#personne';
import { PersonneModule } from '#personne/module';
import { TrailAttestation } from '#platform/audit/attestation';
import { JournalVerification } from '#platform/audit/verification';
import { Cells } from '#platform/database/databases';
import { SealedColumns } from '#platform/database/sealed-columns';
import { WorkNotes } from '#platform/database/work-notes';
import { Config } from '#platform/ops/config';
import { PlatformModule } from '#platform/platform.module';
import { PlansService, SyncV1Service, SyncV2Service, TachesService, UndoService } from '#sync';
import { SyncModule } from '#sync/module';
import {
  BulletinsService,
  CampagnesService,
  ChiffrementService,
  DossierKeys,
  EngagementsService,
  LifecycleService,
  OptionsService,
  QuestionsService,
  VOTING_ENTITIES,
  VotantsService,
} from '#voting';
import { VotingModule } from '#voting/module';
import { Eraser, MovesModule, Mover, RestoredCell } from '#topology';
import { TopologyModule } from '#topology/module';
import { CertificationRepository, WEBHOOKS_ENTITIES, WebhooksService } from '#webhooks';
import { WebhooksModule } from '#webhooks/module';

@Module({})
class CliModule {}

/** The services of the API without its HTTP, for commands. */
const SERVICES = {
  clients: ClientsService,
  deplacements: DeplacementsService,
  restored: RestoredCell,
  mover: Mover,
  eraser: Eraser,
  journal: JournalService,
  attestation: TrailAttestation,
  verification: JournalVerification,
  sealed: SealedColumns,
  cells: Cells,
  notes: WorkNotes,
  authentication: AuthenticationService,
  syncs: SyncV1Service,
  syncsV2: SyncV2Service,
  taches: TachesService,
  plans: PlansService,
  undos: UndoService,
  champs: ChampsUtilisateurService,
  changements: ChangementsService,
  formulaires: FormulairesService,
  signing: SigningService,
  webhooks: WebhooksService,
  certifications: CertificationRepository,
  campagnes: CampagnesService,
  chiffrement: ChiffrementService,
  lifecycle: LifecycleService,
  questions: QuestionsService,
  options: OptionsService,
  votants: VotantsService,
  bulletins: BulletinsService,
  engagements: EngagementsService,
  dossierKeys: DossierKeys,
  seances: SeancesService,
  points: PointsService,
  courriels: CourrielsService,
  personnes: PersonnesService,
};

export type ServiceContext = { readonly [N in keyof typeof SERVICES]: InstanceType<(typeof SERVICES)[N]> };

export const ServiceContext = {
  /** Runs `work` with the services and closes their connections afterwards. */
  async use<T>(config: Config, work: (services: ServiceContext) => Promise<T>): Promise<T> {
    const app = await NestFactory.createApplicationContext(
      {
        module: CliModule,
        imports: [
          PlatformModule.forRoot(
            'cli',
            new Config({ ...config, poolSize: 2 }),
            TopologyModule.forRoot([
              ...CLIENTS_ENTITIES,
              ...MEMBERSHIP_ENTITIES,
              ...CONSENT_ENTITIES,
              ...ADHESION_ENTITIES,
              ...VOTING_ENTITIES,
              ...MEETING_ENTITIES,
              ...WEBHOOKS_ENTITIES,
            ]),
          ),
          ClientsModule,
          MovesModule,
          MembershipModule,
          AdhesionModule,
          SyncModule,
          VotingModule,
          MeetingModule,
          WebhooksModule,
          MessagingModule,
          PersonneModule,
        ],
      },
      { logger: ['error', 'warn'], abortOnError: false },
    );
    try {
      const services = Object.entries(SERVICES).map(([name, type]) => [name, app.get<unknown>(type)]);
      return await work(Object.fromEntries(services) as ServiceContext);
    } finally {
      await app.close();
    }
  },
};
