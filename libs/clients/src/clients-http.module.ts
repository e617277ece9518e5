import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ClientsModule } from './clients.module';
import { AccessGuard } from './http/access.guard';
import { ClientsController } from './http/clients.controller';
import { JournalController } from './http/journal.controller';
import { MoiController } from './http/moi.controller';

@Module({
  imports: [ClientsModule],
  controllers: [ClientsController, JournalController, MoiController],
  providers: [{ provide: APP_GUARD, useClass: AccessGuard }],
})
export class ClientsHttpModule {}
