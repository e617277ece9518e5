import type { Scrutin } from '@mandat/ballot';
import { randomScalar, sealWith } from '@mandat/ballot/check';
import { libsodium } from '@mandat/ballot/guardians';
import { parentPort, workerData } from 'node:worker_threads';

/** A voter, and the place of the chosen option. */
export interface ToSeal {
  readonly votant: string;
  readonly option: number;
}

// Devices seal with the group of `@mandat/ballot`; that of libsodium is many times faster, and the ballots are the same.
parentPort!.on('message', (voters: readonly ToSeal[]) => {
  void libsodium().then((group) => {
    const ballots = voters.map(
      ({ votant, option }) =>
        sealWith(group, () => randomScalar(), workerData as Scrutin, votant, [[option]]).cast()
          .BulletinChiffre,
    );
    parentPort!.postMessage(ballots);
  });
});
