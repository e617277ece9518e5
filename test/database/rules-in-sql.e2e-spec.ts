import fc from 'fast-check';
import { ENVIRONMENTS, MODULES, ROLES } from '../../libs/access/src/caller';
import { STATUTS_DEMANDE } from '../../libs/adhesion/src/domain/conciliation.fields';
import { ETATS_DEPLACEMENT } from '../../libs/clients/src/domain/deplacement.types';
import { MAJORITES, TYPES_VOTE } from '../../libs/meeting/src/domain/point.fields';
import { TYPES_CHAMP } from '../../libs/membership/src/domain/champ-utilisateur.fields';
import { FED_NATURES, ORIGINES } from '../../libs/membership/src/domain/changement.fields';
import { CIBLES, ETATS_DESTINATAIRE } from '../../libs/messaging/src/domain/courriel.types';
import { ETATS_PLAN, VERSIONS } from '../../libs/sync/src/domain/plan.types';
import { NOMS_SYNC } from '../../libs/sync/src/domain/sync.types';
import { ETATS_TACHE, TYPES_TACHE } from '../../libs/sync/src/domain/tache.types';
import { QUESTION_TYPES } from '../../libs/voting/src/structure/domain/question.fields';
import { contentOf } from '../../libs/voting/src/structure/domain/question.rules';
import { EVENT_TYPE_NAMES } from '../../libs/webhooks/src/domain/event.types';
import { Webhook } from '../../libs/webhooks/src/domain/webhook.entity';
import { ETATS_LIVRAISON, SIGNATURES } from '../../libs/webhooks/src/domain/webhook.types';
import { takes } from '../../libs/webhooks/src/persistence/webhook.sql';
import { depth, SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

/** The expressions of the check constraints of tables, without those of partitions. */
async function checks(): Promise<{ table: string; rule: string }[]> {
  const { rows } = await app.database.query<{ table: string; rule: string }>(
    `SELECT conrelid::regclass::text AS table, pg_get_expr(conbin, conrelid) AS rule FROM pg_constraint
     WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND coninhcount = 0`,
  );
  return rows;
}

/** Columns of which a check constraint lists the values, with their values. */
function listsIn(all: readonly { table: string; rule: string }[]): Record<string, string[]> {
  return Object.fromEntries(
    all.flatMap(({ table, rule }) => {
      const [, column, list] = /^\((\w+) (?:= ANY \(|<@ )ARRAY\[([^\]]*)\]\)?\)$/.exec(rule) ?? [];
      if (!column) return [];
      const values = list!.split(', ').map((value) => /^'(\w+)'::text$/.exec(value)![1]!);
      return [[`${table}.${column}`, values.sort()]];
    }),
  );
}

/** The lists of the product, by the column that stores one of them. */
const LISTS: Record<string, readonly string[]> = {
  'champ_utilisateur.type': TYPES_CHAMP,
  'changement.nature': FED_NATURES,
  'changement_lot.origine': ORIGINES,
  'cle.modules': MODULES,
  'cle.role': ROLES,
  'client.modules': MODULES,
  'courriel.cible': CIBLES,
  'courriel_destinataire.etat': ETATS_DESTINATAIRE,
  'demande_adhesion.statut': STATUTS_DEMANDE,
  'deplacement.etat': ETATS_DEPLACEMENT,
  'livraison.etat': ETATS_LIVRAISON,
  'point_seance.majorite': MAJORITES,
  'point_seance.type_vote': TYPES_VOTE,
  'question.type': QUESTION_TYPES,
  'plan.etat': ETATS_PLAN,
  'plan.version': VERSIONS,
  'sync.version': NOMS_SYNC,
  'tache.etat': ETATS_TACHE,
  'tache.type': TYPES_TACHE,
  'tache.version': VERSIONS,
  'tenant.environnement': ENVIRONMENTS,
  'webhook.signature': SIGNATURES,
};
const expected = Object.fromEntries(Object.entries(LISTS).map(([column, list]) => [column, list.toSorted()]));

describe('values that a check constraint lists', () => {
  it('are the lists of the product, in every table', async () => {
    expect(listsIn(await checks())).toEqual(expected);
  });

  it.each([
    [
      'a value less',
      `ALTER TABLE cle DROP CONSTRAINT cle_role_check, ADD CHECK (role IN ('partenaire', 'admin'))`,
    ],
    ['a value more', `ALTER TABLE client ADD CHECK (modules <@ ARRAY['vote', 'don'])`],
    ['a column without a list in the product', `ALTER TABLE employe ADD CHECK (province IN ('QC', 'ON'))`],
  ])('a difference is found: %s', async (_what, change) => {
    await app.database.query('BEGIN');
    try {
      // NOT VALID, because files that ran before may have left any row.
      await app.database.query(`${change} NOT VALID`);
      expect(listsIn(await checks())).not.toEqual(expected);
    } finally {
      await app.database.query('ROLLBACK');
    }
  });
});

