import { openTenant, sign, signed } from '../adhesion/support/cards';
import { expectFaults } from '../http/expect-problem';
import { depth, SEED } from '../setup/depth';
import { perFile, perTest } from '../setup/fixtures';
import { seeded } from '../setup/seeded';
import { type Answer, TestApp } from '../setup/test-app';
import { ChangementsService } from '../../libs/membership/src';
import { employee, employer, job, type Loose, membership, today, union } from '../sync/support';
import { type Changement, CHANGEMENTS, Follower, Mirror } from './changements-support';
import { GUID, INSTANT, synced, syncedV1, times } from './synced';

const app = perFile(() => TestApp.own('changes the schema'));
const space = perTest(() => openTenant(app));

const send = (method: string, path: string, body?: object) => app.send(space.partenaire, method, path, body);
/** Changes in short: `Emploi E-1/J-1 Termine sync`. */
const short = (changes: Changement[]): string[] =>
  changes.map(({ entite, idExterne, idExterneEmploye, nature, origine }) =>
    [entite, [idExterneEmploye, idExterne].filter(Boolean).join('/'), nature, origine].join(' '),
  );
/** Follows the feed from here on. */
async function fromHere(): Promise<Follower> {
  const follower = new Follower(app, space.partenaire);
  await follower.rest();
  return follower;
}

const SYNDICATS = [union('SYN-1', [employer('EMP-1'), employer('EMP-2')])];

