import { Module } from '@nestjs/common';
import { AuthenticationService } from './application/authentication.service';
import { CellsService } from './application/cells.service';
import { ClientsService } from './application/clients.service';
import { ExpiryService } from './application/expiry.service';
import { JournalService } from './application/journal.service';
import { RateLimiterService } from './application/rate-limiter.service';
import { Databases } from '#platform/database/databases';
import { CallerQuery } from './persistence/caller.query';
import { CellQuery } from './persistence/cell.query';
import { ClientRepository } from './persistence/client.repository';
import { RateWindowQuery } from './persistence/rate-window.query';

@Module({
  providers: [
    AuthenticationService,
    CellsService,
    ClientsService,
    ExpiryService,
    JournalService,
    RateLimiterService,
    CallerQuery,
    CellQuery,
    ClientRepository,
    RateWindowQuery,
  ],
  exports: [
    AuthenticationService,
    CellsService,
    ClientsService,
    ExpiryService,
    JournalService,
    RateLimiterService,
  ],
})
export class ClientsModule {
  constructor(databases: Databases, cells: CellQuery) {
    databases.locateBy((space) => cells.of(space));
  }
}
