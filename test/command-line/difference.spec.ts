import type { EmploiTrouveItem, PlanChangementItem } from '@mandat/client';
import type * as DifferenceModule from '../../packages/cli/dist/difference.js';
import type * as EmploymentsModule from '../../packages/cli/dist/employments.js';
import { built } from './support/mandat';

const { Difference } = built<typeof DifferenceModule>('difference.js');
const { Employments } = built<typeof EmploymentsModule>('employments.js');

type Change = PlanChangementItem;

const change = (
  entite: Change['entite'],
  id: string,
  nature: Change['nature'],
  champs: Record<string, [unknown, unknown]> = {},
): Change => {
  const [idExterne, idExterneEmploye] = id.split('@') as [string, string?];
  return {
    ...{ entite, idExterne, nature },
    ...(idExterneEmploye ? { idExterneEmploye } : {}),
    champs: Object.entries(champs).map(([champ, [avant, apres]]) => ({
      champ,
      avant,
      apres,
    })) as Change['champs'],
  };
};

const stored = (id: string, employer: string, more: Partial<EmploiTrouveItem> = {}): EmploiTrouveItem => {
  const [identifiantExterne, idExterneEmploye] = id.split('@') as [string, string];
  return {
    ...{ identifiantExterne, idExterneEmploye, identifiantExterneEmployeur: employer, prenom: '', nom: '' },
    ...{ nomEmployeur: '', matricule: null, dateDebut: null, dateFin: null, actif: true, ...more },
  };
};

const paint = (style: string, text: string): string => `<${style}>${text}</>`;

function linesOf(
  changes: readonly Change[],
  {
    jobs = [],
    order = [],
    isWhole = false,
    isPlain = true,
  }: Partial<{ jobs: EmploiTrouveItem[]; order: string[]; isWhole: boolean; isPlain: boolean }> = {},
): string[] {
  const employments = new Employments();
  for (const job of jobs) employments.add(job);
  const difference = new Difference(employments, order, isWhole, isPlain ? (_style, text) => text : paint);
  for (const one of changes) difference.add(one);
  return difference.lines();
}

const headers = (lines: readonly string[]): string[] => lines.filter((line) => /^\S.*:/.test(line));

