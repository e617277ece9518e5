import type { EmploiTrouveItem, PlanChangementItem } from '@mandat/client';

interface Employment {
  readonly id: string;
  readonly employer: string;
  readonly start: string | null;
  readonly isOver: boolean;
}

/** Employments as they are stored. Changes of a plan name the employer of a new or moved employment only. */
export class Employments {
  private readonly ofEmployee = new Map<string, Employment[]>();

  add({
    idExterneEmploye,
    identifiantExterne,
    identifiantExterneEmployeur,
    dateDebut,
    actif,
  }: EmploiTrouveItem): void {
    const employment = {
      ...{ id: identifiantExterne, employer: identifiantExterneEmployeur },
      ...{ start: dateDebut, isOver: !actif },
    };
    const known = this.ofEmployee.get(idExterneEmploye);
    if (known) known.push(employment);
    else this.ofEmployee.set(idExterneEmploye, [employment]);
  }

  /**
   * Returns the employer of each change of one employee, as the plan counts them: that of an employment, else that of the
   * employee's newest employment; null if there is none.
   */
  employersOf(employee: string, changes: readonly PlanChangementItem[]): (string | null)[] {
    const all = new Map((this.ofEmployee.get(employee) ?? []).map((one) => [one.id, one]));
    for (const { entite, idExterne, nature, champs } of changes) {
      if (entite !== 'Emploi') continue;
      const before = all.get(idExterne);
      const valueOf = (name: string): string | null | undefined =>
        champs.find(({ champ }) => champ === name)?.apres as string | null | undefined;
      const employer = valueOf('IdentifiantExterneEmployeur') ?? before?.employer;
      if (employer === undefined) continue;
      const start = valueOf('DateDebut') ?? before?.start ?? null;
      all.set(idExterne, { id: idExterne, employer, start, isOver: nature === 'Termine' });
    }
    const newest = [...all.values()].sort(newestFirst)[0]?.employer ?? singleEmployer(changes);
    return changes.map(({ entite, idExterne }) =>
      entite === 'Emploi' ? (all.get(idExterne)?.employer ?? newest) : newest,
    );
  }
}

/** Current employments first, then the latest start; one without a start is the oldest. */
function newestFirst(a: Employment, b: Employment): number {
  if (a.isOver !== b.isOver) return a.isOver ? 1 : -1;
  return (b.start ?? '').localeCompare(a.start ?? '') || a.id.localeCompare(b.id);
}

/** The employer of an employee of V1 is a field of the employee. */
function singleEmployer(changes: readonly PlanChangementItem[]): string | null {
  const field = changes
    .filter(({ entite }) => entite === 'Employe')
    .flatMap(({ champs }) => champs)
    .find(({ champ }) => champ === 'IdentifiantExterneEmployeur');
  return ((field?.apres ?? field?.avant) as string | null | undefined) ?? null;
}
