import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { PANNE_FIELDS } from '../domain/panne.fields';

export class PanneInput extends InputOf(PANNE_FIELDS) {}

export class PanneItem extends ItemOf({
  ...PANNE_FIELDS,
  restantes: value.integer('Requests or attempts that are still to fail.', 2),
  expireLe: value.time('End of the failure, whatever is left (UTC).', '2026-03-02T15:00:00.000Z'),
}) {}
