import { CHOSEN, type MergedField, PREFERABLE } from '#membership/vocabulary';
import { identifier, type RecordOf } from '#platform/input/field';

const choice = {
  kind: 'choice',
  values: CHOSEN,
  description: 'Whose value stays where both employees have one and they differ; `conserve` if absent.',
  example: 'absorbe',
} as const;

export const PREFERE_FIELDS = Object.fromEntries(PREFERABLE.map((name) => [name, choice])) as Record<
  MergedField,
  typeof choice
>;

export const FUSION_FIELDS = {
  idExterneAbsorbe: identifier({
    required: true,
    isStored: true,
    description: 'External identifier of the other record of the person, which is removed.',
    example: 'E-1009',
  }),
  prefere: {
    kind: 'record',
    of: PREFERE_FIELDS,
    description:
      'Properties of the employee of which the value of `idExterneAbsorbe` stays. `valeursChampUtilisateur` stands for all custom values.',
  },
} as const;

export type FusionRecord = RecordOf<typeof FUSION_FIELDS>;
