import { Stop } from '../../examples/checks';
import type { Client } from '../../examples/client';
import { follow, type Tache } from '../../examples/task';

/** A client to whom a task shows these states, one at each look, and the last of them for ever. */
function looking(...states: Partial<Tache<string>>[]): { client: Client; paths: string[] } {
  const paths: string[] = [];
  const get = async (path: string): Promise<{ body: unknown }> => {
    paths.push(path);
    return { body: { traites: 0, total: 10, ...(states.length > 1 ? states.shift() : states[0]) } };
  };
  return { client: { get } as unknown as Client, paths };
}

describe('the following of a task', () => {
  it('tells how far it is at each look, and answers its result', async () => {
    const { client, paths } = looking(
      { etat: 'EnAttente' },
      { etat: 'EnCours', traites: 4 },
      { etat: 'Reussie', traites: 10, resultat: 'R' },
    );
    const told: number[] = [];
    const onProgress = (traites: number) => void told.push(traites);
    expect(await follow<string>(client, '/t', { onProgress, intervalMs: 1 })).toBe('R');
    expect(told).toEqual([0, 4, 10]);
    expect(paths).toEqual(['/t', '/t', '/t']);
  });

  it('says in one line that no worker runs, where nobody takes it up', async () => {
    const { client, paths } = looking({ etat: 'EnAttente' });
    const following = follow(client, '/t', { patienceMs: 30, intervalMs: 10 });
    await expect(following).rejects.toThrow(Stop);
    await expect(following).rejects.toThrow(
      /^The task still waits after \d+ s: no worker takes it up\. `npm start` runs one\.$/,
    );
    expect(paths.length).toBeGreaterThan(1);
  });

  it('has patience with one that was taken up', async () => {
    const { client } = looking(
      { etat: 'EnCours' },
      { etat: 'EnCours' },
      { etat: 'Reussie', traites: 10, resultat: 'R' },
    );
    expect(await follow<string>(client, '/t', { patienceMs: 0, intervalMs: 10 })).toBe('R');
  });

  it('says why one has failed', async () => {
    const { client } = looking({ etat: 'Echouee', erreur: { code: 'C', detail: 'D.' } });
    await expect(follow(client, '/t')).rejects.toThrow(/^The task failed: C: D\.$/);
  });
});
