import { Module } from '@nestjs/common';
import { AuthenticationService } from './application/authentication.service';
import { ClientsService } from './application/clients.service';
import { ExpiryService } from './application/expiry.service';
import { JournalService } from './application/journal.service';
import { RateLimiterService } from './application/rate-limiter.service';
import { CallerQuery } from './persistence/caller.query';
import { ClientRepository } from './persistence/client.repository';
import { RateWindowQuery } from './persistence/rate-window.query';

@Module({
  providers: [
    AuthenticationService,
    ClientsService,
    ExpiryService,
    JournalService,
    RateLimiterService,
    CallerQuery,
    ClientRepository,
    RateWindowQuery,
  ],
  exports: [AuthenticationService, ClientsService, ExpiryService, JournalService, RateLimiterService],
})
export class ClientsModule {}
