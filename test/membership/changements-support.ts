import type { Answer, TestApp, TestTenant } from '../setup/test-app';

export const CHANGEMENTS = '/b2b/v2/changement';

export interface Changement {
  readonly id: string;
  readonly entite: string;
  readonly idExterne: string;
  readonly idExterneEmploye?: string;
  readonly nature: string;
  readonly date: string;
  readonly origine: string;
  readonly syncId?: string;
}

/** Follows the feed of changes from link to link, like a partner who stores the last link. */
export class Follower {
  constructor(
    protected readonly app: TestApp,
    protected readonly caller: TestTenant,
    public next = `${CHANGEMENTS}?limite=7`,
  ) {}

  /** Returns the changes since the last call. */
  async rest(): Promise<Changement[]> {
    const all: Changement[] = [];
    for (;;) {
      const answer: Answer = await this.app.send(this.caller, 'GET', this.next);
      expect(answer.status).toBe(200);
      const [, url] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
      this.next = url!.slice(this.app.config.publicUrl.length);
      if (answer.json.length === 0) return all;
      all.push(...(answer.json as Changement[]));
    }
  }
}

/** Reads of the records of each kind. */
const READS = {
  employes: '/b2b/v2/employe',
  employesV1: '/b2b/v1/employe',
  employeurs: '/b2b/v1/employeur',
  syndicats: '/b2b/v2/syndicat',
  objets: '/b2b/v2/objet-consentement',
} as const;
type Kind = keyof typeof READS;

/** A copy of the master data that a partner keeps from the feed: it reads what has changed, and nothing else. */
export class Mirror {
  readonly records: Record<Kind, Map<string, string>> = {
    employes: new Map(),
    employesV1: new Map(),
    employeurs: new Map(),
    syndicats: new Map(),
    objets: new Map(),
  };
  readonly seen: Changement[] = [];
  private readonly follower: Follower;

  constructor(
    private readonly app: TestApp,
    private readonly caller: TestTenant,
  ) {
    this.follower = new Follower(app, caller);
  }

  async follow(): Promise<void> {
    const stale = new Set<string>();
    const changes = await this.follower.rest();
    this.seen.push(...changes);
    for (const { entite, idExterne, idExterneEmploye } of changes) {
      if (entite === 'Employe' || idExterneEmploye !== undefined) {
        stale.add(JSON.stringify(['employes', idExterneEmploye ?? idExterne]));
        stale.add(JSON.stringify(['employesV1', idExterneEmploye ?? idExterne]));
      }
      if (entite === 'Employeur') {
        stale.add(JSON.stringify(['employeurs', idExterne]));
        // A union shows its employers.
        for (const [id, text] of this.records.syndicats)
          if (text.includes(JSON.stringify(idExterne))) stale.add(JSON.stringify(['syndicats', id]));
      }
      if (entite === 'Syndicat') stale.add(JSON.stringify(['syndicats', idExterne]));
      if (entite === 'ObjetConsentement') stale.add(JSON.stringify(['objets', idExterne]));
    }
    for (const one of stale) {
      const [kind, id] = JSON.parse(one) as [Kind, string];
      const { status, text } = await this.app.send(
        this.caller,
        'GET',
        `${READS[kind]}/${encodeURIComponent(id)}`,
      );
      if (status === 200) this.records[kind].set(id, text);
      else this.records[kind].delete(id);
    }
  }

  /** Returns the mirrored records and those of the service, both sorted by identifier. */
  async compared(): Promise<{ mirrored: object; stored: object }> {
    const sorted = (entries: Iterable<[string, string]>): [string, string][] =>
      [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
    const mirrored: Record<string, unknown> = {};
    const stored: Record<string, unknown> = {};
    for (const kind of Object.keys(READS) as Kind[]) {
      const { json } = await this.app.send(this.caller, 'GET', READS[kind]);
      mirrored[kind] = sorted(this.records[kind]);
      stored[kind] = sorted(
        (json as Record<string, string>[]).map((item) => [
          item.idExterne ?? item.identifiantExterne!,
          JSON.stringify(item),
        ]),
      );
    }
    return { mirrored, stored };
  }
}
