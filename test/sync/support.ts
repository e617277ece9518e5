import { eventually } from '../http/expect-problem';
import type { Answer, TestApp, TestTenant } from '../setup/test-app';

export { awayFromMidnight, isActiveOn, today } from './days';

/** The six results of a V2 sync, in their order (docs/contract.md, "V2 result"). */
export const KINDS = [
  'Syndicats',
  'Employeurs',
  'Employes',
  'Emplois',
  'Adhesions',
  'ObjetsConsentement',
] as const;
export type Kind = (typeof KINDS)[number];

/** Expected counts of one result; a message may be a matcher. */
export type Counts = [added: number, updated: number, errors?: [id: string, message: unknown][]];

/** Returns the whole response with these counts, and with empty results otherwise. */
export function resultOf(counts: Partial<Record<Kind, Counts>>): Record<Kind, object> {
  const entries = KINDS.map((kind) => {
    const [AddCount, UpdateCount, errors = []] = counts[kind] ?? [0, 0];
    const Erreurs = errors.map(([IdUnique, Message]) => ({ IdUnique, Message }));
    return [kind, { AddCount, UpdateCount, Erreurs }] as const;
  });
  return Object.fromEntries(entries) as Record<Kind, object>;
}

/** Asserts that a V2 sync returned exactly these counts. */
export async function expectSync(
  answering: Promise<Answer>,
  counts: Partial<Record<Kind, Counts>>,
): Promise<void> {
  const { status, json } = await answering;
  expect({ status, json }).toEqual({ status: 200, json: resultOf(counts) });
}

export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export type Loose = Record<string, unknown>;

export const union = (id: string, employers: unknown[] | null = [], more: Loose = {}): Loose => ({
  IdentifiantExterne: id,
  Nom: `Syndicat ${id}`,
  Employeurs: employers,
  ...more,
});
export const employer = (id: string, more: Loose = {}): Loose => ({
  IdentifiantExterne: id,
  Nom: `Employeur ${id}`,
  ...more,
});
export const employee = (id: string, more: Loose = {}): Loose => ({
  IdExterne: id,
  Prenom: 'Zoé',
  Nom: "L'Écuyer",
  ...more,
});
export const job = (id: string, employerId: string, more: Loose = {}): Loose => ({
  IdentifiantExterne: id,
  IdentifiantExterneEmployeur: employerId,
  Matricule: `M-${id}`,
  ...more,
});
export const membership = (
  unionId: string,
  DateAdhesion: unknown = '2021-05-01T00:00:00.000Z',
  DateFin?: unknown,
): Loose => ({
  SyndicatIdExterne: unionId,
  DateAdhesion,
  ...(DateFin === undefined ? {} : { DateFin }),
});

