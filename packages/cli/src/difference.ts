import type { PlanChangementItem } from '@mandat/client';
import { effectsText } from './effects.js';
import type { Employments } from './employments.js';
import { type Paint, shown, type Style } from './output.js';

/** Lines of an employer, and employers, that are printed without `--tout`. */
const MOST_LINES = 10;
const MOST_EMPLOYERS = 50;
/** Properties of a record that are printed without `--tout`. */
const MOST_FIELDS = 12;
/** Characters of a value that are printed without `--tout`. */
const LONGEST_VALUE = 60;

/** Order of the records of one employee. */
const ORDER: readonly PlanChangementItem['entite'][] = ['Employe', 'Emploi', 'Adhesion'];

interface Group {
  crees: number;
  modifies: number;
  termines: number;
  supprimes: number;
  readonly lines: string[];
}

const NATURES: Readonly<
  Record<PlanChangementItem['nature'], { mark: string; style: Style; count: Exclude<keyof Group, 'lines'> }>
> = {
  Cree: { mark: '+', style: 'green', count: 'crees' },
  Modifie: { mark: '~', style: 'yellow', count: 'modifies' },
  Termine: { mark: '-', style: 'red', count: 'termines' },
  Supprime: { mark: '-', style: 'red', count: 'supprimes' },
};

/** The changes of a plan by employer. They are added one by one, and only the printed ones are kept. */
export class Difference {
  private readonly groups = new Map<string | null, Group>();
  /** Changes of one employee, which follow each other. */
  private person: PlanChangementItem[] = [];

  /** @param order employers in the order in which they are printed; others follow */
  constructor(
    private readonly employments: Employments,
    order: readonly (string | null)[],
    private readonly isWhole: boolean,
    private readonly paint: Paint,
  ) {
    for (const employer of order) if (employer !== null) this.group(employer);
  }

  add(change: PlanChangementItem): void {
    const employee = employeeOf(change);
    if (employee === undefined) {
      // A change of an employer is listed with that employer.
      return this.put(change.entite === 'Employeur' ? change.idExterne : null, change);
    }
    if (this.person.length > 0 && employeeOf(this.person[0]!) !== employee) this.endPerson();
    this.person.push(change);
  }

  /** Returns the lines to print, after the last change. */
  lines(): string[] {
    this.endPerson();
    // Records without an employer come last.
    const all = [...this.groups].filter(([, group]) => countOf(group) > 0);
    const sorted = [
      ...all.filter(([employer]) => employer !== null),
      ...all.filter(([employer]) => employer === null),
    ];
    const kept = this.isWhole ? sorted : sorted.slice(0, MOST_EMPLOYERS);
    const lines = kept.flatMap(([employer, group]) => [
      this.paint(
        'bold',
        `${employer === null ? 'Without an employer' : shown(employer)}: ${effectsText(group)}`,
      ),
      ...group.lines.map((line) => `  ${line}`),
      ...this.more(countOf(group) - group.lines.length, '  ', ''),
      '',
    ]);
    return [
      ...lines,
      ...this.more(sorted.length - kept.length, '', ' employers'),
      ...(sorted.length > kept.length ? [''] : []),
    ];
  }

  private more(count: number, indent: string, noun: string): string[] {
    return count > 0 ? [this.paint('dim', `${indent}… and ${count.toLocaleString('en')} more${noun}`)] : [];
  }

  private endPerson(): void {
    const [first] = this.person;
    if (!first) return;
    const person = this.person.sort((a, b) => ORDER.indexOf(a.entite) - ORDER.indexOf(b.entite));
    const employers = this.employments.employersOf(employeeOf(first)!, person);
    for (const [at, change] of person.entries()) this.put(employers[at]!, change);
    this.person = [];
  }

  private put(employer: string | null, change: PlanChangementItem): void {
    const group = this.group(employer);
    group[NATURES[change.nature].count] += 1;
    if (this.isWhole || group.lines.length < MOST_LINES) group.lines.push(this.line(change));
  }

  private group(employer: string | null): Group {
    let group = this.groups.get(employer);
    if (!group) {
      group = { crees: 0, modifies: 0, termines: 0, supprimes: 0, lines: [] };
      this.groups.set(employer, group);
    }
    return group;
  }

  private line({ entite, idExterne, idExterneEmploye, nature, champs }: PlanChangementItem): string {
    const { mark, style } = NATURES[nature];
    const of = idExterneEmploye === undefined ? '' : ` of ${shown(idExterneEmploye)}`;
    const value = (one: unknown): string => valueText(one, this.isWhole ? Infinity : LONGEST_VALUE);
    // A new employment is listed below its employer.
    const listed = champs.filter(({ champ }) => nature !== 'Cree' || champ !== 'IdentifiantExterneEmployeur');
    const fields = listed.map(({ champ, avant, apres }) =>
      nature === 'Cree'
        ? `${shown(champ)}: ${value(apres)}`
        : `${shown(champ)}: ${value(avant)} → ${value(apres)}`,
    );
    const kept = this.isWhole ? fields : fields.slice(0, MOST_FIELDS);
    const more = fields.length > kept.length ? ` … and ${fields.length - kept.length} more` : '';
    const record = `${mark} ${entite} ${shown(idExterne)}${of}`;
    return this.paint(style, record) + (fields.length > 0 ? `  ${kept.join(', ')}${more}` : '');
  }
}

const countOf = ({ crees, modifies, termines, supprimes }: Group): number =>
  crees + modifies + termines + supprimes;

function employeeOf({ entite, idExterne, idExterneEmploye }: PlanChangementItem): string | undefined {
  return entite === 'Employe' ? idExterne : idExterneEmploye;
}

/** Returns a value for people. A moment at 00:00 UTC is a date without time (docs/contract.md, "Days"). */
function valueText(value: unknown, most: number): string {
  if (value === null || value === undefined) return '(empty)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return shown(text.replace(/^(\d{4}-\d\d-\d\d)T00:00:00\.000Z$/, '$1'), most);
}
