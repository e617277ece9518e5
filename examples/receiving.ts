import {
  type Partenaire,
  ProblemError,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
} from '@mandat/client';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stop } from './checks';
import { ENDPOINT } from './leftovers';
import { say, title } from './screen';

type Body = Parameters<Partenaire['webhooks']['create']>[0]['body'];

const WAIT_MS = 30_000;

/** A partner's receiver, registered at the service. It verifies each delivery and stores the event. */
export class Receiver {
  private readonly events = new Map<string, WebhookEvent>();
  private secret = '';
  private id = '';
  /** The number of deliveries without a valid signature. */
  refused = 0;

  private constructor(
    private readonly partner: Partenaire,
    private readonly server: Server,
  ) {}

  /** @returns undefined if the service does not deliver to this machine */
  static async register(partner: Partenaire, types: readonly string[]): Promise<Receiver | undefined> {
    title('The partner subscribes to events', 'POST /b2b/v2/webhook');
    const server = createServer((request, response) => void receiver.take(request, response));
    const receiver = new Receiver(partner, server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
    try {
      const { data, response } = await partner.webhooks.create({
        body: { url, types, description: ENDPOINT } as Body,
      });
      receiver.secret = data.secret!;
      receiver.id = data.id;
      say(`${response.status}: ${types.join(' and ')} are sent to ${url}`);
      return receiver;
    } catch (error) {
      server.close();
      if (!(error instanceof ProblemError) || error.status !== 400) throw error;
      say(`${error.status}: ${error.errors?.[0]?.detail ?? error.detail}`);
      say(
        'Not shown: start the service with npm start, or with WEBHOOK_ALLOW_INSECURE=true, for one machine only.',
      );
      return undefined;
    }
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      // The signature is for these exact bytes, so they are verified before they are parsed.
      const event = verifyWebhook(request.headers, await text(request), [this.secret]);
      this.events.set(event.id, event);
      response.writeHead(204).end();
    } catch (error) {
      if (error instanceof WebhookError) this.refused++;
      // A sender that disconnects ends only this request.
      response.writeHead(401).end();
    }
  }

  /**
   * Waits for an event that was not returned before.
   *
   * @throws Stop if none arrives
   */
  async next(type: string): Promise<WebhookEvent> {
    const until = Date.now() + WAIT_MS;
    while (Date.now() < until) {
      const found = [...this.events.values()].find((event) => event.type === type);
      if (found) {
        this.events.delete(found.id);
        return found;
      }
      await sleep(50);
    }
    throw new Stop(
      `No ${type} arrived within ${WAIT_MS / 1_000} s. Is a worker running? \`npm start\` starts one.`,
    );
  }

  /** Removes the registration. */
  async close(): Promise<void> {
    try {
      await this.partner.webhooks.delete({ path: { id: this.id } });
    } finally {
      this.server.closeAllConnections();
      this.server.close();
    }
  }
}