/** Returns a copy of a record without some of its properties. */
export function without(record: Loose, ...names: string[]): Loose {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

const TABLES = [
  'syndicat',
  'syndicat_employeur',
  'employeur',
  'employe',
  'emploi',
  'membership',
  'valeur_champ_employe',
  'objet_consentement',
] as const;
export type Table = (typeof TABLES)[number];

/** A tenant of an app: its requests and its rows. */
export class Partner {
  constructor(
    readonly app: TestApp,
    readonly tenant: TestTenant,
  ) {}

  static async start(app: TestApp): Promise<Partner> {
    return new Partner(app, await app.tenant());
  }

  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.app.send(this.tenant, method, path, body, headers);
  }

  /** The V2 sync. */
  sync(body: unknown, query = '', headers?: Record<string, string>): Promise<Answer> {
    return this.send('POST', `/b2b/v2/sync${query}`, body, headers);
  }

  /** Sends a V2 sync of one employee with these properties, and asserts that it has no errors. */
  async employee(id: string, more: Loose = {}): Promise<void> {
    const { status, json } = await this.sync({ Employes: [employee(id, more)] });
    const errors = KINDS.flatMap((kind) => json[kind].Erreurs as unknown[]);
    expect({ status, errors }).toEqual({ status: 200, errors: [] });
  }

  /** Creates employers in a union. */
  async employers(...ids: string[]): Promise<void> {
    const { json } = await this.sync({
      Syndicats: [
        union(
          'SYN',
          ids.map((id) => employer(id)),
        ),
      ],
    });
    expect(json.Employeurs).toEqual({ AddCount: ids.length, UpdateCount: 0, Erreurs: [] });
  }

  /** Sends a V1 sync, and asserts that it has no errors. */
  async syncV1(body: Loose): Promise<void> {
    const { status, json } = await this.send('POST', '/b2b/v1/employe/sync', body);
    expect({ status, errors: json.errors }).toEqual({ status: 200, errors: [] });
  }

  async defineField(nom: string, type: string, choices: string[] = [], obligatoire = false): Promise<void> {
    const choix = choices.map((idExterne, index) => ({ idExterne, libelle: `Libellé ${index + 1}` }));
    const body = { nom, type, obligatoire, choix };
    expect((await this.send('POST', '/b2b/v2/champ-utilisateur', body)).status).toBe(201);
  }

  async get(path: string): Promise<Answer['json']> {
    const { status, json } = await this.send('GET', path);
    expect(status).toBe(200);
    return json;
  }

  /** Returns the employee as V2 shows it. */
  v2(id: string): Promise<Answer['json']> {
    return this.get(`/b2b/v2/employe/${encodeURIComponent(id)}`);
  }

  /** Returns the employee as V1 shows it. */
  v1(id: string): Promise<Answer['json']> {
    return this.get(`/b2b/v1/employe/${encodeURIComponent(id)}`);
  }

  /** Returns the employments of an employee by identifier: the employer, the two dates, and whether it is active. */
  async jobs(id: string): Promise<Record<string, unknown[]>> {
    const { emplois } = await this.v2(id);
    return Object.fromEntries(
      (emplois as Record<string, unknown>[]).map((one) => [
        one.identifiantExterne,
        [one.identifiantExterneEmployeur, one.dateDebut, one.dateFin, one.actif],
      ]),
    ) as Record<string, unknown[]>;
  }

  async rows(table: Table): Promise<Loose[]> {
    const text = `SELECT * FROM ${table} t WHERE tenant_id = $1 ORDER BY t::text COLLATE "C"`;
    return (await this.app.database.query<Loose>(text, [this.tenant.tenantId])).rows;
  }

  async count(table: Table, where = 'true'): Promise<number> {
    const text = `SELECT count(*)::int AS count FROM ${table} WHERE tenant_id = $1 AND ${where}`;
    return (await this.app.database.query<{ count: number }>(text, [this.tenant.tenantId])).rows[0]!.count;
  }

  /** Returns every row of the tenant with PostgreSQL's row version, which changes when the row is rewritten. */
  async versions(): Promise<Record<string, Loose[]>> {
    const read = async (table: string): Promise<[string, Loose[]]> => {
      const text = `SELECT t.*, xmin::text, ctid::text FROM ${table} t WHERE tenant_id = $1 ORDER BY t::text COLLATE "C"`;
      return [table, (await this.app.database.query<Loose>(text, [this.tenant.tenantId])).rows];
    };
    return Object.fromEntries(await Promise.all(TABLES.map(read)));
  }

  /** Returns the actions in the tenant's audit trail, oldest first. */
  async audited(): Promise<string[]> {
    const text = 'SELECT action FROM journal WHERE tenant_id = $1 ORDER BY numero';
    const { rows } = await this.app.database.query<{ action: string }>(text, [this.tenant.tenantId]);
    return rows.map(({ action }) => action);
  }

  /** Returns a digest of the row versions of each table, for many rows. */
  async fingerprints(): Promise<Record<string, string>> {
    const read = async (table: string): Promise<[string, string]> => {
      const text = `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(t::text || xmin::text || ctid::text, 0)), 0) AS print
                    FROM ${table} t WHERE tenant_id = $1`;
      const { rows } = await this.app.database.query<{ print: string }>(text, [this.tenant.tenantId]);
      return [table, rows[0]!.print];
    };
    return Object.fromEntries(await Promise.all(TABLES.map(read)));
  }

  /** Makes every row of the tenant a minute older, because a later `derniereMAJ` must differ. */
  async age(): Promise<void> {
    for (const table of ['employe', 'employeur', 'syndicat', 'objet_consentement']) {
      const text = `UPDATE ${table} SET derniere_maj = derniere_maj - interval '1 minute' WHERE tenant_id = $1`;
      await this.app.database.query(text, [this.tenant.tenantId]);
    }
  }

  /** Returns the identifiers of the employees whose `derniereMAJ` changes during `work`. */
  async changedBy(work: () => Promise<unknown>): Promise<string[]> {
    await this.age();
    const times = async (): Promise<Map<unknown, string>> =>
      new Map((await this.rows('employe')).map((row) => [row.id_externe, String(row.derniere_maj)]));
    const before = await times();
    await work();
    return [...(await times())].filter(([id, time]) => before.get(id) !== time).map(([id]) => String(id));
  }
}

/** Returns the service's first connection that matches a condition on `pg_stat_activity`. */
export function backend(app: TestApp, condition: string, what: string): Promise<number> {
  const text = `SELECT pid FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`;
  return eventually(async () => (await app.database.query<{ pid: number }>(text)).rows[0]?.pid, what);
}
