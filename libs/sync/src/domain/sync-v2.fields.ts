import type { RecordDefinition } from '#platform/input/field';

/** The body of a V2 sync (docs/contract.md, "V2 sync"). */
export const SYNC_V2_FIELDS = {
  Syndicats: {
    kind: 'rows',
    description: 'Unions with their employers, written first. V2 knows no employer outside a union.',
  },
  Employes: {
    kind: 'rows',
    description:
      'Employees with their employments, memberships and custom values, written second: they may name employers and unions of the same request. A property that is absent keeps its stored value; null clears it.',
  },
  ObjetsConsentement: { kind: 'rows', description: 'Consent objects, written last.' },
} as const satisfies RecordDefinition;

/** The body of a plan: that of a V2 sync, or that of a V1 sync, whose employers are a list of their own. */
export const PLAN_FIELDS = {
  ...SYNC_V2_FIELDS,
  Employeurs: { kind: 'rows', description: 'Employers, written first; only with `version=1`.' },
} as const satisfies RecordDefinition;
