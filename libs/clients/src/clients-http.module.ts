import { Module } from '@nestjs/common';
import { ClientsModule } from './clients.module';
import { ApiKeyGuard } from './http/api-key.guard';
import { CellsController } from './http/cells.controller';
import { ClesController } from './http/cles.controller';
import { ClientsController } from './http/clients.controller';
import { DeplacementsController } from './http/deplacements.controller';
import { EntitlementsGuard } from './http/entitlements.guard';
import { JournalController } from './http/journal.controller';
import { MoiController } from './http/moi.controller';
import { RateLimitGuard } from './http/rate-limit.guard';

@Module({
  imports: [ClientsModule],
  controllers: [
    CellsController,
    ClesController,
    ClientsController,
    DeplacementsController,
    JournalController,
    MoiController,
  ],
  providers: [ApiKeyGuard, RateLimitGuard, EntitlementsGuard],
  exports: [ApiKeyGuard, RateLimitGuard, EntitlementsGuard],
})
export class ClientsHttpModule {}
