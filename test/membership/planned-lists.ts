import type { OpenedList, PlannedList } from '../contract/support/planned-list';
import { positionOf } from '../setup/cursor';
import type { TestApp } from '../setup/test-app';
import { synced, syncedV1, times } from './synced';

/** Employees written by V2, with two employments each, and as many written by V1, with one each. */
const EACH = 10_000;
const ALL = 3 * EACH;
const EMPLOYEURS = 500;
const PATH = '/b2b/v2/emploi';

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
const syndicat = (IdentifiantExterne: string, ...Employeurs: object[]) => ({
  IdentifiantExterne,
  Nom: 'Syndicat',
  Employeurs,
});

async function open(app: TestApp): Promise<OpenedList> {
  const tenant = await app.tenant();
  for (const caller of [tenant, await app.tenant()]) {
    await synced(app, caller, {
      Syndicats: [
        syndicat('SYN-BIG', { IdentifiantExterne: 'EMP-BIG', Nom: 'Usine' }, ...times(200, employeur)),
        syndicat('SYN-MID', ...times(50, (n) => employeur(n * 10 + 3))),
        ...times(50, (n) => syndicat(`SYN-${n}`, employeur(n * 9), employeur(n * 9 + 1))),
        syndicat('SYN-NONE'),
        syndicat('SYN-ALL', ...times(EMPLOYEURS, employeur)),
      ],
    });
    // All V2 employees come first: the first page finds its first V1 employment after them.
    const share = caller === tenant ? EACH : EACH / 10;
    const slices = times((10 * share) / EACH, (slice) => (slice * EACH) / 10);
    for (const from of slices)
      await synced(app, caller, { Employes: times(EACH / 10, (n) => personneV2(from + n)) });
    for (const from of slices)
      await syncedV1(app, caller, { employes: times(EACH / 10, (n) => personneV1(from + n)) });
  }
  await app.database.query('ANALYZE');
  let cursor = '';
  for (let seen = 0, path = `${PATH}?limite=1000`; seen < ALL - 1000; seen += 1000) {
    const next = new URL((await app.send(tenant, 'GET', path)).headers.get('link')!.slice(1).split('>')[0]!);
    cursor = next.searchParams.get('curseur')!;
    path = next.pathname + next.search;
  }
  return { caller: tenant, path: PATH, far: positionOf(cursor) };
}

export const EMPLOYMENTS: PlannedList = {
  what: '30,000 employments, half of the employees written by V1 only',
  open,
  // PostgreSQL makes the JSON, so the statement contains the wire's names.
  statement: /"idExterneEmploye"/,
  tables: ['emploi', 'employe'],
  limite: 100,
  // Where few matching employments are spread, also those between them.
  most: ALL / 10,
  values: {
    idExterneEmploye: ['A-5000', 'B-5000'],
    identifiantExterneEmployeur: ['EMP-6', 'EMP-BIG'],
    idExterneSyndicat: ['SYN-BIG', 'SYN-MID', 'SYN-1', 'SYN-NONE'],
    matricule: ['9003'],
    actifLe: ['2026-01-31'],
  },
  controls: [
    {
      filters: { matricule: '9003' },
      spoil: (text) => text.replaceAll('matricule = $', `matricule || '' = $`),
    },
  ],
};
