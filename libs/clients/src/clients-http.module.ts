import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ClientsModule } from './clients.module';
import { ApiKeyGuard } from './http/api-key.guard';
import { CellsController } from './http/cells.controller';
import { ClesController } from './http/cles.controller';
import { ClientsController } from './http/clients.controller';
import { DeplacementsController } from './http/deplacements.controller';
import { EntitlementsGuard } from './http/entitlements.guard';
import { JournalController } from './http/journal.controller';
import { KeylessBudget } from './http/keyless-budget';
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
  providers: [
    KeylessBudget,
    // Guards run in this order: 401, then 429, then 403 (docs/contract.md, "Order of rejection").
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: EntitlementsGuard },
  ],
})
export class ClientsHttpModule {}