describe('GET /b2b/v2/changement', () => {
  it('ends a page of long identifiers by its bytes, and its link leads on', async () => {
    const follower = await fromHere();
    const employes = times(1_000, (n) => `${n}-${'𝄞'.repeat(250)}`);
    await synced(app, space.partenaire, {
      Syndicats: [{ ...union('𝄞'.repeat(255)), Nom: 'Local' }],
      Employes: employes.map((id) => employee(id, { Adhesions: [membership('𝄞'.repeat(255))] })),
    });
    const first = await app.send(space.partenaire, 'GET', follower.next.replace('limite=7', 'limite=1000'));
    const bytes = first.json.map((item: object) => Buffer.byteLength(JSON.stringify(item)));
    expect(Math.max(...bytes)).toBeGreaterThan(1_000);
    const sum = (bytes as number[]).reduce((total, one) => total + one, 0);
    const [, url] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const next = url!.slice(app.config.publicUrl.length);
    const second = await app.send(space.partenaire, 'GET', next);
    const all = await app.send(space.partenaire, 'GET', `${CHANGEMENTS}?entite=Adhesion`);
    expect(all.json).toHaveLength(1_000);
    const third = await app.send(space.partenaire, 'GET', `${CHANGEMENTS}?entite=Adhesion&limite=1000`);
    expect(third.json.length).toBeLessThan(900);
    expect(Buffer.byteLength(JSON.stringify(third.json))).toBeLessThan(1.6 * 1_048_576);
    expect(sum).toBeLessThan(1.6 * 1_048_576);
    expect(second.json[0].id > first.json.at(-1).id).toBe(true);
    const rest = await follower.rest();
    expect(new Set(rest.map(({ id }) => id)).size).toBe(2_001);
  });

  it('200 with exactly the properties of each change, oldest first', async () => {
    const follower = await fromHere();
    const before = Date.now();
    await synced(app, space.partenaire, {
      Syndicats: [union('SYN-9')],
      Employes: [employee('E-9', { Adhesions: [membership('SYN-9')] })],
    });
    const changes = await follower.rest();
    expect(changes.map((one) => Object.keys(one))).toEqual([
      ['id', 'entite', 'idExterne', 'nature', 'date', 'origine', 'syncId'],
      ['id', 'entite', 'idExterne', 'nature', 'date', 'origine', 'syncId'],
      ['id', 'entite', 'idExterne', 'idExterneEmploye', 'nature', 'date', 'origine', 'syncId'],
    ]);
    for (const { id, date, syncId } of changes) {
      expect([id, syncId, date]).toEqual([
        expect.stringMatching(GUID),
        changes[0]!.syncId,
        expect.stringMatching(INSTANT),
      ]);
      expect(Date.parse(date)).toBeGreaterThanOrEqual(before - 1);
    }
    expect(new Set(changes.map(({ id }) => id)).size).toBe(3);
    expect(short(changes)).toEqual([
      'Syndicat SYN-9 Cree sync',
      'Employe E-9 Cree sync',
      'Adhesion E-9/SYN-9 Cree sync',
    ]);
    await send('POST', '/b2b/v1/employeur', { idExterne: 'EMP-9', nom: 'Forge' });
    expect(Object.keys((await follower.rest())[0]!)).toEqual([
      ...['id', 'entite', 'idExterne', 'nature', 'date', 'origine'],
    ]);
  });

  it('each way of writing adds a row; a write without a change adds none', async () => {
    await synced(app, space.partenaire, { Syndicats: SYNDICATS });
    const follower = await fromHere();
    const steps: [work: () => Promise<unknown>, changes: string[]][] = [
      [
        () => send('POST', '/b2b/v1/employeur', { idExterne: 'EMP-3', nom: 'A' }),
        ['Employeur EMP-3 Cree api'],
      ],
      [
        () => send('PUT', '/b2b/v1/employeur', { idExterne: 'EMP-3', nom: 'B' }),
        ['Employeur EMP-3 Modifie api'],
      ],
      [() => send('PUT', '/b2b/v1/employeur', { idExterne: 'EMP-3', nom: 'B' }), []],
      [() => send('DELETE', '/b2b/v1/employeur/EMP-3'), ['Employeur EMP-3 Supprime api']],
      [
        () => send('POST', '/b2b/v2/objet-consentement', { idExterne: 'O-1', nom: 'A' }),
        ['ObjetConsentement O-1 Cree api'],
      ],
      [() => send('DELETE', '/b2b/v2/objet-consentement/O-1'), ['ObjetConsentement O-1 Supprime api']],
      [
        () => send('POST', '/b2b/v1/employe', { idExterne: 'E-3', prenom: 'Zoé', nom: 'Roy' }),
        ['Employe E-3 Cree api'],
      ],
      [
        () =>
          syncedV1(app, space.partenaire, { employes: [{ idExterne: 'E-3', prenom: 'Léa', nom: 'Roy' }] }),
        ['Employe E-3 Modifie sync'],
      ],
      [
        () =>
          syncedV1(app, space.partenaire, { employes: [{ idExterne: 'E-3', prenom: 'Léa', nom: 'Roy' }] }),
        [],
      ],
      [
        () => send('POST', '/b2b/v2/employe/upsert', [employee('E-4', { Emplois: [job('J-1', 'EMP-1')] })]),
        ['Employe E-4 Cree sync', 'Emploi E-4/J-1 Cree sync'],
      ],
      [() => send('POST', '/b2b/v2/sync?simulation=true', { Employes: [employee('E-5')] }), []],
      [
        () =>
          synced(app, space.partenaire, {
            Employes: [employee('E-4', { Emplois: [job('J-2', 'EMP-2')], Adhesions: [membership('SYN-1')] })],
          }),
        [
          'Emploi E-4/J-2 Cree sync',
          'Employe E-4 Modifie sync',
          'Adhesion E-4/SYN-1 Cree sync',
          'Emploi E-4/J-1 Termine sync',
        ],
      ],
      [
        () =>
          synced(app, space.partenaire, {
            Employes: [employee('E-4', { Adhesions: [membership('SYN-1', '2021-05-01', today())] })],
          }),
        ['Adhesion E-4/SYN-1 Termine sync', 'Employe E-4 Modifie sync'],
      ],
      [
        () =>
          synced(app, space.partenaire, {
            Employes: [employee('E-4', { Adhesions: [membership('SYN-1', '2021-05-01', '2099-01-01')] })],
          }),
        ['Adhesion E-4/SYN-1 Modifie sync', 'Employe E-4 Modifie sync'],
      ],
      [
        () => signed(app, space.plateforme, { employeIdExterne: 'E-3', syndicatIdExterne: 'SYN-1' }),
        ['Adhesion E-3/SYN-1 Cree plateforme', 'Employe E-3 Modifie plateforme'],
      ],
      [
        () => send('DELETE', '/b2b/v1/employe/E-4'),
        [
          'Adhesion E-4/SYN-1 Supprime api',
          'Emploi E-4/J-1 Supprime api',
          'Emploi E-4/J-2 Supprime api',
          'Employe E-4 Supprime api',
        ],
      ],
    ];
    for (const [index, [work, expected]] of steps.entries()) {
      await work();
      expect({ index, changes: short(await follower.rest()).sort() }).toEqual({
        index,
        changes: expected.sort(),
      });
    }
  });

  it('pages of any size lead through all changes once, also inside one sync; entite filters', async () => {
    await synced(app, space.partenaire, {
      Syndicats: SYNDICATS,
      Employes: times(40, (n) =>
        employee(`N-${n}`, { Emplois: [job('J', 'EMP-1')], Adhesions: [membership('SYN-1')] }),
      ),
    });
    await send('POST', '/b2b/v1/employeur', { idExterne: 'EMP-9', nom: 'Forge' });
    const all = (await send('GET', CHANGEMENTS)).json as Changement[];
    expect(all.length).toBeGreaterThan(123);
    for (const limite of [1, 7, 50, 1000])
      expect(await new Follower(app, space.partenaire, `${CHANGEMENTS}?limite=${limite}`).rest()).toEqual(
        all,
      );
    for (const entite of ['Employe', 'Emploi', 'Adhesion', 'Employeur', 'Syndicat', 'ObjetConsentement']) {
      const expected = all.filter((one) => one.entite === entite);
      for (const limite of [3, 1000]) {
        const path = `${CHANGEMENTS}?limite=${limite}&entite=${entite}`;
        expect(await new Follower(app, space.partenaire, path).rest()).toEqual(expected);
      }
    }
  });

  it('a filter that nothing passes leads past what it has read', async () => {
    const objets = new Follower(app, space.partenaire, `${CHANGEMENTS}?entite=ObjetConsentement&limite=7`);
    expect(await objets.rest()).toEqual([]);
    const before = objets.next;
    await send('POST', '/b2b/v1/employeur', { idExterne: 'EMP-9', nom: 'Forge' });
    expect(await objets.rest()).toEqual([]);
    expect(objets.next).not.toBe(before);
    await send('POST', '/b2b/v2/objet-consentement', { idExterne: 'O-9', nom: 'A' });
    expect(short(await objets.rest())).toEqual(['ObjetConsentement O-9 Cree api']);
  });

  it('400 for an unknown entity, and another tenant reads nothing of it', async () => {
    expectFaults(await send('GET', `${CHANGEMENTS}?entite=Votant`), { '?entite': 'choice' });
    const other = await openTenant(app);
    const own = (await send('GET', CHANGEMENTS)).json as Changement[];
    const others = (await app.send(other.partenaire, 'GET', CHANGEMENTS)).json as Changement[];
    const ids = new Set(own.map(({ id }) => id));
    expect(others.filter(({ id }) => ids.has(id))).toEqual([]);
  });
});

