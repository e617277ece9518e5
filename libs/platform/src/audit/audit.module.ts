import { Global, Module } from '@nestjs/common';
import { AuditTrail } from './audit-trail';
import { Chain } from './chain';
import { JournalRepository } from './journal.repository';
import { JournalVerification } from './verification';

/** The audit trail: writing, reading and verification. */
@Global()
@Module({
  providers: [AuditTrail, Chain, JournalRepository, JournalVerification],
  exports: [AuditTrail, JournalRepository, JournalVerification],
})
export class AuditModule {}
