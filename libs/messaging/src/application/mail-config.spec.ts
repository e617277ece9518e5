import { ConfigError } from '#platform/ops/config-error';
import { MailConfig } from './mail-config';
import { words } from '../../../../test/setup/words';

describe('MailConfig', () => {
  const mail = (
    smtpUrl: string | undefined,
    mailFrom: string | undefined = 'mandat@example.org',
    production = true,
  ) => new MailConfig({ smtpUrl, mailFrom, production });
  const plain = { secure: false, tls: 'required', login: undefined };

  it.each([
    ['smtp://mail.example.org', { ...plain, host: 'mail.example.org', port: 587 }],
    ['smtp://[::1]:25?tls=off', { ...plain, host: '::1', port: 25, tls: 'off' }],
    ['smtp://h?tls=optional', { ...plain, host: 'h', port: 587, tls: 'optional' }],
    ['smtps://h/', { ...plain, host: 'h', port: 465, secure: true }],
    ['smtp://a%40b:p%3A%2F@h', { ...plain, host: 'h', port: 587, login: { user: 'a@b', pass: 'p:/' } }],
  ])('%s is accepted', (url, expected) => {
    expect(mail(url).smtp).toEqual(expected);
  });

  it('outside production, TLS is optional without a password and required with one', () => {
    expect(mail('smtp://h', 'a@b.ca', false).smtp).toMatchObject({ tls: 'optional' });
    expect(mail('smtp://u:p@h', 'a@b.ca', false).smtp).toMatchObject({ tls: 'required' });
  });

  it.each(
    words(`
    mail.example.org http://u:secret@h smtp:// smtp://u:secret@h/x smtp://u:secret@h#x
    smtp://u:secret@h?x=1 smtp://u:secret@h?tls=maybe smtp://u:secret@h?tls=off&tls=required
    smtps://u:secret@h?tls=off smtp://u:secret%zz@h smtp://secret@h smtp://:secret@h
  `),
  )('%s is rejected without being quoted', (url) => {
    expect(() => mail(url)).toThrow(ConfigError);
    expect(() => mail(url)).toThrow(/^SMTP_URL must be (?!.*secret)/);
  });

  it.each([
    ['mandat@example.org', { name: '', address: 'mandat@example.org' }],
    ['Été du vote <a@b.ca>', { name: 'Été du vote', address: 'a@b.ca' }],
    ['"Mandat, vote" <a@b.ca>', { name: 'Mandat, vote', address: 'a@b.ca' }],
  ])('MAIL_FROM=%s is accepted', (mailFrom, expected) => {
    expect(mail('smtp://h', mailFrom).from).toEqual(expected);
  });

  it.each(['x', 'a@b, c@d', 'A <a@b', 'A\r\nBcc: x@y <a@b>', '<>', 'A <a b@c>'])(
    'MAIL_FROM=%j is rejected',
    (mailFrom) => {
      expect(() => mail('smtp://h', mailFrom)).toThrow(/^MAIL_FROM must be an address/);
    },
  );

  it('production requires MAIL_FROM with SMTP_URL only', () => {
    expect(() => mail('smtp://h', '')).toThrow(/^MAIL_FROM must be set with SMTP_URL/);
    expect(mail(undefined, '')).toEqual({
      smtp: undefined,
      from: { name: 'Mandat', address: 'ne-pas-repondre@localhost' },
    });
  });
});