describe('a change that is committed late', () => {
  it('20 writers in any order and 5 readers: each committed change once, none of a rollback', async () => {
    const random = seeded(SEED);
    const readers = times(5, () => ({
      follower: new Follower(app, space.partenaire),
      seen: [] as Changement[],
    }));
    const read = async (): Promise<void> => {
      const reader = readers[Math.floor(random() * 5)]!;
      reader.seen.push(...(await reader.follower.rest()));
    };
    const committed: string[] = [];
    const clients = await Promise.all(
      times(20, async () => {
        const client = await app.connect();
        return client;
      }),
    );
    try {
      let number = 0;
      for (let round = 0; round < depth(2, 10); round++) {
        const open = await Promise.all(
          clients.map(async (client) => {
            const id = `L-${number++}`;
            await client.query('BEGIN');
            await client.query(`SELECT set_config('app.tenant_id', $1, true)`, [space.tenantId]);
            await client.query(
              `INSERT INTO employe (tenant_id, id_externe, prenom, nom) VALUES ($1, $2, 'Zoé', 'Roy')`,
              [space.tenantId, id],
            );
            return { client, id };
          }),
        );
        while (open.length > 0) {
          const [{ client, id }] = open.splice(Math.floor(random() * open.length), 1) as [(typeof open)[0]];
          const commits = random() < 0.8;
          await client.query(commits ? 'COMMIT' : 'ROLLBACK');
          if (commits) committed.push(id);
          await read();
        }
      }
      for (const { follower, seen } of readers) {
        seen.push(...(await follower.rest()));
        const late = seen.filter(({ idExterne }) => idExterne.startsWith('L-'));
        expect(late.map(({ idExterne }) => idExterne).sort()).toEqual([...committed].sort());
      }
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });
});

describe('a mirror that reads what the feed names', () => {
  const EMPLOYES = ['E-1', 'E-2', 'E-3', 'a/b', '🙂'];
  const EMPLOYEURS = ['EMP-1', 'EMP-2', 'EMP-3'];

  /** Ends of employments and memberships: long ago, far off, and at the beginning of today, as a date and as a moment. */
  const ENDS = ['2020-01-01', '2099-01-01', today(), `${today().slice(0, 10)}T00:00:00-05:00`];

  /** Sends a random write; it may be refused. @returns how many records it has ended, if it is a sync */
  async function write(random: () => number): Promise<number> {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const maybe = <T>(value: T): T | null => (random() < 0.5 ? value : null);
    const id = pick(EMPLOYES);
    const nested = (): Loose => ({
      Courriel: maybe('z@example.org'),
      Emplois: times(Math.floor(random() * 3), (n) =>
        job(`J-${n}`, pick(EMPLOYEURS), { DateFin: maybe(pick(ENDS)) }),
      ),
      Adhesions: [membership(pick(['SYN-1', 'SYN-2']), '2021-05-01', maybe(pick(ENDS)))],
    });
    const v1 = () => ({
      idExterne: id,
      prenom: 'Zoé',
      nom: pick(['Roy', 'Cyr']),
      identifiantExterneEmployeur: maybe(pick(EMPLOYEURS)),
    });
    const answer = await pick<() => Promise<Answer>>([
      () =>
        send('POST', '/b2b/v2/sync', {
          Syndicats: [
            union(pick(['SYN-1', 'SYN-2']), [employer(pick(EMPLOYEURS), { Nom: pick(['A', 'B']) })]),
          ],
        }),
      () => send('POST', '/b2b/v2/sync', { Employes: EMPLOYES.map((one) => employee(one, nested())) }),
      () => send('POST', '/b2b/v2/employe/upsert', [employee(id, nested())]),
      () =>
        send('POST', '/b2b/v1/employe/sync', {
          employes: [v1()],
          employeurs: [{ idExterne: pick(EMPLOYEURS), nom: pick(['A', 'B']) }],
        }),
      () => send('POST', '/b2b/v1/employe', v1()),
      () => send('PUT', '/b2b/v1/employe', v1()),
      () => send('DELETE', `/b2b/v1/employe/${encodeURIComponent(id)}`),
      () => send('PUT', '/b2b/v1/employeur', { idExterne: pick(EMPLOYEURS), nom: pick(['A', 'B']) }),
      () => send('DELETE', `/b2b/v1/employeur/${pick(EMPLOYEURS)}`),
      () => send('POST', '/b2b/v2/objet-consentement', { idExterne: pick(['O-1', 'O-2']), nom: 'A' }),
      () => send('DELETE', `/b2b/v2/objet-consentement/${pick(['O-1', 'O-2'])}`),
      () =>
        sign(app, space.plateforme, { employeIdExterne: id, syndicatIdExterne: pick(['SYN-1', 'SYN-2']) }),
    ])();
    return Number(/termines=(\d+)/.exec(answer.headers.get('mandat-effets') ?? '')?.[1] ?? 0);
  }

  it('is byte for byte the master data after any sequence of writes by all ways', async () => {
    const random = seeded(SEED);
    let all = 0;
    for (let sequence = 0; sequence < depth(6, 1000); sequence++) {
      Object.assign(space, await openTenant(app));
      await synced(app, space.partenaire, {
        Syndicats: [
          union(
            'SYN-1',
            EMPLOYEURS.map((id) => employer(id)),
          ),
        ],
      });
      const mirror = new Mirror(app, space.partenaire);
      let ended = 0;
      for (let step = 0; step < 24; step++) {
        ended += await write(random);
        if (random() < 0.3) await mirror.follow();
      }
      await mirror.follow();
      const { mirrored, stored } = await mirror.compared();
      expect({ sequence, ...mirrored }).toEqual({ sequence, ...stored });
      // The feed and Mandat-Effets decide by the same rule what a sync has ended.
      const terminated = mirror.seen.filter(
        ({ nature, origine }) => nature === 'Termine' && origine === 'sync',
      );
      expect({ sequence, ended: terminated.length }).toEqual({ sequence, ended });
      all += ended;
    }
    expect(all).toBeGreaterThan(10);
  }, 3_600_000);

  it.each<[string, Loose]>([
    ['emploi', { Employes: [employee('E-1', { Emplois: [job('J-1', 'EMP-1')] })] }],
    ['membership', { Employes: [employee('E-1', { Adhesions: [membership('SYN-1')] })] }],
    ['employeur', { Syndicats: [union('SYN-1', [employer('EMP-1', { Nom: 'Neuf' })])] }],
    ['syndicat', { Syndicats: [union('SYN-1', [], { Nom: 'Neuf' })] }],
    ['objet_consentement', { ObjetsConsentement: [{ IdExterne: 'O-1', Nom: 'Neuf' }] }],
  ])('is found wrong if the writes of %s are not in the feed', async (table, body) => {
    await synced(app, space.partenaire, { Syndicats: SYNDICATS, Employes: [employee('E-1')] });
    const mirror = new Mirror(app, space.partenaire);
    await mirror.follow();
    // An employee changes with the records that are nested in it.
    const silenced = [table, 'employe'];
    const all = (how: string) =>
      Promise.all(silenced.map((one) => app.database.query(`ALTER TABLE ${one} ${how} TRIGGER USER`)));
    await all('DISABLE');
    try {
      await synced(app, space.partenaire, body);
    } finally {
      await all('ENABLE');
    }
    await mirror.follow();
    const { mirrored, stored } = await mirror.compared();
    expect(mirrored).not.toEqual(stored);
  });
});

describe('the months', () => {
  const months = async (): Promise<string[]> =>
    (
      await app.database.query<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'changement'::regclass ORDER BY 1`,
      )
    ).rows.map(({ name }) => name);

  /** The first identifier of a day, or of the day some time later. */
  async function border(day: string, later = '0 days'): Promise<string> {
    const text = `SELECT changement_borne(('${day}'::date + '${later}'::interval)::date) AS id`;
    return (await app.database.query<{ id: string }>(text)).rows[0]!.id;
  }

  it('exist a year ahead, and go when all their changes are over 400 days old', async () => {
    const service = app.app.get(ChangementsService);
    const before = await months();
    expect(before).toHaveLength(13);
    await app.database.query(
      `DROP TABLE ${before.at(-1)}, ${before.at(-1)!.replace('changement', 'changement_lot')}`,
    );
    await service.makeMonths();
    expect([await months(), await service.dropMonths()]).toEqual([before, 0]);
    // Two months of changes: all of one are over 400 days old, some of the other are not.
    const first = (days: number): string =>
      `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 7)}-01`;
    const suffix = (day: string): string => day.slice(0, 7).replace('-', '_');
    const [old, recent] = [first(500), first(390)];
    for (const day of [old, recent]) {
      for (const table of ['changement', 'changement_lot']) {
        await app.database.query(
          `CREATE TABLE ${table}_${suffix(day)} PARTITION OF ${table} FOR VALUES
             FROM ('${await border(day)}') TO ('${await border(day, '1 month')}')`,
        );
      }
    }
    await service.makeMonths();
    expect(await service.dropMonths()).toBe(2);
    expect(await months()).toEqual([`changement_${suffix(recent)}`, ...before].sort());
  });
});
