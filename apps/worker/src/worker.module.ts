import { DynamicModule, Module } from '@nestjs/common';
import { CLIENTS_ENTITIES, ClientsModule } from '#clients';
import { Config } from '#shared/config/config';
import { SharedModule } from '#shared/shared.module';
import { PurgeService } from './purge.service';

/** The background process: no controllers but the probes. */
@Module({})
export class WorkerModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [SharedModule.forRoot('worker', config, CLIENTS_ENTITIES), ClientsModule],
      providers: [PurgeService],
    };
  }
}
