import { DynamicModule, Module } from '@nestjs/common';
import { join } from 'node:path';
import type { Config } from '#platform/ops/config';
import { VoterEmails } from '#voting';
import { VotingModule } from '#voting/module';
import { Outbox } from '#platform/events/outbox';
import { ContactNotices } from './application/contact-notices';
import { CourrielsService } from './application/courriels.service';
import { EmailCleaner } from './application/email-cleaner';
import { FolderMailer } from './application/folder-mailer';
import { MailConfig } from './application/mail-config';
import { MAILER, type Mailer } from './application/mailer';
import { RetoursService } from './application/retours.service';
import { SendingMetrics } from './application/sending-metrics';
import { SendingWorker } from './application/sending-worker';
import { SmtpMailer } from './application/smtp-mailer';
import { CourrielQuery } from './persistence/courriel.query';
import { CourrielRepository } from './persistence/courriel.repository';
import { ExpeditionRepository } from './persistence/expedition.repository';
import { RetourRepository } from './persistence/retour.repository';
import { VoterEmailsQuery } from './persistence/voter-emails.query';

/** Accepts and deletes emails, and makes those that the service sends to technical contacts. */
@Module({
  imports: [VotingModule],
  providers: [
    ContactNotices,
    CourrielsService,
    EmailCleaner,
    CourrielRepository,
    CourrielQuery,
    RetoursService,
    RetourRepository,
    VoterEmailsQuery,
  ],
  exports: [CourrielsService, RetoursService],
})
export class MessagingModule {
  constructor(outbox: Outbox, notices: ContactNotices, voters: VoterEmails, query: VoterEmailsQuery) {
    outbox.subscribe(notices);
    voters.register((votant) => query.membersOf(votant));
  }
}

/** Sends emails. Only the worker loads it. */
@Module({})
export class SendingModule {
  /** @throws ConfigError if SMTP_URL or MAIL_FROM is wrong */
  static forRoot(config: Config): DynamicModule {
    const mail = new MailConfig(config);
    const mailer: Mailer = mail.smtp
      ? new SmtpMailer(mail.smtp, mail.from.address)
      : new FolderMailer(join(config.dataDir, 'courriels'));
    return {
      module: SendingModule,
      providers: [
        { provide: MailConfig, useValue: mail },
        { provide: MAILER, useValue: mailer },
        ExpeditionRepository,
        SendingMetrics,
        SendingWorker,
      ],
    };
  }
}
