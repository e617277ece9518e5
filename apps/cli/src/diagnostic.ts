import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { MailConfig, SmtpMailer } from '#messaging';
import { MINIMUM_VERSION } from '#platform/database/migrate';
import { DatabaseProbe } from '#platform/database/probe';
import { Config } from '#platform/ops/config';
import type { ConfigError } from '#platform/ops/config-error';
import { loadConfig } from '#platform/ops/load-config';
import { reasonOf } from '#platform/ops/run-process';
import { primaryUrlOf } from '#topology';
import { createResolver } from '#webhooks';
import { Fault, Findings, Skipped } from './findings';
import { assertMigrated, databasesOf } from './migrate';
import { ServiceContext } from './service-context';

/** Clocks that differ more are wrong: synchronised ones differ by milliseconds. */
const MOST_CLOCK_MS = 2_000;
const LEAST_FREE_BYTES = 2 ** 30;
const CONNECT_MS = 5_000;
/** Least time for a standby to reach the primary's position. */
const LEAST_LAG_MS = 2_000;
/** Time for audit trails; `verifier-journal` reads the others. */
const TRAILS_MS = 20_000;

const UNUSABLE = 'the database cannot be used yet';

/** The world outside of the process and its database. */
export interface Outside {
  now(): number;
  /** Addresses of a name, from the name servers. */
  resolve(name: string): Promise<string[]>;
  /** Opens and closes a TLS connection. */
  reach(name: string, address: string): Promise<void>;
  freeBytes(folder: string): Promise<number>;
}

export const OUTSIDE: Outside = {
  now: () => Date.now(),
  resolve: createResolver(),
  reach: async (servername, host) => {
    const socket = connect({ host, port: 443, servername });
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_MS) }).finally(() =>
      socket.on('error', () => undefined).destroy(),
    );
  },
  freeBytes: async (folder) => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};

/**
 * Checks for mistakes of operators, and prints a line for each check, with the remedy of a fault. Changes nothing in the
 * database, and prints no secret. A fault sets exit code 1.
 *
 * @param host a public name, for name servers and the way out
 */
export async function diagnostic(
  env: NodeJS.ProcessEnv,
  { json, host }: { readonly json: boolean; readonly host: string },
  outside = OUTSIDE,
): Promise<void> {
  const findings = new Findings();
  await new Diagnosis(findings, env, host, outside).run();
  findings.print(json);
}

class Diagnosis {
  constructor(
    private readonly findings: Findings,
    private readonly env: NodeJS.ProcessEnv,
    private readonly host: string,
    private readonly outside: Outside,
  ) {}

  async run(): Promise<void> {
    let config: Config | undefined;
    await this.findings.check('configuration', () => {
      const loaded = loadConfig(this.env, 'cli');
      const { DOSSIER_SIGNING_KEY, SMTP_URL, MAIL_FROM } = this.env;
      config = new Config({
        ...{ ...loaded, smtpUrl: SMTP_URL, mailFrom: MAIL_FROM },
        dossierSigningKey: DOSSIER_SIGNING_KEY || loaded.dossierSigningKey,
      });
      return loaded.production ? 'production' : 'not production: NODE_ENV is not set to it';
    });
    if (!config) return;
    let hasSchema = true;
    for (const [url, cell] of databasesOf(config.databaseUrl, this.env.CELLS))
      hasSchema = (await this.database(config, url, cell === undefined ? '' : ` ${cell}`)) && hasSchema;
    await this.stored(config, hasSchema);
    for (const [primary, urls] of config.standbys)
      for (const [index, url] of urls.entries())
        await this.findings.check(`standby ${index + 1}`, () => {
          if (!hasSchema) throw new Skipped(UNUSABLE);
          return standby(primary, url, config!.standbyLagMs);
        });
    await this.findings.check('mail server', () => mailServer(config!));
    await this.wayOut();
    await this.findings.check('disk', () => this.disk(config!.dataDir));
  }

