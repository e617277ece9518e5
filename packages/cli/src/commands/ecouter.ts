import { eachPage, type EvenementItem, follow, type ListPage, type Paging } from '@mandat/client';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, type ExitCode } from '../failure.js';
import { print, shown } from '../output.js';
import type { Context } from './context.js';
import { failureOf } from './problems.js';
import { Receiver } from './receiver.js';

/** Events of a page. After a stop, events of the page that was not finished are delivered again. */
const PAGE = 20;

/** Waits after failures of one event, in s; the last one repeats. */
const WAITS = [1, 2, 5, 10, 30];

export interface ListenOptions {
  readonly to: string;
  readonly type: string | undefined;
  readonly fromStart: boolean;
  readonly once: boolean;
}

/** `mandat ecouter`: delivers the events of the feed, in their order, and keeps its place. */
export async function listenCommand(context: Context, options: ListenOptions): Promise<ExitCode> {
  const receiver = Receiver.at(options.to, context.profile);
  try {
    const list = (paging: Paging) =>
      context.mandat.evenements.list({
        query: { ...paging, ...(options.type ? { type: options.type as EvenementItem['type'] } : {}) },
      });
    // The first time without a place, old events are left out.
    const place = receiver.place(options.type);
    if (place.curseur === undefined && !options.fromStart) {
      // An empty feed has no place: the next run begins at its start.
      let last = '';
      for await (const { curseur } of eachPage(list, { limite: 1_000 })) last = curseur ?? last;
      place.keep(last);
    }
    if (!context.isJson)
      print([
        `Delivering ${options.type ?? 'all events'} to ${shown(options.to)}, signed with ${receiver.secretSource}`,
      ]);
    const paging = { limite: PAGE, ...(place.curseur ? { curseur: place.curseur } : {}) };
    const pages: AsyncIterable<ListPage<EvenementItem>> = options.once
      ? eachPage(list, paging)
      : follow(list, paging);
    for await (const { items, curseur } of pages) {
      for (const event of items) await deliver(receiver, event, context.isJson);
      place.keep(curseur);
    }
    return EXIT.done;
  } catch (error) {
    throw await failureOf(error, context, undefined);
  }
}

/** Sends an event until the receiver accepts it, as the service does, because no event may be lost. */
async function deliver(receiver: Receiver, event: EvenementItem, isJson: boolean): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const sent = await receiver.send(event);
    const wait = WAITS[Math.min(attempt, WAITS.length - 1)]!;
    const { id, type } = event;
    if (isJson) print([JSON.stringify({ id, type, ...sent })]);
    else print([`${lineOf(event, sent)}${sent.accepte ? '' : `; again in ${wait} s`}`]);
    if (sent.accepte) return;
    await delay(wait * 1_000);
  }
}

/** Returns `adhesion.signee 0198… → 204 in 12 ms`. */
export function lineOf(
  { id, type }: { readonly id: string; readonly type: string },
  { statut, erreur, dureeMs }: Awaited<ReturnType<Receiver['send']>>,
): string {
  return `${shown(type)} ${shown(id)} → ${statut ?? shown(erreur!)} in ${dureeMs} ms`;
}
