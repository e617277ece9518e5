import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Campagne } from '../../libs/voting/src/domain/campagne.entity';
import { ACTIVE, ETAT } from '../../libs/voting/src/persistence/campagne.sql';
import { SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { Campaigns } from './support/campaigns';

let app: TestApp;
let campaigns: Campaigns;

beforeAll(async () => {
  app = await TestApp.start();
  campaigns = new Campaigns(app, await app.tenant());
});
afterAll(() => app.stop());

async function now(): Promise<Date> {
  return (await app.database.query<{ at: Date }>('SELECT clock_timestamp() AS at')).rows[0]!.at;
}

describe('the state in SQL and in the domain', () => {
  const NOW = 'statement_timestamp()';

  it('agree on any facts, as reads answer them', async () => {
    const offset = fc.oneof(fc.integer({ min: -2_000, max: 2_000 }), fc.integer({ min: -1e11, max: 1e11 }));
    const facts = fc.record({ one: offset, other: offset, publiee: fc.boolean(), archivee: fc.boolean() });
    const start = Date.now();
    const known = new Map<string, Campagne>();
    for (const [n, { one, other, publiee, archivee }] of fc
      .sample(facts, { numRuns: 400, seed: SEED })
      .entries()) {
      const [ouvertureDuVoteUtc, fermetureDuVoteUtc] = [one, other]
        .sort((a, b) => a - b)
        .map((ms) => new Date(start + ms)) as [Date, Date];
      const id = randomUUID();
      known.set(
        id,
        Object.assign(new Campagne(), { ouvertureDuVoteUtc, fermetureDuVoteUtc, publiee, archivee }),
      );
      await app.database.query(
        `INSERT INTO campagne (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc,
           ordre_reponses_aleatoire, publiee, archivee) VALUES ($1, $2, $3, $3, $4, $5, false, $6, $7)`,
        [campaigns.tenant.tenantId, id, `c-${n}`, ouvertureDuVoteUtc, fermetureDuVoteUtc, publiee, archivee],
      );
    }
    const seen = new Set<string>();
    // Again and again while the dates near to now are passing.
    do {
      const before = await now();
      const { json } = await campaigns.sent('GET');
      const after = await now();
      expect(json).toHaveLength(400);
      for (const { id, etat, estPublie, estArchive } of json) {
        const campagne = known.get(id)!;
        expect([campagne.etat(before), campagne.etat(after)]).toContain(etat);
        expect(estPublie).toBe(['Planifie', 'VoteOuvert', 'Termine'].includes(etat));
        expect(estArchive).toBe(etat === 'Archive');
        seen.add(etat);
      }
    } while (Date.now() < start + 2_500);
    expect([...seen].sort()).toEqual(['Archive', 'Brouillon', 'Planifie', 'Termine', 'VoteOuvert']);
  });

  it('agree to the millisecond, and on what is active', async () => {
    expect(ETAT).toContain(NOW);
    expect(ACTIVE).toContain(NOW);
    const at = new Date('2027-03-01T13:00:00.000Z');
    for (const opening of [-2, -1, 0, 1, 2]) {
      for (const length of [0, 1, 2, 3]) {
        for (const [publiee, archivee, urneClose] of [
          [false, false, false],
          [true, false, false],
          [true, true, false],
          [false, true, false],
          [true, false, true],
        ] as const) {
          // A box is closed after the opening, if the clock goes right.
          if (urneClose && opening > 0) continue;
          const ouvertureDuVoteUtc = new Date(at.getTime() + opening);
          const fermetureDuVoteUtc = new Date(at.getTime() + opening + length);
          const facts = Object.assign(new Campagne(), {
            ouvertureDuVoteUtc,
            fermetureDuVoteUtc,
            publiee,
            archivee,
            urneClose,
          });
          const { rows } = await app.database.query<{ etat: string; active: boolean }>(
            `SELECT ${ETAT.replaceAll(NOW, '$1')} AS etat, ${ACTIVE.replaceAll(NOW, '$1')} AS active
             FROM (SELECT $2::timestamptz(3) AS ouverture_du_vote_utc, $3::timestamptz(3) AS fermeture_du_vote_utc,
               $4::boolean AS publiee, $5::boolean AS archivee, $6::boolean AS urne_close) c`,
            [at, ouvertureDuVoteUtc, fermetureDuVoteUtc, publiee, archivee, urneClose],
          );
          const etat = facts.etat(at);
          expect(rows).toEqual([{ etat, active: ['Planifie', 'VoteOuvert'].includes(etat) }]);
        }
      }
    }
  });
});
