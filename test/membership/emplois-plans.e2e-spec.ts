import type { Statement } from '../../libs/platform/src/database/entered-query';
import type { Position } from '../../libs/platform/src/database/json-items';
import { cursorAt, positionOf } from '../setup/cursor';
import { TestApp, type TestTenant } from '../setup/test-app';
import { nodesOf, planOf, rowsRead, statementsOf } from './plans';
import { synced, syncedV1, times } from './synced';
import { perFile } from '../setup/fixtures';

/** Employees written by V2, with two employments each, and as many written by V1, with one each. */
const EACH = 10_000;
const EMPLOYMENTS = 3 * EACH;
const EMPLOYEURS = 500;
const LIMITE = 100;
/** Maximum rows that a page may read: where few matching employments are spread, also those between them. */
const MOST_READ = EMPLOYMENTS / 10;
const TABLES = ['emploi', 'employe'];

const app = perFile(() => TestApp.own('volume'));
let tenant: TestTenant;
/** A position shortly before the end of the whole list. */
let far: Position;

const employeur = (n: number) => ({ IdentifiantExterne: `EMP-${n % EMPLOYEURS}`, Nom: 'Usine' });
const personneV2 = (n: number) => ({
  IdExterne: `A-${n}`,
  Prenom: 'Zoé',
  Nom: 'Roy',
  Emplois: times(2, (m) => ({
    IdentifiantExterne: `M-${m}`,
    // A third of all employments is at one employer, the others are spread.
    IdentifiantExterneEmployeur: n % 3 === 0 ? 'EMP-BIG' : `EMP-${(n + m * 7) % EMPLOYEURS}`,
    Matricule: `${n * 2 + m}`,
    DateDebut: `20${10 + (n % 15)}-01-01`,
    DateFin: n % 4 === 0 ? '2025-06-30' : null,
  })),
});
const personneV1 = (n: number) => ({
  idExterne: `B-${n}`,
  prenom: 'Ève',
  nom: 'Côté',
  identifiantExterneEmployeur: n % 3 === 0 ? 'EMP-BIG' : `EMP-${n % EMPLOYEURS}`,
});

beforeAll(async () => {
  tenant = await app.tenant();
  for (const caller of [tenant, await app.tenant()]) {
    await synced(app, caller, {
      Syndicats: [
        {
          IdentifiantExterne: 'SYN-BIG',
          Nom: 'Grand',
          Employeurs: [{ IdentifiantExterne: 'EMP-BIG', Nom: 'Usine' }, ...times(200, employeur)],
        },
        { IdentifiantExterne: 'SYN-MID', Nom: 'Moyen', Employeurs: times(50, (n) => employeur(n * 10 + 3)) },
        ...times(50, (n) => ({
          IdentifiantExterne: `SYN-${n}`,
          Nom: 'Petit',
          Employeurs: [employeur(n * 9), employeur(n * 9 + 1)],
        })),
        { IdentifiantExterne: 'SYN-NONE', Nom: 'Nouveau' },
        { IdentifiantExterne: 'SYN-ALL', Nom: 'Tous', Employeurs: times(EMPLOYEURS, employeur) },
      ],
    });
    // All V2 employees come first: the first page finds its first V1 employment after them.
    const share = caller === tenant ? EACH : EACH / 10;
    for (let from = 0; from < share; from += EACH / 10) {
      await synced(app, caller, { Employes: times(EACH / 10, (n) => personneV2(from + n)) });
    }
    for (let from = 0; from < share; from += EACH / 10) {
      await syncedV1(app, caller, { employes: times(EACH / 10, (n) => personneV1(from + n)) });
    }
  }
  // Autovacuum does the same within a minute.
  await app.database.query('ANALYZE');
  for (let seen = 0, path = '/b2b/v2/emploi?limite=1000'; seen < EMPLOYMENTS - 1000; seen += 1000) {
    const next = new URL((await app.send(tenant, 'GET', path)).headers.get('link')!.slice(1).split('>')[0]!);
    far = positionOf(next.searchParams.get('curseur')!);
    path = next.pathname + next.search;
  }
}, 300_000);

