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

const PATIENCE_MS = 30_000;

/** A partner's receiver, registered at the service: it verifies each delivery and keeps the event. */
export class Receiver {
  private readonly events = new Map<string, WebhookEvent>();
  private secret = '';
  private id = '';
  /** What came without a signature that holds. */
  refused = 0;

  private constructor(
    private readonly partner: Partenaire,
    private readonly server: Server,
  ) {}

  /** @returns undefined where the service sends nothing to this machine, which is said */
  static async register(partner: Partenaire, types: readonly string[]): Promise<Receiver | undefined> {
    title('The partner wants to hear of it', 'POST /b2b/v2/webhook');
    const server = createServer((request, response) => void receiver.take(request, response));
    const receiver = new Receiver(partner, server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
    try {
      const { data, response } = await partner.webhooks.create({
        body: { url, types, description: ENDPOINT } as Body,
      });
      receiver.secret = data.secret;
      receiver.id = data.id;
      say(`${response.status}: ${types.join(' and ')} go to ${url}`);
      return receiver;
    } catch (error) {
      server.close();
      if (!(error instanceof ProblemError) || error.status !== 400) throw error;
      say(`${error.status}: ${error.errors?.[0]?.detail ?? error.detail}`);
      say(
        'Not shown: start the service with WEBHOOK_ALLOW_INSECURE=true npm start, which is for one machine.',
      );
      return undefined;
    }
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      // The signature is over these very bytes: they are verified before they are parsed.
      const event = verifyWebhook(request.headers, await text(request), [this.secret]);
      this.events.set(event.id, event);
      response.writeHead(204).end();
    } catch (error) {
      if (error instanceof WebhookError) this.refused++;
      // Also a sender who breaks off ends nothing but this request.
      response.writeHead(401).end();
    }
  }

  /**
   * Waits for an event that has not been told of yet.
   *
   * @throws Stop when none comes
   */
  async next(type: string): Promise<WebhookEvent> {
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until) {
      const found = [...this.events.values()].find((event) => event.type === type);
      if (found) {
        this.events.delete(found.id);
        return found;
      }
      await sleep(50);
    }
    throw new Stop(
      `No ${type} came within ${PATIENCE_MS / 1_000} s: no worker sends it. \`npm start\` runs one.`,
    );
  }

  /** Is registered no more. */
  async close(): Promise<void> {
    try {
      await this.partner.webhooks.delete({ path: { id: this.id } });
    } finally {
      this.server.closeAllConnections();
      this.server.close();
    }
  }
}
