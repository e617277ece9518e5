import { simpleParser, type ParsedMail } from 'mailparser';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

/** A message that the server has accepted with 250. */
export interface Accepted {
  readonly to: string;
  readonly from: string;
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly raw: Buffer;
  /** Parameters of DSN, which the server offers with `hideDSN: false`. */
  readonly dsn: { readonly ret?: string | null; readonly envid?: string | null } | undefined;
}

/** Points at which a server may fail. */
export type Phase = 'connect' | 'mail' | 'rcpt' | 'data' | 'dot';

/** Reaction of the server to a command: a code is sent, and `cut` closes the connection without a response. */
export type Verdict =
  'accept' | 'cut' | { readonly code: number } | Promise<'accept' | 'cut' | { readonly code: number }>;

interface Held {
  readonly id: string;
  readonly _socket: Socket;
}

/** An SMTP server that records its accepted messages, and fails where a test wants it to. */
export class MailServer {
  readonly accepted: Accepted[] = [];
  /** Number of messages that began, with or without an end. */
  begun = 0;
  /** Number of messages whose final dot came. */
  ended = 0;
  /** Called at each phase of each message; the recipient is known from `rcpt` on. */
  judge: (phase: Phase, to: string) => Verdict = () => 'accept';
  /** Delay of the response to a message that has ended. */
  delayMs: () => number = () => 0;
  private server: SMTPServer;
  private isDown = false;
  port = 0;

  private constructor(private readonly options: SMTPServerOptions) {
    this.server = this.make();
  }

  static async start(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
    const server = new MailServer({ disabledCommands: ['AUTH', 'STARTTLS'], ...options });
    await server.listen(port);
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Counts the accepted messages by address. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { to } of this.accepted) counts.set(to, (counts.get(to) ?? 0) + 1);
    return counts;
  }

  /** Returns the parsed messages to one address. */
  async read(to: string): Promise<ParsedMail[]> {
    return Promise.all(this.accepted.filter((one) => one.to === to).map(({ raw }) => simpleParser(raw)));
  }

  /** Returns the parsed messages to all addresses with this prefix. */
  async readAll(start: string): Promise<ParsedMail[]> {
    const found = this.accepted.filter(({ to }) => to.startsWith(start));
    return Promise.all(found.map(({ raw }) => simpleParser(raw)));
  }

  /** Listens again after a stop, on the same port. */
  async listen(port = this.port): Promise<void> {
    this.server = this.make();
    this.isDown = false;
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', () => resolve()));
    this.port = (this.server.server.address() as AddressInfo).port;
  }

  /** Closes every connection and rejects new ones. Responses that were already sent still arrive. */
  async stop(): Promise<void> {
    this.isDown = true;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const { _socket } of this.held()) _socket.destroySoon();
    await closed;
  }

  private held(): Held[] {
    return [...(this.server as unknown as { connections: Set<Held> }).connections];
  }

  private cut(session: SMTPServerSession): void {
    for (const { id, _socket } of this.held()) if (id === session.id) _socket.resetAndDestroy();
  }

  private make(): SMTPServer {
    const decide = async (
      phase: Phase,
      session: SMTPServerSession,
      to: string,
      done: (error?: Error | null) => void,
      onAccept: () => void = () => undefined,
    ): Promise<void> => {
      const verdict = await this.judge(phase, to);
      if (verdict === 'cut') return this.cut(session);
      if (verdict === 'accept') {
        if (phase === 'dot') await sleep(this.delayMs());
        // The dying server accepts a message only if it has sent the response.
        if (this.isDown) return;
        onAccept();
        return done();
      }
      done(Object.assign(new Error(`no, ${to}`), { responseCode: verdict.code }));
    };
    const server = new SMTPServer({
      logger: false,
      ...this.options,
      onConnect: (session, done) => void decide('connect', session, '', done),
      onMailFrom: (_address, session, done) => void decide('mail', session, '', done),
      onRcptTo: ({ address }, session, done) => void decide('rcpt', session, address, done),
      onData: (stream, session, done) => {
        this.begun += 1;
        const to = session.envelope.rcptTo[0]!.address;
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
        const parts: Buffer[] = [];
        let isCut = false;
        stream.on('data', (part: Buffer) => {
          parts.push(part);
          if (parts.length > 1 || isCut) return;
          const verdict = this.judge('data', to);
          if (verdict === 'cut') {
            isCut = true;
            this.cut(session);
          }
        });
        stream.on('end', () => {
          if (isCut) return;
          this.ended += 1;
          const { dsn } = session.envelope as { dsn?: Accepted['dsn'] };
          const one = {
            to,
            from,
            secure: session.secure,
            user: session.user,
            raw: Buffer.concat(parts),
            dsn,
          };
          void decide('dot', session, to, done, () => this.accepted.push(one));
        });
      },
    });
    server.on('error', () => undefined);
    return server;
  }
}