  /** Checks a database. @returns whether it can be used */
  private async database(config: Config, url: string, suffix: string): Promise<boolean> {
    const variable = suffix === '' ? 'DATABASE_URL' : 'CELLS';
    let probe: DatabaseProbe | undefined;
    try {
      const isThere = await this.findings.check(`database${suffix}`, async () => {
        probe = await opened(await primaryUrlOf(url), variable);
        return server(probe);
      });
      if (!probe || !isThere) return false;
      const open = probe;
      const isLogin = await this.findings.check(`login${suffix}`, () =>
        login(open, config.production, variable),
      );
      const isSchema = await this.findings.check(`migrations${suffix}`, () => assertMigrated(open));
      await this.findings.check(`clock${suffix}`, () => this.clock(open));
      return isLogin && isSchema;
    } finally {
      await probe?.close();
    }
  }

  private async clock(probe: DatabaseProbe): Promise<string> {
    const before = this.outside.now();
    const { at } = await probe.server();
    const ahead = Math.round((before + this.outside.now()) / 2 - at);
    if (Math.abs(ahead) > MOST_CLOCK_MS)
      throw new Fault(
        `this machine is ${Math.abs(ahead) / 1_000} s ${ahead > 0 ? 'ahead of' : 'behind'} the database`,
        'Synchronise both clocks (NTP): votes open and close by that of the database, and receivers reject deliveries with a wrong time.',
      );
    return `differs by ${Math.abs(ahead)} ms`;
  }

  /** Checks keys and trails against the data. */
  private async stored(config: Config, hasSchema: boolean): Promise<void> {
    const names = ['SECRETS_KEY', 'audit trails', 'DOSSIER_SIGNING_KEY'] as const;
    const skip = (reason: string): Promise<unknown> =>
      Promise.all(
        names.map((name) =>
          this.findings.check(name, () => {
            throw new Skipped(reason);
          }),
        ),
      );
    if (!hasSchema) return void (await skip(UNUSABLE));
    // The login was checked, and lines of the log would be between the findings.
    const usable = new Config({ ...config, production: false, logLevel: 'silent' });
    await ServiceContext.use(usable, async (services) => {
      const isKey = await this.findings.check(names[0], () => secretsKey(services));
      await this.findings.check(names[1], () => {
        if (!isKey) throw new Skipped('SECRETS_KEY is wrong');
        return trails(services);
      });
      await this.findings.check(names[2], () => signingKey(services));
    }).catch((error: unknown) => skip(reasonOf(error).split('\n')[0]!));
  }

  private async wayOut(): Promise<void> {
    let addresses: string[] = [];
    await this.findings.check('name servers', async () => {
      addresses = await this.outside.resolve(this.host).catch((error: NodeJS.ErrnoException) => {
        throw new Fault(
          `${this.host} is not found (${error.code ?? error.message})`,
          'Correct /etc/resolv.conf, or let workers reach its name servers on port 53: they do not use /etc/hosts.',
        );
      });
      return `${this.host} is ${addresses[0]}`;
    });
    await this.findings.check('way out on 443', async () => {
      if (addresses.length === 0) throw new Skipped('no address is known');
      await this.outside.reach(this.host, addresses[0]!).catch((error: NodeJS.ErrnoException) => {
        throw new Fault(
          `${this.host} cannot be reached (${error.code ?? error.message})`,
          'Let workers connect to public addresses on port 443, without a proxy: webhooks are delivered there.',
        );
      });
      return `${this.host} answers`;
    });
  }

  private async disk(folder: string): Promise<string> {
    let there = folder;
    while (!existsSync(there)) there = dirname(there);
    const free = await this.outside.freeBytes(there);
    const gib = (free / 2 ** 30).toFixed(1);
    if (free < LEAST_FREE_BYTES)
      throw new Fault(`${gib} GiB are free in ${there}`, 'Make room, or set DATA_DIR to another disk.');
    return `${gib} GiB are free in ${there}; look at the database’s disks there`;
  }
}

async function opened(url: string, variable: string): Promise<DatabaseProbe> {
  return DatabaseProbe.open(url).catch((error: NodeJS.ErrnoException) => {
    throw new Fault(
      `cannot be reached (${error.code ?? error.message})`,
      `Check address, login and password in ${variable}, that PostgreSQL runs there, and that the network allows it.`,
    );
  });
}