/** Returns the only statement of the service for a search. */
async function statementOf(filters: Record<string, string>): Promise<Statement> {
  const query = new URLSearchParams({ ...filters, limite: String(LIMITE) }).toString();
  const sent = await statementsOf(async () => {
    expect((await app.send(tenant, 'GET', `/b2b/v2/emploi?${query}`)).status).toBe(200);
  });
  // PostgreSQL makes the JSON, so the statement contains the wire's names.
  const found = sent.filter(({ text }) => text.includes('"idExterneEmploye"'));
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** Returns the faults in the access paths of a statement, for each plan that PostgreSQL may use. */
async function faultsOf(statement: Statement): Promise<string[]> {
  const faults: string[] = [];
  // PostgreSQL plans a named statement for its values five times, and may use a generic plan from the sixth on.
  for (const execution of statement.name ? [1, 8] : [1]) {
    const plan = await planOf(app, tenant.tenantId, statement, execution);
    const read = rowsRead(plan, TABLES);
    const whole = nodesOf(plan).filter(
      (node) =>
        node['Node Type'] === 'Seq Scan' &&
        TABLES.includes(node['Relation Name'] ?? '') &&
        node['Actual Loops'] > 0,
    );
    for (const node of whole) faults.push(`execution ${execution}: Seq Scan on ${node['Relation Name']}`);
    if (read > MOST_READ) faults.push(`execution ${execution}: reads ${read} rows`);
  }
  return faults;
}

const VALUES: Record<string, string[]> = {
  idExterneEmploye: ['A-5000', 'B-5000'],
  identifiantExterneEmployeur: ['EMP-6', 'EMP-BIG'],
  idExterneSyndicat: ['SYN-BIG', 'SYN-MID', 'SYN-1', 'SYN-NONE'],
  matricule: ['9003'],
  actifLe: ['2026-01-31'],
};
const NAMES = Object.keys(VALUES);
const COMBINATIONS = times(2 ** NAMES.length, (bits) => NAMES.filter((_, bit) => bits & (1 << bit)));

function choices([name, ...rest]: readonly string[]): Record<string, string>[] {
  if (name === undefined) return [{}];
  return choices(rest).flatMap((others) => VALUES[name]!.map((value) => ({ [name]: value, ...others })));
}

describe(`a page of ${LIMITE} of ${EMPLOYMENTS} employments, half of the employees written by V1 only`, () => {
  it.each(COMBINATIONS.map((names) => [names.join(', ') || 'nothing', names] as const))(
    'filtered by %s is found through indexes, without reading all rows',
    async (_what, names) => {
      const faults: Record<string, string[]> = {};
      // More filters only leave fewer employments: some of the many combinations are enough.
      const all = choices(names);
      const some = names.length <= 2 ? all : [all.at(0)!, all.at(-1)!];
      for (const filters of some) {
        for (const isFar of names.length <= 2 ? [false, true] : [false]) {
          const place: Record<string, string> = isFar
            ? { curseur: cursorAt(tenant.tenantId, '/b2b/v2/emploi', filters, far) }
            : {};
          const found = await faultsOf(await statementOf({ ...filters, ...place }));
          const what = Object.values(filters).join(' ') + (isFar ? ' (far)' : '');
          if (found.length > 0) faults[what] = found;
        }
      }
      expect(faults).toEqual({});
    },
  );

  it('negative control: the same page by a condition without an index is a fault', async () => {
    const statement = await statementOf({ matricule: '9003' });
    expect(await faultsOf(statement)).toEqual([]);
    const text = statement.text.replaceAll('matricule = $', `matricule || '' = $`);
    expect(text).not.toBe(statement.text);
    expect(await faultsOf({ ...statement, text })).not.toEqual([]);
  });
});