describe('The difference of a plan', () => {
  it('has a mark and a colour for each nature, with the values before and after', () => {
    const changes = [
      change('Emploi', 'J1@E1', 'Termine', { DateFin: [null, '2026-11-28T00:00:00.000Z'] }),
      change('Emploi', 'J2@E1', 'Cree', {
        IdentifiantExterneEmployeur: [null, 'EMP-1'],
        DateDebut: [null, '2026-01-05T12:30:00.000Z'],
      }),
      change('Employe', 'E1', 'Modifie', {
        Courriel: ['a@x.ca', null],
        'ValeursChampUtilisateur.nuit': [false, true],
      }),
    ];
    expect(linesOf(changes, { jobs: [stored('J1@E1', 'EMP-1')], isPlain: false })).toEqual([
      '<bold>EMP-1: 1 created, 1 modified, 1 ended</>',
      '  <yellow>~ Employe E1</>  Courriel: a@x.ca → (empty), ValeursChampUtilisateur.nuit: false → true',
      '  <red>- Emploi J1 of E1</>  DateFin: (empty) → 2026-11-28',
      '  <green>+ Emploi J2 of E1</>  DateDebut: 2026-01-05T12:30:00.000Z',
      '',
    ]);
  });

  it('groups by the employer of the employment, and others by that of the newest current employment', () => {
    const jobs = [
      stored('J1@E1', 'OLD', { dateDebut: '2010-01-01T00:00:00.000Z' }),
      stored('J2@E1', 'NEW', { dateDebut: '2020-01-01T00:00:00.000Z' }),
      stored('J3@E1', 'OVER', { dateDebut: '2024-01-01T00:00:00.000Z', actif: false }),
    ];
    const phone = { TelephonePrincipal: [null, '1'] as [unknown, unknown] };
    expect(headers(linesOf([change('Employe', 'E1', 'Modifie', phone)], { jobs }))).toEqual([
      'NEW: 1 modified',
    ]);
    expect(
      headers(linesOf([change('Emploi', 'J1@E1', 'Modifie'), change('Adhesion', 'S@E1', 'Cree')], { jobs })),
    ).toEqual(['OLD: 1 modified', 'NEW: 1 created']);
    // The newest one ends.
    expect(
      headers(
        linesOf([change('Emploi', 'J2@E1', 'Termine'), change('Employe', 'E1', 'Modifie', phone)], { jobs }),
      ),
    ).toEqual(['OLD: 1 modified', 'NEW: 1 ended']);
    // It moves to another employer.
    const move = change('Emploi', 'J2@E1', 'Modifie', { IdentifiantExterneEmployeur: ['NEW', 'NEXT'] });
    const [first, second] = linesOf([move], { jobs });
    expect([first, second]).toEqual([
      'NEXT: 1 modified',
      '  ~ Emploi J2 of E1  IdentifiantExterneEmployeur: NEW → NEXT',
    ]);
  });

  it('the single employer of V1, employers, unions and people without an employment', () => {
    const changes = [
      change('Employe', 'E1', 'Cree', { IdentifiantExterneEmployeur: [null, 'EMP-1'] }),
      change('Syndicat', 'S1', 'Cree'),
      change('Employeur', 'EMP-2', 'Cree', { Nom: [null, 'Alma'] }),
      change('Employe', 'E2', 'Cree'),
    ];
    expect(headers(linesOf(changes, { order: ['EMP-2', 'EMP-1'] }))).toEqual([
      'EMP-2: 1 created',
      'EMP-1: 1 created',
      'Without an employer: 2 created',
    ]);
  });

  it('is bounded by employer, by number of employers and by length of values, but not with --tout', () => {
    const changes = Array.from({ length: 60 }, (_, at) => [
      change('Emploi', `J@E${at}`, 'Cree', {
        IdentifiantExterneEmployeur: [null, at < 12 ? 'BIG' : `EMP-${at}`],
      }),
      change('Employe', `E${at}`, 'Cree', { Nom: [null, 'x'.repeat(90)] }),
    ]).flat();
    const lines = linesOf(changes, { order: ['BIG'] });
    expect(lines.slice(0, 13)).toEqual([
      'BIG: 24 created',
      ...Array.from({ length: 5 }, (_, at) => [
        `  + Employe E${at}  Nom: ${'x'.repeat(60)}…`,
        `  + Emploi J of E${at}`,
      ]).flat(),
      '  … and 14 more',
      '',
    ]);
    expect(headers(lines)).toHaveLength(49);
    const many = Array.from({ length: 55 }, (_, at) => change('Employeur', `EMP-${at}`, 'Cree'));
    expect(linesOf(many).at(-2)).toBe('… and 5 more employers');
    const whole = linesOf([...changes, ...many], { isWhole: true });
    expect(whole.filter((line) => /^  [+~-]/.test(line))).toHaveLength(175);
    expect(whole.join('\n')).toContain('x'.repeat(90));
    expect(whole.join('\n')).not.toContain('more');
  });

  it('a record with many properties is bounded too', () => {
    const links = change('Syndicat', 'S', 'Modifie');
    for (let at = 0; at < 15; at++)
      links.champs.push({ champ: 'Employeurs', avant: null, apres: `EMP-${at}` });
    expect(linesOf([links])[1]).toMatch(/, Employeurs: \(empty\) → EMP-11 … and 3 more$/);
    expect(linesOf([links], { isWhole: true })[1]).toMatch(/ EMP-14$/);
  });

  it('control characters of values cannot steer the terminal', () => {
    const lines = linesOf([change('Employe', 'E\u001b[1m', 'Cree', { Nom: [null, 'a\nb\u001b[31m\u202e'] })]);
    expect(lines[1]).toBe('  + Employe E\\u001b[1m  Nom: a\\nb\\u001b[31m\\u202e');
  });
});
