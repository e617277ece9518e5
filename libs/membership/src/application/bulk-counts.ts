import type { BulkResult } from '#platform/bulk/bulk-upsert';
import type { MergeCounts } from '#platform/bulk/staged-merge';
import type { CheckedList, Refusal } from '#platform/input/checked-list';
import type { RecordDefinition } from '#platform/input/field';

/**
 * Counts of one list. Accepted records that are not new existed before.
 *
 * @param omitted records that ended because the request left them out
 * @param dropped accepted records whose parent was refused
 */
export function countsOf(
  list: CheckedList<RecordDefinition>,
  merged: MergeCounts,
  unknown: readonly Refusal[] = [],
  { omitted = 0, dropped = 0 }: { omitted?: number; dropped?: number } = {},
): BulkResult {
  const refusals = [...list.refusals, ...unknown].sort((a, b) => a.index - b.index);
  const { created, changed, ended, cleared } = merged;
  const updated = list.length - dropped - refusals.length - created;
  const unchanged = updated - changed - ended;
  return { created, updated, changed, unchanged, ended: ended + omitted, cleared, refusals };
}
