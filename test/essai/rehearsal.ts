import { Campaigns } from '../voting/support/campaigns';
import type { Answer, TestApp, TestTenant } from '../setup/test-app';

const DAY_MS = 86_400_000;

/** The moment so many days from now, by the real time. */
export const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

/** A data space in rehearsal: its campaigns and its clock. */
export class Rehearsal {
  readonly campaigns: Campaigns;

  constructor(
    private readonly app: TestApp,
    readonly tenant: TestTenant,
  ) {
    this.campaigns = new Campaigns(app, tenant);
  }

  static async of(app: TestApp): Promise<Rehearsal> {
    return new Rehearsal(app, await app.tenant());
  }

  get(): Promise<Answer> {
    return this.app.send(this.tenant, 'GET', '/b2b/v2/essai/horloge');
  }

  put(maintenant: Date | string): Promise<Answer> {
    return this.app.send(this.tenant, 'PUT', '/b2b/v2/essai/horloge', { maintenant });
  }

  /** Moves the clock, which must succeed. */
  async set(maintenant: Date): Promise<void> {
    const { status, text } = await this.put(maintenant);
    if (status !== 200) throw new Error(text);
  }

  avancer(jusqua: Date | string): Promise<Answer> {
    return this.app.send(this.tenant, 'POST', '/b2b/v2/essai/horloge/avancer', { jusqua });
  }

  /** Publishes a campaign that opens and closes so many days from now. @returns its id */
  planned(opening: number, closing: number, titre?: string): Promise<string> {
    return this.campaigns.scheduled({
      ouvertureDuVoteUtc: inDays(opening).toISOString(),
      fermetureDuVoteUtc: inDays(closing).toISOString(),
      ...(titre ? { titre } : {}),
    });
  }

  /** The feed of events. */
  async events(): Promise<{ type: string; timestamp: string; data: Record<string, string> }[]> {
    return (await this.app.send(this.tenant, 'GET', '/b2b/v2/evenement')).json;
  }
}
