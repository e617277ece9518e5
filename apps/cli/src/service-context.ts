import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ADHESION_ENTITIES, AdhesionModule, FormulairesService, SigningService } from '#adhesion';
import {
  AuthenticationService,
  CLIENTS_ENTITIES,
  ClientsModule,
  ClientsService,
  JournalService,
} from '#clients';
import { CONSENT_ENTITIES } from '#consent';
import { MEETING_ENTITIES, MeetingModule, PointsService, SeancesService } from '#meeting';
import { ChampsUtilisateurService, MEMBERSHIP_ENTITIES, MembershipModule } from '#membership';
import { CourrielsService, MessagingModule } from '#messaging';
import { Config } from '#platform/ops/config';
import { PlatformModule } from '#platform/platform.module';
import { SyncModule, SyncV1Service, SyncV2Service, TachesService } from '#sync';
import {
  BulletinsService,
  CampagnesService,
  LifecycleService,
  OptionsService,
  QuestionsService,
  VOTING_ENTITIES,
  VotantsService,
  VotingModule,
} from '#voting';
import { WEBHOOKS_ENTITIES, WebhooksModule, WebhooksService } from '#webhooks';

@Module({})
class CliModule {}

/** The services of the API without its HTTP, for commands. */
export interface ServiceContext {
  readonly clients: ClientsService;
  readonly journal: JournalService;
  readonly authentication: AuthenticationService;
  readonly syncs: SyncV1Service;
  readonly syncsV2: SyncV2Service;
  readonly taches: TachesService;
  readonly champs: ChampsUtilisateurService;
  readonly formulaires: FormulairesService;
  readonly signing: SigningService;
  readonly webhooks: WebhooksService;
  readonly campagnes: CampagnesService;
  readonly lifecycle: LifecycleService;
  readonly questions: QuestionsService;
  readonly options: OptionsService;
  readonly votants: VotantsService;
  readonly bulletins: BulletinsService;
  readonly seances: SeancesService;
  readonly points: PointsService;
  readonly courriels: CourrielsService;
}

export const ServiceContext = {
  /** Runs `work` with the services and closes their connections afterwards. */
  async use<T>(config: Config, work: (services: ServiceContext) => Promise<T>): Promise<T> {
    const app = await NestFactory.createApplicationContext(
      {
        module: CliModule,
        imports: [
          PlatformModule.forRoot('cli', new Config({ ...config, poolSize: 2 }), [
            ...CLIENTS_ENTITIES,
            ...MEMBERSHIP_ENTITIES,
            ...CONSENT_ENTITIES,
            ...ADHESION_ENTITIES,
            ...VOTING_ENTITIES,
            ...MEETING_ENTITIES,
            ...WEBHOOKS_ENTITIES,
          ]),
          ClientsModule,
          MembershipModule,
          AdhesionModule,
          SyncModule,
          VotingModule,
          MeetingModule,
          WebhooksModule,
          MessagingModule,
        ],
      },
      { logger: ['error', 'warn'], abortOnError: false },
    );
    try {
      return await work({
        clients: app.get(ClientsService),
        journal: app.get(JournalService),
        authentication: app.get(AuthenticationService),
        syncs: app.get(SyncV1Service),
        syncsV2: app.get(SyncV2Service),
        taches: app.get(TachesService),
        champs: app.get(ChampsUtilisateurService),
        formulaires: app.get(FormulairesService),
        signing: app.get(SigningService),
        webhooks: app.get(WebhooksService),
        campagnes: app.get(CampagnesService),
        lifecycle: app.get(LifecycleService),
        questions: app.get(QuestionsService),
        options: app.get(OptionsService),
        votants: app.get(VotantsService),
        bulletins: app.get(BulletinsService),
        seances: app.get(SeancesService),
        points: app.get(PointsService),
        courriels: app.get(CourrielsService),
      });
    } finally {
      await app.close();
    }
  },
};
