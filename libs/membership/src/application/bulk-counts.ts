import type { BulkResult } from '#platform/bulk/bulk-upsert';
import type { CheckedList, Refusal } from '#platform/input/checked-list';
import type { RecordDefinition } from '#platform/input/field';

/** Counts of one list. Accepted records that are not new existed before. */
export function countsOf(
  list: CheckedList<RecordDefinition>,
  created: number,
  unknown: readonly Refusal[] = [],
): BulkResult {
  const refusals = [...list.refusals, ...unknown].sort((a, b) => a.index - b.index);
  return { created, updated: list.length - refusals.length - created, refusals };
}
