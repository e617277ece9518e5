import type { OnApplicationShutdown } from '@nestjs/common';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { DomainError } from '../errors/domain-error';
import { SERVICE } from '../errors/platform.errors';
import { ThreadLimitPassed, Threads } from '../limits/threads';
import { fr, type Text } from '../errors/text';

/** Length up to which a text is cleaned on the main thread, which takes 10 ms at most, in UTF-16 units. */
const SHORT = 4_096;

const RETRY_S = 30;

/** Cleans HTML within its limits, in a thread if it is long. Each client has one text cleaned at a time. */
export abstract class HtmlCleaner<T> implements OnApplicationShutdown {
  private readonly threads: Threads;

  /** @param file calls `cleanInThread` with the same function */
  protected constructor(
    private readonly clients: { clientOf(tenantId: string): Promise<string> },
    file: string,
    private readonly cleaned: (html: string) => T,
  ) {
    this.threads = new Threads(file, { atOnce: 1, memoryMb: 128, timeMs: 30_000, idleMs: 10_000 });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  /** @throws DomainError `Service.Indisponible` */
  async clean(tenantId: string, html: string): Promise<T> {
    if (html.length <= SHORT) return this.cleaned(html);
    const client = await this.clients.clientOf(tenantId);
    return this.threads.run<T>(client, async (post) => post(html)).catch(throwRefusal);
  }
}

const PASSED: Readonly<Record<ThreadLimitPassed['limit'], Text>> = {
  time: {
    en: 'Cleaning the HTML passed a limit of time. Nothing was changed. Send a simpler text, or repeat later.',
    fr: fr(
      "Le nettoyage du HTML a dépassé une limite de temps. Rien n'a été modifié. Envoyez un texte plus simple, ou répétez la requête plus tard.",
    ),
  },
  memory: {
    en: 'Cleaning the HTML passed a limit of memory. Nothing was changed. Send a simpler text, or repeat later.',
    fr: fr(
      "Le nettoyage du HTML a dépassé une limite de mémoire. Rien n'a été modifié. Envoyez un texte plus simple, ou répétez la requête plus tard.",
    ),
  },
};

function throwRefusal(error: unknown): never {
  if (!(error instanceof ThreadLimitPassed)) throw error;
  throw new DomainError(SERVICE.Indisponible, PASSED[error.limit], { retryAfterSeconds: RETRY_S });
}

/** Answers each text that the thread receives. */
export function cleanInThread(cleaned: (html: string) => unknown): void {
  // Requests and probes come first where all cores are busy. Linux gives each thread a priority, other systems the process.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
  parentPort!.on('message', (html: string) => parentPort!.postMessage(cleaned(html)));
}
