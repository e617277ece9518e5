import type { INestApplication } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Scenario } from '../../../libs/webhooks/src/domain/certification.types';
import type { Answer } from '../../setup/test-app';
import { type Received, type Receiver, until } from './receiver';
import { type Endpoint, PATH, type Space } from './space';

/** A certification as the API returns it. */
export interface Certification {
  id: string;
  verdict: string | null;
  niveaux: { transport: string | null; traitement: string | null };
  scenarios: { nom: Scenario; observe: string | null; conseil: string | null; resultat: string | null }[];
  raison: string | null;
  dateFin: string | null;
}

/** Limit of a slow answer in the tests, in ms. */
export const SLOW_MS = 1_500;

/** Place of the first request of a scenario among those of a certification. */
const FIRST = { valide: 0, mauvaisSecret: 9, reponseLente: 16 } as const;

/** A receiver of a partner, which verifies, deduplicates and processes events, perhaps with one fault. */
export class PartnerReceiver {
  /** The proofs of the events that it has processed. */
  readonly traites: string[] = [];
  private readonly seen = new Set<string>();
  private readonly standard: Webhook;
  private count = 0;
  private inFlight = 0;
  private last = '';

  constructor(
    secret: string,
    private readonly fault?: Scenario,
  ) {
    this.standard = new Webhook(secret);
  }

  /** Receives the requests to a path. */
  static at(receiver: Receiver, path: string, secret: string, fault?: Scenario): PartnerReceiver {
    const partner = new PartnerReceiver(secret, fault);
    receiver.behaviours.set(path, (received, response) => void partner.take(received, response));
    return partner;
  }

  private async take(received: Received, response: ServerResponse): Promise<void> {
    const place = this.count++;
    this.inFlight += 1;
    const isCrowded = this.inFlight > 1 && this.fault === 'dixALaFois';
    if (this.fault === 'dixALaFois') await sleep(30);
    if (this.fault === 'reponseLente' && place === FIRST.reponseLente) await sleep(SLOW_MS + 200);
    const status = isCrowded ? 503 : this.statusOf(received, place);
    this.inFlight -= 1;
    response.writeHead(status).end();
  }

  private statusOf({ headers, body }: Received, place: number): number {
    if (this.fault === 'valide' && place === FIRST.valide) return 500;
    if (!this.isSigned(headers as Record<string, string>, body, place)) return 401;
    const event = JSON.parse(body);
    const id = String(headers['webhook-id']);
    if (this.seen.has(id) && this.fault !== 'doublon') return 204;
    this.seen.add(id);
    if (this.fault === 'desordre' && event.timestamp < this.last) return 204;
    this.last = event.timestamp;
    if (this.fault === 'proprieteInconnue' && Object.keys(event.data).length > 3) return 400;
    this.traites.push(event.data.defi);
    return 204;
  }

  private isSigned(headers: Record<string, string>, body: string, place: number): boolean {
    if (this.fault === 'mauvaisSecret' && place === FIRST.mauvaisSecret) return true;
    if (this.fault === 'enTeteManquant' && !headers['webhook-signature']) return true;
    const [first] = (headers['webhook-signature'] ?? '').split(' ');
    const signature = this.fault === 'deuxSignatures' ? first : headers['webhook-signature'];
    const text = {
      corpsAltere: body.replace('"timestamp":"1', '"timestamp":"2'),
      accentsEtEmoji: Buffer.from(body).toString('latin1'),
    };
    const signed = text[this.fault as keyof typeof text] ?? body;
    const aheadMs = Number(headers['webhook-timestamp']) * 1_000 - Date.now();
    const isUnchecked = this.fault === (aheadMs > 0 ? 'horodatageFutur' : 'horodatagePasse');
    const now = jest.spyOn(Date, 'now');
    try {
      if (isUnchecked && Math.abs(aheadMs) > 300_000) now.mockReturnValue(Date.now() + aheadMs);
      this.standard.verify(signed, { ...headers, 'webhook-signature': signature! });
      return true;
    } catch {
      return false;
    } finally {
      now.mockRestore();
    }
  }
}

export const certify = (space: Space, { id }: Pick<Endpoint, 'id'>): Promise<Answer> =>
  space.send('POST', `${PATH}/${id}/certification`);

export async function certification(space: Space, { id }: Pick<Endpoint, 'id'>): Promise<Certification> {
  const { status, json, text } = await space.send('GET', `${PATH}/${id}/certification`);
  if (status !== 200) throw new Error(text);
  return json;
}

/** Waits for the end of the last certification of an endpoint. */
export async function verdict(space: Space, endpoint: Pick<Endpoint, 'id'>): Promise<Certification> {
  let found: Certification | undefined;
  await until('the certification has ended', async () => {
    found = await certification(space, endpoint);
    return found.verdict !== null;
  });
  return found!;
}

/** Sends what a receiver has processed. */
export const prove = (
  space: Space,
  { id }: Pick<Endpoint, 'id'>,
  certificationId: string,
  traites: unknown,
): Promise<Answer> =>
  space.send('POST', `${PATH}/${id}/certification/${certificationId}/constats`, { traites });

/** The names of the scenarios with a result. */
export const namesOf = ({ scenarios }: Certification, resultat: string | null): Scenario[] =>
  scenarios.filter((one) => one.resultat === resultat).map(({ nom }) => nom);

/** Closes the workers of a test. */
export async function closeWorkers(workers: INestApplication[]): Promise<void> {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
}
