import { setTimeout as sleep } from 'node:timers/promises';
import { Stop } from './checks';
import type { Client } from './client';

/** A task that the service does while the caller does not wait. */
export interface Tache<T> {
  readonly etat: 'EnAttente' | 'EnCours' | 'Reussie' | 'Echouee';
  readonly traites: number;
  readonly total: number;
  readonly resultat?: T;
  readonly erreur?: { readonly code: string; readonly detail: string };
}

export interface FollowOptions {
  /** Told how far the task has come, at each look. */
  readonly onProgress?: (traites: number) => void;
  /** How long a task may wait before it begins: a worker takes one up within a second. */
  readonly patienceMs?: number;
  readonly intervalMs?: number;
}

/**
 * Looks at a task until it is done.
 *
 * @param path what `Location` named
 * @throws Stop, when the task fails or nobody takes it up
 */
export async function follow<T>(client: Client, path: string, options: FollowOptions = {}): Promise<T> {
  const { onProgress, patienceMs = 30_000, intervalMs = 250 } = options;
  const began = performance.now();
  for (;;) {
    const { body } = await client.get<Tache<T>>(path);
    const { etat, traites, resultat, erreur } = body;
    onProgress?.(traites);
    if (etat === 'Reussie') return resultat!;
    if (etat === 'Echouee') throw new Stop(`The task failed: ${erreur?.code}: ${erreur?.detail}`);
    const waited = performance.now() - began;
    if (etat === 'EnAttente' && waited >= patienceMs) {
      throw new Stop(
        `The task still waits after ${Math.round(waited / 1000)} s: no worker takes it up. \`npm start\` runs one.`,
      );
    }
    await sleep(intervalMs);
  }
}
