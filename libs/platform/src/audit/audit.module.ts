import { Global, Module } from '@nestjs/common';
import { TrailAttestation } from './attestation';
import { AuditTrail } from './audit-trail';
import { Chain } from './chain';
import { JournalRepository } from './journal.repository';
import { JournalVerification } from './verification';

/** The audit trail: writing, reading and verification. */
@Global()
@Module({
  providers: [AuditTrail, Chain, JournalRepository, JournalVerification, TrailAttestation],
  exports: [AuditTrail, JournalRepository, JournalVerification, TrailAttestation],
})
export class AuditModule {}
