import fc from 'fast-check';
import { perFile } from '../setup/fixtures';
import { depth, SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { early, prepare, request } from './states';
import { awayFromMidnight, type Loose, Partner } from './support';

/** Pairs of states: a first sync, and a second one that is undone. */
const PAIRS = depth(12, 500);

const app = perFile(() => TestApp.start());

beforeEach(awayFromMidnight);

/** The tables that a sync writes, with the columns that name a record and the kind that an undo calls it. */
const TABLES: Readonly<Record<string, readonly [entite: string, id: string, parent?: string]>> = {
  employeur: ['Employeur', 'id_externe'],
  syndicat: ['Syndicat', 'id_externe'],
  objet_consentement: ['ObjetConsentement', 'id_externe'],
  employe: ['Employe', 'id_externe'],
  syndicat_employeur: ['Syndicat', 'identifiant_externe_employeur', 'id_externe_syndicat'],
  emploi: ['Emploi', 'identifiant_externe', 'id_externe_employe'],
  membership: ['Adhesion', 'syndicat_id_externe', 'id_externe_employe'],
  valeur_champ_employe: ['Employe', 'nom_champ', 'id_externe_employe'],
};
const FIELDS: Readonly<Record<string, string>> = {
  syndicat_employeur: 'Employeurs.',
  valeur_champ_employe: 'ValeursChampUtilisateur.',
};

/** All rows without the time of their last change, by their names in an undo. */
type Rows = Map<string, Loose>;

async function rowsOf({ tenant: { tenantId } }: Partner): Promise<Rows> {
  const rows: Rows = new Map();
  for (const [table, [entite, id, parent]] of Object.entries(TABLES)) {
    const { rows: found } = await app.database.query<{ row: Loose }>(
      `SELECT to_jsonb(t) - '{derniere_maj,json_lecture}'::text[] AS row FROM ${table} t WHERE tenant_id = $1`,
      [tenantId],
    );
    for (const { row } of found) {
      const champ = FIELDS[table];
      const name = champ
        ? [entite, row[parent!], undefined, `${champ}${String(row[id])}`]
        : [entite, row[id], parent && row[parent]];
      rows.set(JSON.stringify(name), row);
    }
  }
  return rows;
}

const contentOf = (rows: Rows): unknown => Object.fromEntries([...rows].toSorted());
const nameOf = ({ entite, idExterne, idExterneEmploye, champ }: Loose): string =>
  JSON.stringify(champ ? [entite, idExterne, undefined, champ] : [entite, idExterne, idExterneEmploye]);
const same = (one: Loose | undefined, other: Loose | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const lastSync = async (partner: Partner): Promise<string> => {
  const [last] = (await partner.get('/b2b/v2/sync')) as unknown as Loose[];
  return String(last!.id);
};

const undo = (partner: Partner, id: string, body?: Loose, query = '') =>
  partner.send('POST', `/b2b/v2/sync/${id}/annuler${query}`, body);

it(
  'an undo leads to the rows of before, and its undo to those of after',
  async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(early, request, request, async (v1, first, second) => {
        const partner = await Partner.start(app);
        await prepare(partner, v1, first);
        const before = await rowsOf(partner);
        await partner.sync(second);
        const after = await rowsOf(partner);
        const id = await lastSync(partner);
        const simulated = await undo(partner, id, undefined, '?simulation=true');
        expect(contentOf(await rowsOf(partner))).toEqual(contentOf(after));
        const undone = await undo(partner, id);
        expect([undone.status, undone.json.nombreConflits, undone.json.conflits]).toEqual([200, 0, []]);
        expect(contentOf(await rowsOf(partner))).toEqual(contentOf(before));
        expect(simulated.json).toEqual({ ...undone.json, syncId: null });
        for (const [kind, count] of Object.entries(undone.json.effets as Record<string, number>))
          if (count > 0) kinds.add(kind);
        expect((await undo(partner, String(undone.json.syncId))).status).toBe(200);
        expect(contentOf(await rowsOf(partner))).toEqual(contentOf(after));
      }),
      { numRuns: PAIRS, seed: SEED },
    );
    expect([...kinds]).toEqual(expect.arrayContaining(['modifies', 'supprimes', 'champsVides']));
  },
  depth(120_000, 1_800_000),
);

/** Later writes: a further sync, and deletions. */
const later = fc.record({
  sync: fc.option(request),
  deleted: fc.subarray(['employe/E-1', 'employe/E-2', 'employe/E-3', 'employeur/EMP-1', 'employeur/EMP-2']),
});

it(
  'after later writes, an undo names exactly the records that it has not put back',
  async () => {
    const reasons = new Set<string>();
    await fc.assert(
      fc.asyncProperty(early, request, request, later, async (v1, first, second, { sync, deleted }) => {
        const partner = await Partner.start(app);
        await prepare(partner, v1, first);
        const before = await rowsOf(partner);
        await partner.sync(second);
        const after = await rowsOf(partner);
        const id = await lastSync(partner);
        if (sync) await partner.sync(sync);
        for (const path of deleted) await partner.send('DELETE', `/b2b/v1/${path}`);
        const now = await rowsOf(partner);
        const touched = [...new Set([...before.keys(), ...after.keys()])].filter(
          (name) => !same(before.get(name), after.get(name)),
        );

        const refused = await undo(partner, id);
        if (refused.status === 409) {
          expect(refused.json.code).toBe('Sync.AnnulationEnConflit');
          expect(contentOf(await rowsOf(partner))).toEqual(contentOf(now));
        }
        const undone = refused.status === 200 ? refused : await undo(partner, id, { ignorerConflits: true });
        expect(undone.status).toBe(200);
        const conflicts = new Map(
          (undone.json.conflits as Loose[]).map((one) => [nameOf(one), String(one.raison)]),
        );
        expect(refused.status).toBe(conflicts.size > 0 ? 409 : 200);
        expect(undone.json.nombreConflits).toBe(conflicts.size);
        const end = await rowsOf(partner);
        // Each touched record is as before, or named.
        expect([...conflicts.keys()].toSorted()).toEqual(
          touched.filter((name) => !same(end.get(name), before.get(name))).toSorted(),
        );
        for (const [name, reason] of conflicts) {
          reasons.add(reason);
          // A conflicting record stays as it is.
          expect([name, end.get(name)]).toEqual([name, now.get(name)]);
          const isChanged = !same(now.get(name), after.get(name));
          expect([name, reason]).toEqual([
            name,
            expect.stringMatching(
              isChanged ? /^(Modifie|Supprime|ReferenceAbsente)$/ : /^(Retenu|ReferenceAbsente)$/,
            ),
          ]);
        }
        // No employment is hidden by an employee whom only V1 has written.
        const hidden = await app.database.query(
          `SELECT FROM employe e JOIN emploi m ON m.tenant_id = e.tenant_id AND m.id_externe_employe = e.id_externe
           WHERE e.tenant_id = $1 AND NOT e.a_emplois`,
          [partner.tenant.tenantId],
        );
        expect(hidden.rows).toEqual([]);
        // Other records are as they were.
        const others = (rows: Rows): unknown =>
          contentOf(new Map([...rows].filter(([name]) => !touched.includes(name))));
        expect(others(end)).toEqual(others(now));
      }),
      { numRuns: PAIRS, seed: SEED },
    );
    expect([...reasons]).toEqual(expect.arrayContaining(['Modifie', 'Supprime', 'Retenu']));
  },
  depth(120_000, 1_800_000),
);
