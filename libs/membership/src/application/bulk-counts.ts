import type { BulkResult } from '#shared/database/bulk-upsert';
import type { CheckedList, Refusal } from '#shared/records/checked-list';
import type { RecordDefinition } from '#shared/records/field';

/** Counts of one list. Accepted records that are not new existed before. */
export function countsOf(
  list: CheckedList<RecordDefinition>,
  created: number,
  unknown: readonly Refusal[] = [],
): BulkResult {
  const refusals = [...list.refusals, ...unknown].sort((a, b) => a.index - b.index);
  return { created, updated: list.length - refusals.length - created, refusals };
}
