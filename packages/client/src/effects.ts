import type { EffetsItem } from './generated/partenaire/types.gen.js';

/** Names in the header and in a task. */
const NAMES = {
  crees: 'crees',
  modifies: 'modifies',
  inchanges: 'inchanges',
  termines: 'termines',
  'champs-vides': 'champsVides',
  refuses: 'refuses',
} as const satisfies Record<string, keyof EffetsItem>;

/**
 * Returns the effects of a sync, from the header `Mandat-Effets` of its response; undefined if it has none, as the 202 of
 * a task. A task that has ended has them in `effets`.
 */
export function effectsOf({ headers }: Response): EffetsItem | undefined {
  const text = headers.get('mandat-effets');
  if (text === null) return undefined;
  // Integers of a dictionary (RFC 9651, section 3.2). Unknown members are ignored, and so are parameters.
  const members = new Map(
    text.split(',').map((member) => {
      const [key, number] = member.split(';')[0]!.trim().split('=');
      return [key, Number(number)] as const;
    }),
  );
  return Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [name, members.get(key) ?? 0]),
  ) as unknown as EffetsItem;
}
