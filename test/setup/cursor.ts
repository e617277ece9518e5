import type { Position } from '../../libs/platform/src/database/json-items';
import type { CallerRequest } from '../../libs/platform/src/limits/caller';
import { ownerOf } from '../../libs/platform/src/http/list-sender';
import { cursorOf } from '../../libs/platform/src/http/listing';

/** Returns a cursor as in `next` links, because following them would take thousands of requests. */
export function cursorAt(
  tenantId: string,
  path: string,
  filters: Readonly<Record<string, string>>,
  position: Position,
): string {
  const caller = { tenantId } as CallerRequest['caller'];
  return cursorOf(position, ownerOf({ caller, path, query: filters }));
}

/** Returns the position that a cursor has. */
export function positionOf(cursor: string): Position {
  const [time, id] = Buffer.from(cursor, 'base64url').toString().split('.');
  return { date: new Date(Number(time)), id: id! };
}
