import type { KeyRing } from './key-ring';

/** The only cell without CELLS: the directory itself. */
export const PRINCIPAL = 'principal';

/** Everything the processes read from their environment. The README's table of variables lists the same names. */
export class Config {
  /** Address that API and worker listen on; every address of the machine if undefined. */
  readonly host: string | undefined;
  /** TCP port of the partner API. */
  readonly port: number;
  /** TCP port of the worker's probes and metrics. */
  readonly workerPort: number;
  /** PostgreSQL connection URL of the directory: clients, keys and limits. */
  readonly databaseUrl: string;
  /** Connection URLs of the cells, which have the data spaces, by their names. */
  readonly cells: ReadonlyMap<string, string>;
  /** Connection URLs of the standbys that serve reads, by the connection URL of their database. */
  readonly standbys: ReadonlyMap<string, readonly string[]>;
  /** How far a standby may be behind its database while it serves reads, in ms. */
  readonly standbyLagMs: number;
  /** The cell whose background work a worker does; undefined for other readers. */
  readonly workerCell: string | undefined;
  /** Where an embedded database and generated secrets live. */
  readonly dataDir: string;
  /** Address under which callers reach the service, without a trailing slash; used in links and error types. */
  readonly publicUrl: string;
  /** The first administrator's key, 32 characters or more; undefined for readers other than the API. */
  readonly adminApiKey: string | undefined;
  /** The keys that encrypt secrets at rest and prove the audit trail. */
  readonly secretsKey: KeyRing;
  /** DOSSIER_SIGNING_KEY as it is set, made once outside production. Voting checks it. */
  readonly dossierSigningKey: string | undefined;
  /** Requests a minute of a key whose client sets no limit of its own. */
  readonly rateLimitPerMinute: number;
  readonly logLevel: string;
  /** Collector that gets spans, by OTLP over HTTP; undefined for no tracing. */
  readonly otlpEndpoint: string | undefined;
  readonly production: boolean;
  /** How long a stopping process keeps serving while load balancers take it out, in milliseconds. */
  readonly shutdownDelayMs: number;
  /** Whether webhooks may go to http and internal addresses: for development. */
  readonly webhookAllowInsecure: boolean;
  /** SMTP_URL as it is set; undefined for readers other than the worker. Messaging checks it. */
  readonly smtpUrl: string | undefined;
  /** MAIL_FROM as it is set; undefined for readers other than the worker. Messaging checks it. */
  readonly mailFrom: string | undefined;
  /** Connections for reads of one process to one database. The sizes of its other pools are multiples of it (`Database`). */
  readonly poolSize: number;

  constructor(values: Omit<Config, never>) {
    Object.assign(this, values);
  }
}
