import { Module } from '@nestjs/common';
import { join } from 'node:path';
import { Config } from '#platform/ops/config';
import { VotingModule } from '#voting';
import { CourrielsService } from './application/courriels.service';
import { FolderMailer } from './application/folder-mailer';
import { MAILER, type Mailer } from './application/mailer';
import { SendingMetrics } from './application/sending-metrics';
import { SendingWorker } from './application/sending-worker';
import { SmtpMailer } from './application/smtp-mailer';
import { CourrielQuery } from './persistence/courriel.query';
import { CourrielRepository } from './persistence/courriel.repository';
import { ExpeditionRepository } from './persistence/expedition.repository';

/** Accepts and deletes emails. */
@Module({
  imports: [VotingModule],
  providers: [CourrielsService, CourrielRepository, CourrielQuery],
  exports: [CourrielsService],
})
export class MessagingModule {}

/** Sends emails. Only the worker loads it. */
@Module({
  providers: [
    {
      provide: MAILER,
      inject: [Config],
      useFactory: ({ smtp, mailFrom, dataDir }: Config): Mailer =>
        smtp ? new SmtpMailer(smtp, mailFrom.address) : new FolderMailer(join(dataDir, 'courriels')),
    },
    ExpeditionRepository,
    SendingMetrics,
    SendingWorker,
  ],
})
export class SendingModule {}
