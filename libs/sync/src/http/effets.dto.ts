import { WithHeaders } from '#platform/http/answers.decorator';
import { languageHeaders } from '#platform/http/language';
import { streamedJson } from '#platform/http/json-parts';
import type { Streamed } from '#platform/http/streamed';
import { ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { dictionaryOf } from '../application/effets';
import type { Effets, Synced } from '../domain/effets.types';
import type { Language } from '#platform/errors/text';

/** Effects of a sync, in the task and in the event. The header has the same numbers. */
export class EffetsItem
  extends ItemOf({
    crees: value.integer('New records, nested ones included.', 3),
    modifies: value.integer('Stored records that were changed and not ended.', 1),
    inchanges: value.integer('Stored records that were accepted without a change.', 10),
    termines: value.integer(
      'Employments and memberships that the sync ended: those sent with an end, and employments left out.',
      2,
    ),
    champsVides: value.integer('Values of stored records that the sync cleared.', 5),
    refuses: value.integer('Rejected records; of an undo, records that it has left as they are.', 0),
    supprimes: value.optional(
      value.integer('Of an undo only: records that it removed, because the sync had made them.', 0),
    ),
  })
  implements Effets {}

const HEADER = 'Mandat-Effets';

/** The header of a sync's response, for `@Answers`. */
export const EFFETS_HEADERS = {
  [HEADER]:
    'Effects of the sync, a dictionary (RFC 9651): `crees=3, modifies=1, inchanges=10, termines=2, champs-vides=5, refuses=0`.',
};

/** Returns the response of a sync, which may have hundreds of thousands of errors. @param language of their messages */
export async function answerOf(
  { resultat, effets }: Synced<object>,
  language: Language,
): Promise<WithHeaders<Streamed>> {
  return withEffets(await streamedJson(resultat), effets, languageHeaders(language));
}

/** Returns a response with the header of effects. */
export function withEffets<R>(item: R, effets: Effets, headers: Readonly<Record<string, string>> = {}) {
  return new WithHeaders({ ...headers, [HEADER]: dictionaryOf(effets) }, item);
}