async function server(probe: DatabaseProbe): Promise<string> {
  const { number, version, encoding, isStandby, size } = await probe.server();
  if (number < MINIMUM_VERSION)
    throw new Fault(`PostgreSQL ${version} is too old`, 'Upgrade it to PostgreSQL 18 or later.');
  if (encoding !== 'UTF8') throw new Fault(`its encoding is ${encoding}`, 'Create it with ENCODING UTF8.');
  if (isStandby)
    throw new Fault(
      'is a standby, which takes no writes',
      'Name the primary, or add target_session_attrs=read-write.',
    );
  return `PostgreSQL ${version}, ${size}`;
}

async function login(probe: DatabaseProbe, isProduction: boolean, variable: string): Promise<string> {
  if (isProduction)
    await probe.assertOwnsNothing(variable).catch((error: ConfigError) => {
      throw new Fault(
        error.message.split('. ')[0]!,
        'Give API and worker a login that owns nothing (docs/operations.md, "First installation").',
      );
    });
  const { name, missing } = await probe.login();
  if (missing)
    throw new Fault(
      `${name} lacks the roles ${missing}`,
      `After the migrations run GRANT ${missing} TO ${name}.`,
    );
  return name;
}

async function secretsKey({ journal, verification }: ServiceContext): Promise<string> {
  const spaces = await journal.spaces();
  const sealed = await Promise.all(spaces.map((space) => verification.isSealed(space)));
  const ends = sealed.filter((one) => one !== undefined);
  if (ends.length > 0 && !ends.includes(true))
    throw new Fault(
      'opens nothing that the service has stored',
      'Give the SECRETS_KEY of the service, with all keys that it had since the last rechiffrer.',
    );
  return `agrees with ${ends.filter(Boolean).length} audit trails`;
}

async function trails({ journal }: ServiceContext): Promise<string> {
  const end = performance.now() + TRAILS_MS;
  let whole = 0;
  for await (const { space, faults } of journal.verify(undefined, new Map())) {
    if (faults.length > 0)
      throw new Fault(
        `the trail ${space} is not what was written: ${faults[0]}`,
        'Keep the database as it is, run npm run cli -- verifier-journal, and compare with a backup.',
      );
    whole += 1;
    if (performance.now() > end)
      return `${whole} are whole; npm run cli -- verifier-journal reads the others`;
  }
  return `${whole} are whole`;
}

async function signingKey({ dossierKeys }: ServiceContext): Promise<string> {
  const fault = await dossierKeys.fault();
  if (fault)
    throw new Fault(
      fault,
      'Give all processes the same DOSSIER_SIGNING_KEY. A new one is known once an API or a worker has started with it and signed.',
    );
  return dossierKeys.isSet ? 'is a key that signs counts' : 'is not set; no campaign can be published';
}

async function standby(primaryUrl: string, url: string, lagMs: number): Promise<string> {
  const fault = (found: string): Fault =>
    new Fault(
      found,
      'The primary serves its reads meanwhile: see docs/operations.md, "Reads from standbys".',
    );
  const primary = await opened(await primaryUrlOf(primaryUrl), 'DATABASE_URL');
  try {
    const copy = await opened(url, 'DATABASE_READ_URLS or CELLS_READ');
    try {
      const [of, one] = [await primary.server(), await copy.server()];
      if (!one.isStandby) throw fault('is no standby: it was promoted, or is the primary');
      if (one.system !== of.system) throw fault('is a copy of another cluster');
      const position = await primary.position();
      const patienceMs = Math.max(lagMs, LEAST_LAG_MS);
      for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(100))
        if (await copy.hasReached(position)) return 'follows the primary';
      throw fault(`is more than ${patienceMs / 1_000} s behind`);
    } finally {
      await copy.close();
    }
  } finally {
    await primary.close();
  }
}

async function mailServer(config: Config): Promise<string> {
  const { smtp, from } = new MailConfig(config);
  if (!smtp) throw new Skipped('SMTP_URL is not set here; in production only the worker has it');
  const fault = await new SmtpMailer(smtp, from.address).fault();
  if (fault)
    throw new Fault(
      `${smtp.host}:${smtp.port} does not take messages (${fault})`,
      'Check SMTP_URL: address, port, TLS and login; and that the network allows it.',
    );
  return `${smtp.host}:${smtp.port} takes messages from ${from.address}`;
}
