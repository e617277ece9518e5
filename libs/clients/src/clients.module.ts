import { Module } from '@nestjs/common';
import { AuthenticationService } from './application/authentication.service';
import { CellsService } from './application/cells.service';
import { ClientsService } from './application/clients.service';
import { DeplacementsService } from './application/deplacements.service';
import { ErasuresService } from './application/erasures.service';
import { ExpiryService } from './application/expiry.service';
import { JournalService } from './application/journal.service';
import { MoveObstacles } from './application/move-obstacles';
import { RateLimiterService } from './application/rate-limiter.service';
import { CallerQuery } from './persistence/caller.query';
import { CellQuery } from './persistence/cell.query';
import { ClientRepository } from './persistence/client.repository';
import { DeplacementRepository } from './persistence/deplacement.repository';
import { RateWindowQuery } from './persistence/rate-window.query';

@Module({
  providers: [
    AuthenticationService,
    CellsService,
    ClientsService,
    DeplacementsService,
    ErasuresService,
    ExpiryService,
    JournalService,
    MoveObstacles,
    RateLimiterService,
    CallerQuery,
    CellQuery,
    ClientRepository,
    DeplacementRepository,
    RateWindowQuery,
  ],
  exports: [
    AuthenticationService,
    CellsService,
    ClientsService,
    DeplacementsService,
    ErasuresService,
    ExpiryService,
    JournalService,
    MoveObstacles,
    RateLimiterService,
  ],
})
export class ClientsModule {}
