import { Module } from '@nestjs/common';
import { AuthenticationService } from './application/authentication.service';
import { CellsService } from './application/cells.service';
import { ClientsService } from './application/clients.service';
import { DeplacementsService } from './application/deplacements.service';
import { Eraser } from './application/eraser';
import { ExpiryService } from './application/expiry.service';
import { JournalService } from './application/journal.service';
import { MoveObstacles } from './application/move-obstacles';
import { Mover } from './application/mover';
import { RateLimiterService } from './application/rate-limiter.service';
import { Databases } from '#platform/database/databases';
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
    Eraser,
    ExpiryService,
    JournalService,
    MoveObstacles,
    Mover,
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
    Eraser,
    ExpiryService,
    JournalService,
    MoveObstacles,
    Mover,
    RateLimiterService,
  ],
})
export class ClientsModule {
  constructor(databases: Databases, cells: CellQuery) {
    databases.locateBy((space) => cells.of(space));
  }
}
