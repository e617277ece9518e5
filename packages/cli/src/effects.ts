import type { EffetsItem } from '@mandat/client';
import { counted } from './failure.js';

/** Numbers of changes; an undo has other members than a sync. */
export type Effects = Partial<EffetsItem> & { readonly supprimes?: number };

/** Returns `3 created, 1 modified, …` without zeros. */
export function effectsText(effects: Effects): string {
  const {
    crees = 0,
    modifies = 0,
    termines = 0,
    supprimes = 0,
    champsVides = 0,
    inchanges = 0,
    refuses = 0,
  } = effects;
  const parts: [number, string][] = [
    [crees, `${number(crees)} created`],
    [modifies, `${number(modifies)} modified`],
    [termines, `${number(termines)} ended`],
    [supprimes, `${number(supprimes)} deleted`],
    [champsVides, `${counted(champsVides, 'value')} cleared`],
    [inchanges, `${number(inchanges)} unchanged`],
    [refuses, `${number(refuses)} refused`],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([, text]) => text);
  return shown.length > 0 ? shown.join(', ') : 'no records';
}

export function hasChanges({
  crees = 0,
  modifies = 0,
  termines = 0,
  supprimes = 0,
  champsVides = 0,
}: Effects): boolean {
  return crees + modifies + termines + supprimes + champsVides > 0;
}

const number = (count: number): string => count.toLocaleString('en');
