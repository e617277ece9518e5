import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { type Environment, ENVIRONMENTS, MODULES, type Role } from '../../../libs/access/src/caller';
import { Mortal } from '../../http/mortal';

/**
 * Callers close a connection that they have not used for this long, before a process that stops closes it: a request at that
 * moment would have no response.
 */
const IDLE_MS = 1_000;

/** A data space created through the administrators' routes, with a partner key and a platform key. */
export interface FleetSpace {
  readonly clientId: string;
  readonly partner: string;
  readonly partnerId: string;
  readonly platform: string;
}

/** A client, or a key. */
interface Made {
  readonly id: string;
  readonly cle: string;
}

/** A response; `json` is undefined if the body is not JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- read as loosely as other tests read answers
  readonly json: any;
}

export interface FleetOptions {
  readonly apis?: number;
  readonly workers?: number;
  readonly env?: Record<string, string>;
  /** The folder of another release. */
  readonly release?: string;
}

/** Built processes on one database, as in production. */
export class Fleet {
  private readonly agent = new Agent({
    connections: 64,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: IDLE_MS,
  });

  private constructor(
    readonly adminKey: string,
    readonly env: Record<string, string>,
    readonly apis: readonly Mortal[],
    readonly workers: readonly Mortal[],
  ) {}

  static async start(
    databaseUrl: string,
    { apis = 1, workers = 0, env = {}, release }: FleetOptions = {},
  ): Promise<Fleet> {
    const adminKey = randomBytes(32).toString('hex');
    const all = {
      DATABASE_URL: databaseUrl,
      ADMIN_API_KEY: adminKey,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      DOSSIER_SIGNING_KEY: randomBytes(32).toString('base64'),
      WEBHOOK_ALLOW_INSECURE: 'true',
      RATE_LIMIT_PER_MINUTE: '10000000',
      SHUTDOWN_DELAY_MS: '0',
      ...env,
    };
    const fleet = new Fleet(
      adminKey,
      all,
      Array.from({ length: apis }, () => new Mortal('partner-api', all, release)),
      Array.from({ length: workers }, () => new Mortal('worker', all, release)),
    );
    await Promise.all([...fleet.apis, ...fleet.workers].map((one) => one.url()));
    return fleet;
  }

  /** Creates a client with its keys, through the first API. */
  async space(limiteParMinute: number | null = null): Promise<FleetSpace> {
    const [space] = await this.spaces(limiteParMinute, ['staging']);
    return space!;
  }

  /** Creates a client with a data space and its keys in each of these environments. */
  async spaces(
    limiteParMinute: number | null,
    environments: readonly Environment[] = ENVIRONMENTS,
  ): Promise<FleetSpace[]> {
    const modules = [...MODULES];
    const { id } = await this.make('', { nom: `Client ${randomUUID()}`, modules, limiteParMinute });
    const spaces: FleetSpace[] = [];
    for (const environnement of environments) {
      const partner = await this.key(id, environnement);
      const platform = await this.key(id, environnement, 'plateforme');
      spaces.push({ clientId: id, partner: partner.cle, partnerId: partner.id, platform: platform.cle });
    }
    return spaces;
  }

  /** Issues a key of a client. */
  key(clientId: string, environnement: Environment, role: Role = 'partenaire'): Promise<Made> {
    return this.make(`/${clientId}/cles`, { nom: 'Essai', environnement, role });
  }

  private async make(path: string, body: object): Promise<Made> {
    const url = await this.apis[0]!.url();
    const answer = await this.send(url, this.adminKey, 'POST', `/admin/v1/clients${path}`, body);
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json as Made;
  }

  /**
   * Sends one request; an object as body is sent as JSON.
   *
   * @throws Error without a complete response
   */
  async send(
    url: string,
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await request(url + path, {
      dispatcher: this.agent,
      method: method as 'GET',
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text, json: parse(text) };
  }

  /** Sends requests with a key to an API. @throws Error for a response that is no success */
  asker(url: () => string | Promise<string>, key: string) {
    return async (method: string, path: string, body?: unknown): Promise<Answer['json']> => {
      const answer = await this.send(await url(), key, method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json;
    };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.apis, ...this.workers].map((one) => one.end()));
    await this.agent.destroy();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