/** Returns the rows for which an SQL condition, with its columns given as JSON, differs from the expected value. */
async function differences<R extends object>(
  rows: readonly R[],
  columns: string,
  condition: string,
  expect: (row: R) => boolean | undefined,
): Promise<R[]> {
  const { rows: found } = await app.database.query<{ holds: boolean | null }>(
    `SELECT ${condition} AS holds FROM jsonb_array_elements($1) WITH ORDINALITY a (one, n),
       jsonb_to_record(one) r (${columns}) ORDER BY n`,
    [JSON.stringify(rows)],
  );
  return rows.filter((row, n) => (expect(row) ?? found[n]!.holds) !== found[n]!.holds);
}

const RUNS = { numRuns: depth(1_000, 10_000), seed: SEED };

describe('endpoints of an event in the domain and in SQL', () => {
  const events = fc.sample(
    fc.record({
      actif: fc.boolean(),
      types: fc.subarray([...EVENT_TYPE_NAMES]),
      type: fc.constantFrom(...EVENT_TYPE_NAMES),
    }),
    RUNS,
  );
  const differing = (condition: string) =>
    differences(events, 'actif boolean, types text[], type text', condition, ({ actif, types, type }) =>
      // A test event goes to one endpoint only.
      type === 'webhook.test' ? false : Object.assign(new Webhook(), { actif, types }).takes(type),
    );

  it('agree', async () => {
    expect(events.some(({ type }) => type === 'webhook.test')).toBe(true);
    expect(await differing(takes('type'))).toEqual([]);
  });

  it.each([
    ['an endpoint that is not active', 'actif', 'true'],
    ['another type', '@>', '&&'],
    ['a test event', '<>', '>='],
  ])('a difference is found: %s', async (what, part, other) => {
    const broken = takes('type').replace(part, other);
    const rule =
      what === 'another type' ? broken.replace('ARRAY[type]', `ARRAY[type, 'adhesion.signee']`) : broken;
    expect((await differing(rule)).length).toBeGreaterThan(0);
  });
});

describe('questions in the domain and in the check constraints', () => {
  const COLUMNS =
    'type text, est_preferentiel boolean, min_reponses integer, max_reponses integer, nombre_elus integer, ordre_reponses_aleatoire integer';
  const some = fc.integer({ min: 1, max: 4 });
  const rows = fc.sample(
    fc.record({
      type: fc.constantFrom(...QUESTION_TYPES),
      est_preferentiel: fc.boolean(),
      min_reponses: some,
      max_reponses: fc.option(some),
      nombre_elus: fc.option(some),
      ordre_reponses_aleatoire: fc.nat({ max: 2 }),
    }),
    RUNS,
  );

  /** Whether the domain keeps a question as it is. */
  function isKept(row: (typeof rows)[number]): boolean {
    try {
      const content = contentOf({
        Titre: 'Q',
        Type: row.type,
        EstPreferentiel: row.est_preferentiel,
        MinReponses: row.min_reponses,
        MaxReponses: row.max_reponses,
        NombreElus: row.nombre_elus,
        OrdreReponsesAleatoire: row.ordre_reponses_aleatoire,
      });
      return content.maxReponses === row.max_reponses && content.nombreElus === row.nombre_elus;
    } catch {
      return false;
    }
  }

  /** Rules of the domain that no constraint repeats: a Proposition has one answer, and only rankings may leave the most open. */
  const isOfDomainOnly = ({ type, max_reponses, est_preferentiel }: (typeof rows)[number]): boolean =>
    (type === 'Proposition' && (max_reponses ?? 1) > 1) || (!est_preferentiel && max_reponses === null);

  const differing = (condition: string) =>
    differences(rows, COLUMNS, condition, (row) =>
      isKept(row) ? true : isOfDomainOnly(row) ? undefined : false,
    );

  async function constraints(): Promise<string> {
    const rules = (await checks()).filter(({ table }) => table === 'question').map(({ rule }) => rule);
    expect(rules).toHaveLength(5);
    return rules.join(' AND ');
  }

  it('agree, except on two rules of the domain', async () => {
    expect(await differing(await constraints())).toEqual([]);
    expect(rows.filter(isKept).length).toBeGreaterThan(rows.length / 20);
  });

  it.each([
    ['fewer answers than one must give', 'min_reponses <= COALESCE', 'min_reponses <= 1 + COALESCE'],
    ['seats of another type', "'Election'::text) = (", "'Election'::text) >= ("],
    ['a ranked Proposition', 'NOT (est_preferentiel', 'true OR NOT (est_preferentiel'],
    [
      'a constraint that refuses a valid question',
      'ordre_reponses_aleatoire <= 2',
      'ordre_reponses_aleatoire <= 1',
    ],
  ])('a difference is found: %s', async (_what, part, other) => {
    const rule = await constraints();
    expect(rule).toContain(part);
    expect((await differing(rule.replace(part, other))).length).toBeGreaterThan(0);
  });
});
