import type { Options, SMTPError } from 'nodemailer/lib/smtp-connection';
import type { SmtpServer } from './mail-config';
import type { Delivered, Gate, Mail, Mailer } from './mailer';
import { SmtpSession } from './smtp-session';

const CONNECT_MS = 15_000;
const GREETING_MS = 30_000;
const LOOKUP_MS = 10_000;

/** Time limit for the response to the final dot (RFC 5321, section 4.5.3.2.6). */
const SILENCE_MS = 600_000;

/** Maximum messages over one connection, because some servers refuse more. */
const MOST_OF_ONE = 100;

/** Time to keep an idle connection, in ms: less than that of servers. */
const IDLE_MS = 10_000;

/** Sends messages by SMTP and reuses connections. */
export class SmtpMailer implements Mailer {
  private readonly idle: SmtpSession[] = [];
  private readonly open = new Set<SmtpSession>();
  private readonly options: Options;

  constructor(
    private readonly server: SmtpServer,
    private readonly from: string,
  ) {
    const { host, port, secure, tls } = server;
    this.options = {
      host,
      port,
      secure,
      requireTLS: tls === 'required' && !secure,
      ignoreTLS: tls === 'off',
      opportunisticTLS: tls === 'optional',
      // Where TLS is optional, an unverified certificate is better than no encryption.
      tls: { rejectUnauthorized: secure || tls === 'required' },
      connectionTimeout: CONNECT_MS,
      greetingTimeout: GREETING_MS,
      dnsTimeout: LOOKUP_MS,
      socketTimeout: SILENCE_MS,
      logger: false,
    };
  }

  async deliver(mail: Mail, gate: Gate): Promise<Delivered> {
    for (;;) {
      const kept = this.takeIdle();
      let session = kept;
      try {
        session ??= await SmtpSession.open(this.options, this.server.login);
      } catch (error) {
        return { result: 'unreachable', reason: reasonOf(error as SMTPError) };
      }
      this.open.add(session);
      const { isLost, ...delivered } = await session.send(this.from, mail, gate);
      this.open.delete(session);
      this.keep(session);
      // The server had closed the idle connection: send this message over another one.
      if (!(kept && isLost)) return delivered;
    }
  }

  /** Connects and logs in. @returns why that fails; undefined if it succeeds */
  async fault(): Promise<string | undefined> {
    try {
      (await SmtpSession.open(this.options, this.server.login)).quit();
      return undefined;
    } catch (error) {
      return reasonOf(error as SMTPError);
    }
  }

  close(): void {
    for (const session of this.idle.splice(0)) session.quit();
    for (const session of this.open) session.close();
  }

  private takeIdle(): SmtpSession | undefined {
    for (let session = this.idle.pop(); session; session = this.idle.pop())
      if (session.isOpen) return session;
    return undefined;
  }

  private keep(session: SmtpSession): void {
    if (!session.isOpen) return;
    if (session.count >= MOST_OF_ONE) {
      session.quit();
      return;
    }
    this.idle.push(session);
    setTimeout(() => {
      const place = this.idle.indexOf(session);
      if (place < 0) return;
      this.idle.splice(place, 1);
      if (session.isOpen) session.quit();
    }, IDLE_MS).unref();
  }
}

/** Returns the error without the server's text, which may quote personal data. */
function reasonOf({ code, responseCode, command, ...rest }: SMTPError): string {
  const { originalCode } = rest as { originalCode?: string };
  return [command, responseCode ?? originalCode ?? code ?? 'closed'].filter(Boolean).join(': ');
}
