import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { EXIT, Failure, UsageFailure } from '../failure.js';
import type { Profile } from '../profile.js';

/** Timeout of the receiver's response, as in the service. */
const TIMEOUT_MS = 15_000;

/** State stored between two runs, for one service and key. */
interface Kept {
  secret: string;
  /** Place in the feed by type of event; '' for all types. */
  readonly curseurs: Record<string, string>;
}

/** Place in the feed. */
export interface Place {
  readonly curseur: string | undefined;
  keep(curseur: string | undefined): void;
}

/** An answer of the receiver. */
export interface Sent {
  readonly accepte: boolean;
  readonly statut?: number;
  readonly erreur?: string;
  readonly dureeMs: number;
}

/** A receiver of webhooks, to which events are sent in the form and with the signature of the service (Standard Webhooks 1.0). */
export class Receiver {
  private constructor(
    private readonly url: string,
    private readonly file: string,
    private readonly kept: Kept,
    private readonly secret: string,
    /** The secret as the user finds it. */
    readonly secretSource: string,
  ) {}

  /** @throws UsageFailure for an address or a secret that cannot be used */
  static at(url: string, { url: service, cle }: Profile): Receiver {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new UsageFailure('--vers is no address. It must begin with https:// or http://.');
    const name = createHash('sha256').update(`${service}\n${cle}`).digest('hex').slice(0, 16);
    const file = join(homedir(), '.config', 'mandat', `ecoute-${name}.json`);
    const kept = read(file);
    const given = process.env['MANDAT_WEBHOOK_SECRET'];
    if (given !== undefined && !/^whsec_[A-Za-z0-9+/]{32,}=*$/.test(given))
      throw new UsageFailure(
        'MANDAT_WEBHOOK_SECRET is no secret of an endpoint. It begins with whsec_, and base64 follows.',
      );
    return new Receiver(
      url,
      file,
      kept,
      given ?? kept.secret,
      given ? 'MANDAT_WEBHOOK_SECRET' : `${kept.secret} (of ${file})`,
    );
  }

  place(type = ''): Place {
    const { kept, file } = this;
    return {
      get curseur() {
        return kept.curseurs[type];
      },
      keep: (curseur) => {
        if (curseur === undefined || curseur === kept.curseurs[type]) return;
        kept.curseurs[type] = curseur;
        write(file, kept);
      },
    };
  }

  /** Sends an event once. */
  async send({ id, ...event }: { readonly id: string; readonly type: string }): Promise<Sent> {
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const key = Buffer.from(this.secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const start = performance.now();
    const after = (): number => Math.round(performance.now() - start);
    try {
      const { status, body: answer } = await fetch(this.url, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'user-agent': 'Mandat-CLI/1', 'webhook-id': id },
          ...{ 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer?.cancel();
      return { accepte: status >= 200 && status < 300, statut: status, dureeMs: after() };
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } };
      return { accepte: false, erreur: cause?.code ?? message, dureeMs: after() };
    }
  }
}

function read(file: string): Kept {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new Failure(EXIT.failed, `${file} cannot be read. Delete it to begin with the next event.`);
  }
  const kept = { secret: `whsec_${randomBytes(32).toString('base64')}`, curseurs: {} };
  write(file, kept);
  return kept;
}

/** Replaces the file in one step, because a command may be stopped at any time. */
function write(file: string, kept: Kept): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new Failure(
      EXIT.failed,
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}), so the place in the feed is not kept.`,
    );
  }
}
