import { ConfigError } from '#platform/ops/config-error';
import type { Config } from '#platform/ops/config';

/** Where and how to reach the mail server. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps). */
  readonly secure: boolean;
  /** STARTTLS otherwise: required with a valid certificate, used if offered, or never used. */
  readonly tls: 'required' | 'optional' | 'off';
  readonly login: { readonly user: string; readonly pass: string } | undefined;
}

/** Name and address in the From of a message. */
export interface MailFrom {
  readonly name: string;
  readonly address: string;
}

const TLS = ['required', 'optional', 'off'] as const;
const DEFAULT_FROM = 'Mandat <ne-pas-repondre@localhost>';

/** The settings of SMTP_URL and MAIL_FROM. */
export class MailConfig {
  /** Undefined if messages are written as files under DATA_DIR. */
  readonly smtp: SmtpServer | undefined;
  readonly from: MailFrom;

  /** @throws ConfigError naming the variable and its form; without the URL, which may contain a password */
  constructor({ smtpUrl, mailFrom, production }: Pick<Config, 'smtpUrl' | 'mailFrom' | 'production'>) {
    this.smtp = smtpUrl ? smtpOf(smtpUrl, production) : undefined;
    if (this.smtp && production && !mailFrom)
      throw new ConfigError('MAIL_FROM must be set with SMTP_URL: an address, or Name <address>.');
    this.from = fromOf(mailFrom || DEFAULT_FROM);
  }
}

function smtpOf(text: string, production: boolean): SmtpServer {
  const refuse = (detail: string): never => {
    throw new ConfigError(`SMTP_URL must be smtp://host:port or smtps://host:port, ${detail}.`);
  };
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname)
    return refuse('with user:password@ if needed');
  if (!['', '/'].includes(url.pathname) || url.hash) return refuse('without a path or a fragment');
  if (Boolean(url.username) !== Boolean(url.password))
    return refuse('with both a user and a password, or neither');
  const decoded = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      return refuse('with special characters of user and password percent-encoded');
    }
  };
  const login = url.username ? { user: decoded(url.username), pass: decoded(url.password) } : undefined;
  for (const name of url.searchParams.keys()) if (name !== 'tls') return refuse('with no parameter but tls');
  const secure = url.protocol === 'smtps:';
  const [said, ...more] = url.searchParams.getAll('tls');
  const tls = TLS.find((one) => one === said);
  if (more.length > 0 || tls !== said) return refuse(`and tls must be one of ${TLS.join(', ')}`);
  if (secure && tls && tls !== 'required') return refuse('and smtps always uses TLS');
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port ? Number(url.port) : secure ? 465 : 587,
    secure,
    // TLS protects the password, except where `tls` says otherwise.
    tls: tls ?? (production || login || secure ? 'required' : 'optional'),
    login,
  };
}

function fromOf(text: string): MailFrom {
  const match = /^(?:"?([^"<>\p{Cc}]*?)"?\s*<([^<>]+)>|([^<>]+))$/u.exec(text.trim());
  const address = match?.[2] ?? match?.[3] ?? '';
  if (!/^[^\s<>()[\],;:\\"@\p{Cc}]+@[^\s<>()[\],;:\\"@\p{Cc}]+$/u.test(address))
    throw new ConfigError('MAIL_FROM must be an address, or Name <address>.');
  return { name: match?.[1]?.trim() ?? '', address };
}
