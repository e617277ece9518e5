export { CourrielsService } from './application/courriels.service';
export { MailConfig } from './application/mail-config';
export { SmtpMailer } from './application/smtp-mailer';
export { EXAMPLE_COURRIEL_ID } from './http/courriels.dto';
export * from './domain/messaging.errors';
export { MESSAGING_QUEUES } from './application/courriel-jobs';
export { MESSAGING_AUDITED_ACTIONS } from './domain/messaging.actions';
