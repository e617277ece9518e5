import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ADHESION_ENTITIES, AdhesionModule, FormulairesService, SigningService } from '#adhesion';
import {
  AuthenticationService,
  CLIENTS_ENTITIES,
  ClientsModule,
  ClientsService,
  DeplacementsService,
  JournalService,
} from '#clients';
import { CONSENT_ENTITIES } from '#consent';
import { MEETING_ENTITIES, MeetingModule, PointsService, SeancesService } from '#meeting';
import { ChampsUtilisateurService, MEMBERSHIP_ENTITIES, MembershipModule } from '#membership';
import { CourrielsService, MessagingModule } from '#messaging';
import { PersonneModule, PersonnesService } from '#personne';
import { TrailAttestation } from '#platform/audit/attestation';
import { JournalVerification } from '#platform/audit/verification';
import { Cells } from '#platform/database/databases';
import { SealedColumns } from '#platform/database/sealed-columns';
import { WorkNotes } from '#platform/database/work-notes';
import { Config } from '#platform/ops/config';
import { PlatformModule } from '#platform/platform.module';
import { SyncModule, SyncV1Service, SyncV2Service, TachesService } from '#sync';
import {
  BulletinsService,
  CampagnesService,
  EngagementsService,
  LifecycleService,
  OptionsService,
  QuestionsService,
  VOTING_ENTITIES,
  VotantsService,
  VotingModule,
} from '#voting';
import { Eraser, MovesModule, Mover, RestoredCell, TopologyModule } from '#topology';
import { WEBHOOKS_ENTITIES, WebhooksModule, WebhooksService } from '#webhooks';

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
  champs: ChampsUtilisateurService,
  formulaires: FormulairesService,
  signing: SigningService,
  webhooks: WebhooksService,
  campagnes: CampagnesService,
  lifecycle: LifecycleService,
  questions: QuestionsService,
  options: OptionsService,
  votants: VotantsService,
  bulletins: BulletinsService,
  engagements: EngagementsService,
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
