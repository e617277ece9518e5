import { randomUUID } from 'node:crypto';
import type { TestApp, TestTenant } from '../../setup/test-app';
import { Campaigns } from '../../voting/support/campaigns';
import { ballot, type Vote, Votes } from '../../voting/support/votes';
import type { Answer, Fleet } from './fleet';

const EMPLOYEES = 10;

/** A mark in the names of all persons of one tenant. */
const MARK = /~(\d+)~/g;

interface Tenant {
  readonly number: number;
  readonly space: TestTenant;
  readonly platform: string;
  readonly vote: Vote | undefined;
  /**
   * First names that were sent, by employee. The order of concurrent writes is unknown, so each of them may be stored.
   */
  readonly sent: Map<string, Set<string>>;
  ballots: number;
  voter: number;
}

export interface MixResult {
  /** Rows of another tenant in responses. */
  leaks: number;
  /** Unexpected responses. */
  readonly errors: string[];
  readonly counts: Record<string, number>;
}

/**
 * Tenants whose employees have the same identifiers and other names, and requests of all kinds in their data spaces.
 */
export class TenantMix {
  readonly result: MixResult = { leaks: 0, errors: [], counts: {} };

  private constructor(
    private readonly app: TestApp,
    private readonly tenants: readonly Tenant[],
  ) {}

  /**
   * Creates the tenants by an application with a direct connection to the database. @param voters of the vote of every
   * fifth tenant
   */
  static async make(app: TestApp, count: number, voters: number): Promise<TenantMix> {
    const tenants: Tenant[] = [];
    for (let number = 0; number < count; number++) {
      const space = await app.tenant();
      const Employes = Array.from({ length: EMPLOYEES }, (_, index) =>
        person(number, `E-${index}`, 'Premier'),
      );
      const synced = await app.send(space, 'POST', '/b2b/v2/sync', { Employes });
      if (synced.status !== 200) throw new Error(synced.text);
      const votes =
        voters > 0 && number % 5 === 0 ? await Votes.of(app, new Campaigns(app, space)) : undefined;
      tenants.push({
        number,
        space,
        platform: votes ? votes.platform.cle : '',
        vote: await votes?.opened(voters),
        sent: new Map(Employes.map(({ IdExterne }) => [IdExterne, new Set(['Premier'])])),
        ballots: 0,
        voter: 0,
      });
    }
    return new TenantMix(app, tenants);
  }

  /** Sends requests of alternating tenants, some at once. */
  async run(fleet: Fleet, url: string, requests: number, callers: number): Promise<void> {
    let left = requests;
    const caller = async (): Promise<void> => {
      while (left-- > 0) {
        const tenant = this.tenants[Math.floor(Math.random() * this.tenants.length)]!;
        await this.one(fleet, url, tenant).catch((error: Error) => this.result.errors.push(String(error)));
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }

  private async one(fleet: Fleet, url: string, tenant: Tenant): Promise<void> {
    const { space, number } = tenant;
    const send = (kind: string, due: number, method: string, path: string, body?: unknown, more = {}) => {
      this.result.counts[kind] = (this.result.counts[kind] ?? 0) + 1;
      return fleet.send(url, space.cle, method, path, body, more).then((answer) => {
        this.look(answer, kind, number, due);
        return answer;
      });
    };
    const dice = Math.random();
    const known = `E-${Math.floor(Math.random() * EMPLOYEES)}`;
    const [prenom, fresh] = [`P-${randomUUID()}`, `N-${randomUUID()}`];
    if (dice < 0.35) {
      await send('read', 200, 'GET', `/b2b/v1/employe/${known}`);
    } else if (dice < 0.5) {
      await send('list', 200, 'GET', `/b2b/v1/employe?limite=20`);
    } else if (dice < 0.55) {
      await send('list', 200, 'GET', `/b2b/v2/employe?limite=20`);
    } else if (dice < 0.7) {
      const repeatable = dice < 0.62 ? { 'idempotency-key': randomUUID() } : {};
      note(tenant, fresh, prenom);
      await send('create', 201, 'POST', '/b2b/v1/employe', personV1(number, fresh, prenom), repeatable);
    } else if (dice < 0.8) {
      note(tenant, known, prenom);
      await send('replace', 200, 'PUT', '/b2b/v1/employe', personV1(number, known, prenom));
    } else if (dice < 0.82 || tenant.vote === undefined || tenant.voter >= tenant.vote.voters.length) {
      for (const id of [fresh, known]) note(tenant, id, prenom);
      const Employes = [fresh, known].map((id) => person(number, id, prenom));
      const { json } = await send('sync', 200, 'POST', '/b2b/v2/sync', { Employes });
      const { AddCount, UpdateCount } = json?.Employes ?? {};
      if (AddCount !== 1 || UpdateCount !== 1) this.result.errors.push(`sync: ${JSON.stringify(json)}`);
    } else {
      const path = `/plateforme/v1/campagnes/${tenant.vote.id}/bulletins`;
      const body = ballot(tenant.vote, tenant.voter++);
      this.result.counts.vote = (this.result.counts.vote ?? 0) + 1;
      const answer = await fleet.send(url, tenant.platform, 'POST', path, body);
      this.look(answer, 'vote', number, 201);
      if (answer.status === 201) tenant.ballots += 1;
    }
  }

  private look(answer: Answer, kind: string, number: number, due: number): void {
    const marks = [...answer.text.matchAll(MARK)].map(([, mark]) => Number(mark));
    this.result.leaks += marks.filter((mark) => mark !== number).length;
    const isWhole = answer.status === due && (kind === 'vote' || kind === 'sync' || marks.length > 0);
    if (!isWhole) this.result.errors.push(`${kind}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }

  /** Ids of the tenants, with the mark of each. */
  marks(): { tenantId: string; nom: string }[] {
    return this.tenants.map(({ space, number }) => ({ tenantId: space.tenantId, nom: nameOf(number) }));
  }

  /** Rows that are in another tenant's data space, missing or changed, and ballots that are not counted. */
  async misplaced(): Promise<number> {
    let wrong = 0;
    for (const { number, space, sent, vote, ballots } of this.tenants) {
      const { rows } = await this.app.database.query<{ id: string; prenom: string; nom: string }>(
        'SELECT id_externe AS id, prenom, nom FROM employe WHERE tenant_id = $1',
        [space.tenantId],
      );
      wrong += rows.filter(
        ({ id, prenom, nom }) => nom !== nameOf(number) || !sent.get(id)?.has(prenom),
      ).length;
      wrong += Math.abs(sent.size - rows.length);
      if (!vote) continue;
      const { rows: box } = await this.app.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM bulletin WHERE tenant_id = $1 AND campagne_id = $2`,
        [space.tenantId, vote.id],
      );
      wrong += Math.abs(ballots - box[0]!.count);
    }
    return wrong;
  }
}

function note({ sent }: Tenant, id: string, prenom: string): void {
  sent.set(id, new Set([...(sent.get(id) ?? []), prenom]));
}

const nameOf = (number: number): string => `Roy ~${number}~`;

function person(number: number, IdExterne: string, Prenom: string) {
  return { IdExterne, Prenom, Nom: nameOf(number) };
}

function personV1(number: number, idExterne: string, prenom: string): object {
  return { idExterne, prenom, nom: nameOf(number) };
}
