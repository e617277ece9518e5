import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { Client } from 'pg';
import { ImageBox } from '../../libs/sync/src/application/image-box';
import { openTenant, PNG, SIGNING_PATH } from '../adhesion/support/cards';
import { Post } from '../messaging/support/post';
import { lockWaits } from '../setup/lock-waits';
import { type Answer, TestApp } from '../setup/test-app';
import { employee, employer, type Loose, membership, Partner, union } from '../sync/support';
import { Campaigns } from '../voting/support/campaigns';
import { ballot, type Vote, Votes } from '../voting/support/votes';
import { Space } from './space';
import { dump, tracesOf } from './support';

let app: TestApp;
let partner: Partner;
let rival: Client;
beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
  rival = await app.connect();
});
afterAll(() => app.stop());
beforeEach(async () => {
  partner = await Partner.start(app);
});
afterEach(async () => {
  await rival.query('ROLLBACK');
});

const path = (id: string): string => `/b2b/v2/employe/${encodeURIComponent(id)}`;
const fuse = (keep: string, idExterneAbsorbe: string, more: object = {}, query = ''): Promise<Answer> =>
  partner.send('POST', `${path(keep)}/fusion${query}`, { idExterneAbsorbe, ...more });
const read = (id: string): Promise<Answer> => partner.send('GET', path(id));
async function employees(...list: object[]): Promise<void> {
  const { text } = await partner.sync({
    Syndicats: ['SYN', 'SYN-2'].map((id) => union(id, [employer('EMP'), employer('EMP-2')])),
    Employes: list,
  });
  expect(text).not.toContain('Message');
}
const rename = async (...pairs: [string, string][]): Promise<Answer> =>
  partner.send(
    'POST',
    '/b2b/v2/employe/nouveaux-identifiants',
    pairs.map(([ancien, nouveau]) => ({ ancien, nouveau })),
  );
const person = (id: string): string =>
  `/admin/v1/clients/${partner.tenant.clientId}/environnements/staging/employes/${id}`;
const exported = async (id: string, query = ''): Promise<Loose> =>
  (await app.send(app.adminKey, 'GET', person(id) + query)).json as Loose;
const erase = (id: string, query = ''): Promise<Answer> =>
  app.send(app.adminKey, 'DELETE', person(id) + query);

describe('Rolls', () => {
  let votes: Votes;
  let campaigns: Campaigns;
  beforeEach(async () => {
    campaigns = new Campaigns(app, partner.tenant);
    votes = await Votes.of(app, campaigns);
    await employees(...['A', 'B', 'C'].map((id) => employee(id, { Courriel: `${id}@example.org` })));
  });
  const roll = (vote: Vote) =>
    campaigns.rows<{ id: string; employe: string | null; voted: boolean }>(
      `SELECT id_unique AS id, employe_id_externe AS employe, a_vote AS voted FROM votant
       WHERE tenant_id = $1 AND campagne_id = $2`,
      vote.id,
    );
  async function opened(...ids: string[]): Promise<Vote> {
    const vote = await votes.opened(1);
    await campaigns.sent('POST', `/${vote.id}/liste-electorale`, { EmployesIdExternes: ids });
    const all = await roll(vote);
    return { ...vote, voters: ids.map((id) => all.find(({ employe }) => employe === id)!.id) };
  }

  it.each([[[0]], [[]]])(
    'a place that is given to another employee meanwhile stays (voted: %j)',
    async (voted) => {
      const vote = await opened('A', 'B');
      for (const n of voted) await votes.voted(vote, n);
      await rival.query('BEGIN');
      await rival.query('SELECT FROM votant WHERE id_unique = $1 FOR UPDATE', [vote.voters[1]]);
      const giving = campaigns.send('POST', `/${vote.id}/votants/upsert`, {
        ...{ VotantId: vote.voters[1], Prenom: 'C', Nom: 'C', EmployeIdExterne: 'C' },
      });
      await lockWaits(app.database);
      const merging = fuse('A', 'B');
      await lockWaits(app.database, 2);
      await rival.query('ROLLBACK');
      const [given, merged] = await Promise.all([giving, merging]);
      const left = await roll(vote);
      expect([given.status, merged.status, merged.text, left.map(({ employe }) => employe).sort()]).toEqual([
        ...[200, 200, expect.any(String), ['A', 'C', null]],
      ]);
    },
  );

  it('a vote that ends while the merge waits for a voter: the merge is done', async () => {
    const vote = await opened('A', 'B');
    await rival.query('BEGIN');
    await rival.query('SELECT FROM votant WHERE id_unique = $1 FOR UPDATE', [vote.voters[1]]);
    await app.database.query(
      `UPDATE campagne SET fermeture_du_vote_utc = clock_timestamp() + interval '2 seconds' WHERE id_unique = $1`,
      [vote.id],
    );
    const merging = fuse('A', 'B');
    await lockWaits(app.database);
    await new Promise((done) => setTimeout(done, 2500));
    await rival.query('ROLLBACK');
    const { status, text } = await merging;
    expect([status, text]).toEqual([200, expect.any(String)]);
  });
});

describe('Votes', () => {
  it('go on in a campaign that is about to be closed while a merge waits for the roll of another one', async () => {
    const campaigns = new Campaigns(app, partner.tenant);
    const votes = await Votes.of(app, campaigns);
    await employees(employee('A'), employee('B'));
    const [one, other] = [await votes.opened(1), await votes.opened(1)];
    await campaigns.sent('POST', `/${one.id}/liste-electorale`, { EmployesIdExternes: ['A', 'B'] });
    await campaigns.sent('POST', `/${other.id}/liste-electorale`, { EmployesIdExternes: ['A', 'B'] });
    await rival.query('BEGIN');
    await rival.query('SELECT FROM votant WHERE campagne_id = $1 FOR UPDATE', [one.id]);
    const merging = fuse('A', 'B');
    await lockWaits(app.database);
    const closing = campaigns.send('POST', `/${other.id}/fermer`);
    await lockWaits(app.database, 2);
    const begun = Date.now();
    const voted = votes.cast(other.id, ballot(other, 0));
    const { status } = await Promise.race([
      voted,
      new Promise<{ status: number }>((done) => setTimeout(() => done({ status: 0 }), 8_000)),
    ]);
    const took = Date.now() - begun;
    await rival.query('ROLLBACK');
    await Promise.all([merging, closing, voted]);
    expect([status, took < 1_000]).toEqual([201, true]);
  }, 60_000);
});

describe('A key without the module vote', () => {
  it('does not learn from a simulation who has voted', async () => {
    const campaigns = new Campaigns(app, partner.tenant);
    const votes = await Votes.of(app, campaigns);
    await employees(employee('A'), employee('B'));
    const vote = await votes.opened(1);
    await campaigns.sent('POST', `/${vote.id}/liste-electorale`, { EmployesIdExternes: ['A', 'B'] });
    const [b] = await campaigns.rows<{ id: string }>(
      `SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND employe_id_externe = 'B'`,
      vote.id,
    );
    const { json: key } = await app.send(
      app.adminKey,
      'POST',
      `/admin/v1/clients/${partner.tenant.clientId}/cles`,
      {
        ...{ nom: 'Paie', environnement: 'staging', role: 'partenaire', modules: [] },
      },
    );
    const simulate = () =>
      app.send(key as { cle: string }, 'POST', `${path('A')}/fusion?simulation=true`, {
        idExterneAbsorbe: 'B',
      });
    const before = await simulate();
    await votes.voted({ ...vote, voters: [b!.id] }, 0);
    const after = await simulate();
    expect([before.status, after.json]).toEqual([200, before.json]);
  });
});

describe('Simulation', () => {
  it('writes nothing', async () => {
    const campaigns = new Campaigns(app, partner.tenant);
    const votes = await Votes.of(app, campaigns);
    await partner.defineField('Casque', 'texte');
    const valeur = (Valeur: string) => ({
      ValeursChampUtilisateur: [{ NomChamp: 'Casque', Valeur }],
      Adhesions: [membership('SYN')],
    });
    await employees(employee('A', valeur('1')), employee('B', valeur('2')));
    const vote = await votes.opened(1);
    await campaigns.sent('POST', `/${vote.id}/liste-electorale`, { EmployesIdExternes: ['A', 'B'] });
    const etags = async () => {
      const got = [];
      for (const p of ['/b2b/v2/employe', '/b2b/v2/emploi', `/b2b/v1/campagnes/${vote.id}/votants`])
        got.push((await partner.send('GET', p)).headers.get('etag'));
      return got;
    };
    const [before, tags] = [await dump(app), await etags()];
    const { status } = await fuse('A', 'B', {}, '?simulation=true');
    const [after, tagsAfter] = [await dump(app), await etags()];
    expect([status, tagsAfter]).toEqual([200, tags]);
    for (const [table, rows] of before)
      if (!/^(pgboss|lease|bail|job|sonde)/.test(table))
        expect([table, after.get(table)]).toEqual([table, rows]);
  });
});

describe('Persons', () => {
  it('supprime=true by an absorbed identifier leaves the present employee alone', async () => {
    await employees(employee('A', { Prenom: 'Anne' }), employee('B', { Prenom: 'Anne', Nom: 'Double' }));
    expect((await fuse('A', 'B')).status).toBe(200);
    const before = await exported('A');
    expect(before.anciensEmployes).toHaveLength(1);
    const gone = await erase('B', '?supprime=true');
    const after = await exported('A');
    expect([
      gone.status,
      (after.anciensEmployes as unknown[]).length,
      (after.changements as unknown[]).length,
    ]).toEqual([404, 1, (before.changements as unknown[]).length]);
  });

  it('supprime=true by an absorbed identifier shows the deleted person of before, and not the present one', async () => {
    const space = await Space.make(app);
    const { one } = space;
    const id = await space.fill();
    await space.leave(id);
    await space.done(
      space.partner('POST', '/b2b/v1/employe', { idExterne: one.idExterne, prenom: 'Neuve', nom: 'Autre' }),
    );
    await space.done(
      space.partner('POST', '/b2b/v1/employe', { idExterne: 'KEEP', prenom: 'Neuve', nom: 'Gardée' }),
    );
    const keep = (await space.partner('GET', path('KEEP'))).json as Loose;
    const absorbed = (await space.partner('GET', path(one.idExterne))).json as Loose;
    await space.done(space.partner('POST', `${path('KEEP')}/fusion`, { idExterneAbsorbe: one.idExterne }));
    const former = (await space.read(one, '?supprime=true')).text;
    expect(former).toContain(one.prenom);
    expect([former.includes(String(keep.idUnique)), former.includes(String(absorbed.idUnique))]).toEqual([
      false,
      false,
    ]);
  });

  it('an undo of the sync that made the employee that stays does not remove the one that was there before', async () => {
    await employees(employee('B', { Prenom: 'Bea', Nom: 'Roy' }));
    const { headers } = await partner.sync({ Employes: [employee('A', { Prenom: 'Bea', Nom: 'Roy' })] });
    expect(headers.get('mandat-effets')).toContain('crees');
    const [sync] = (await partner.get('/b2b/v2/sync')) as { id: string }[];
    expect((await fuse('A', 'B')).status).toBe(200);
    const answer = await partner.send('POST', `/b2b/v2/sync/${sync!.id}/annuler`);
    expect([answer.status, (await read('A')).status]).toEqual([409, 200]);
  });

  it('an undo does not take a membership that the absorbed employee had before', async () => {
    await employees(employee('B', { Adhesions: [membership('SYN')] }), employee('A'));
    await partner.sync({ Employes: [employee('A', { Adhesions: [membership('SYN')] })] });
    const [sync] = (await partner.get('/b2b/v2/sync')) as { id: string }[];
    expect((await fuse('A', 'B')).status).toBe(200);
    const answer = await partner.send('POST', `/b2b/v2/sync/${sync!.id}/annuler`);
    expect([answer.status, (await read('A')).json.adhesions.length]).toEqual([409, 1]);
  });
});

describe('Others', () => {
  it('a person whom an undo removed and another put back: renamed, deleted and erased without a trace', async () => {
    await employees();
    const x = `x-${randomUUID()}`;
    const secret = `S${randomUUID()}`;
    const last = async (): Promise<string> =>
      ((await partner.get('/b2b/v2/sync')) as { id: string }[])[0]!.id;
    const undo = async (id: string): Promise<Answer> => partner.send('POST', `/b2b/v2/sync/${id}/annuler`);
    await employees(employee(x, { Prenom: secret, Adhesions: [membership('SYN')] }));
    const idUnique = String((await read(x)).json.idUnique);
    const made = await last();
    expect((await undo(made)).status).toBe(200);
    expect((await read(x)).status).toBe(404);
    expect((await undo(await last())).status).toBe(200);
    expect((await read(x)).json.idUnique).toBe(idUnique);
    expect((await rename([x, 'Y'])).status).toBe(200);
    await employees(employee('K'));
    expect((await fuse('K', 'Y')).status).toBe(200);
    await employees(employee(x, { Prenom: 'Neuve', Nom: 'Neuve' }));
    const shown = JSON.stringify({ ...(await exported(x)), journal: [] });
    expect(shown).not.toContain(idUnique);
    expect((await erase('K')).status).toBe(204);
    expect((await read(x)).status).toBe(200);
    expect(JSON.stringify({ ...(await exported(x)), journal: [] })).toEqual(shown);
    const dumped = await dump(app);
    dumped.delete('journal');
    expect(tracesOf([secret, idUnique], dumped)).toEqual([]);
    const { rows } = await app.database.query(
      `SELECT s.id_unique AS id, cle, ARRAY(SELECT octets FROM sync_image i WHERE i.sync_id = s.id_unique ORDER BY n) AS images
       FROM sync s WHERE tenant_id = $1 AND cle IS NOT NULL`,
      [partner.tenant.tenantId],
    );
    for (const row of rows as { id: string; cle: Buffer; images: Buffer[] }[]) {
      const notes = app.app.get(ImageBox).open(partner.tenant.tenantId, row.id, row);
      const chunks: Buffer[] = [];
      for await (const chunk of Readable.from((notes as unknown as { chunks: Buffer[] }).chunks).pipe(
        createZstdDecompress(),
      ) as AsyncIterable<Buffer>)
        chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).not.toContain(secret);
    }
  });

  it('an e-mail that waits for both goes to the person once', async () => {
    const post = Post.of(app, partner.tenant);
    await employees(
      employee('A', { Courriel: 'a@example.org' }),
      employee('B', { Courriel: 'b@example.org' }),
    );
    const { id } = await post.email({ idExternes: ['A', 'B'] });
    expect((await fuse('A', 'B')).status).toBe(200);
    const etats = (await post.destinataires(id)).map(({ idExterne, etat }) => [idExterne, etat]);
    expect(etats.filter(([, etat]) => etat === 'EnAttente')).toEqual([['A', 'EnAttente']]);
  });

  it('a card that is signed for the absorbed employee meanwhile is not lost', async () => {
    const open = await openTenant(app);
    const send = (method: string, to: string, body?: object) => app.send(open.partenaire, method, to, body);
    await send('POST', '/b2b/v2/sync', {
      Syndicats: [union('SYN-1')],
      Employes: [employee('A'), employee('B')],
    });
    await rival.query('BEGIN');
    await rival.query(`SELECT FROM employe WHERE tenant_id = $1 FOR UPDATE`, [open.partenaire.tenantId]);
    const merging = send('POST', `${path('A')}/fusion`, { idExterneAbsorbe: 'B' });
    await lockWaits(app.database);
    const signing = app.send(open.plateforme, 'POST', SIGNING_PATH, {
      ...{ employeIdExterne: 'B', syndicatIdExterne: 'SYN-1', prenom: 'D', nom: 'A' },
      ...{ courriel: 'd@example.org', imageSignature: PNG, dateSignature: '2025-01-01T00:00:00Z' },
    });
    await lockWaits(app.database, 2);
    await rival.query('ROLLBACK');
    const [merged, signed] = await Promise.all([merging, signing]);
    expect([merged.status, signed.status < 300]).toEqual([200, true]);
  });

  it('a chain of merges, with identifiers that others have now: one person, and no trace after the erasure', async () => {
    const unique = ['x', 'y', 'z'].map((one) => `${one}-${randomUUID()}`);
    const [a, b, c] = unique as [string, string, string];
    await employees(...unique.map((id) => employee(id, { Prenom: `P${id}`, Nom: `N${id}` })));
    const ids = [];
    for (const id of unique) ids.push(String((await read(id)).json.idUnique));
    expect((await fuse(b, c)).status).toBe(200);
    expect((await fuse(a, b)).status).toBe(200);
    await employees(employee(b, { Prenom: 'Neuve', Nom: 'Autre' }));
    const neuve = String((await read(b)).json.idUnique);
    const before = (await exported(b)).changements as unknown[];
    expect((await partner.send('DELETE', `/b2b/v1/employe/${a}`)).status).toBeLessThan(300);
    const shown = await exported(c);
    expect(
      (shown.anciensEmployes as Loose[]).map(({ employes }) => (employes as string[]).toSorted()),
    ).toEqual([ids.toSorted()]);
    expect(JSON.stringify(shown)).not.toContain(neuve);
    expect((await erase(c)).status).toBe(204);
    expect((await exported(b)).changements).toEqual(before);
    const dumped = await dump(app);
    dumped.delete('journal');
    expect(tracesOf([a, c, ...ids, `P${a}`, `P${b}`, `P${c}`], dumped)).toEqual([]);
    expect((await erase(b)).status).toBe(204);
  });
});

describe('Times', () => {
  const two = async (): Promise<void> =>
    employees(
      employee('A', { Prenom: 'Un', Nom: 'Premier' }),
      employee('B', { Prenom: 'Deux', Nom: 'Second' }),
    );
  it('the employee of an identifier is deleted during a sync: the data of the sync belongs to the new employee', async () => {
    await two();
    // The former person is another one: a row with its names stays.
    const campaigns = new Campaigns(app, partner.tenant);
    const id = await campaigns.ready();
    await campaigns.sent('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['A'] });
    await campaigns.sent('POST', `/${id}/publier`);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    await campaigns.sent('POST', `/${id}/fermer`);
    await rival.query('BEGIN');
    await rival.query(`SELECT FROM syndicat WHERE tenant_id = $1 FOR UPDATE`, [partner.tenant.tenantId]);
    const syncing = partner.sync({
      Syndicats: [{ ...union('SYN', [employer('EMP')]), Nom: 'Autre nom' }],
      Employes: [employee('A', { Prenom: 'SECRET', Nom: 'Neuve' })],
    });
    await lockWaits(app.database);
    expect((await partner.send('DELETE', '/b2b/v1/employe/A')).status).toBeLessThan(300);
    await rival.query('ROLLBACK');
    const { status, text } = await syncing;
    expect([status, text.includes('Message')]).toEqual([200, false]);
    expect((await read('A')).json.prenom).toBe('SECRET');
    const [sync] = (await partner.get('/b2b/v2/sync')) as { id: string }[];
    const texts = async (): Promise<string> => {
      const { rows } = await app.database.query(
        `SELECT cle, ARRAY(SELECT octets FROM sync_image i WHERE i.sync_id = s.id_unique ORDER BY n) AS images FROM sync s WHERE id_unique = $1`,
        [sync!.id],
      );
      const notes = app.app.get(ImageBox).open(partner.tenant.tenantId, sync!.id, rows[0]);
      const chunks: Buffer[] = [];
      for await (const chunk of Readable.from((notes as unknown as { chunks: Buffer[] }).chunks).pipe(
        createZstdDecompress(),
      ) as AsyncIterable<Buffer>)
        chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    expect(await texts()).toContain('SECRET');
    expect(await exported('A')).toMatchObject({ anciensEmployes: [] });
    expect((await erase('A')).status).toBe(204);
    expect(await texts()).not.toContain('SECRET');
  });

  it('a renaming waits for a sync that names the new identifier, and would write to another person', async () => {
    await employees(employee('X', { Prenom: 'Xavier' }));
    const body = { Employes: [employee('A', { Prenom: 'Anne', Nom: 'Autre' })] };
    const queued = await partner.sync(body, '', { Prefer: 'respond-async' });
    expect(queued.status).toBe(202);
    expect((await rename(['X', 'A'])).status).toBe(409);
  });

  it('the same for one renaming', async () => {
    await employees(employee('X', { Prenom: 'Xavier' }));
    await partner.sync({ Employes: [employee('A', { Prenom: 'Anne', Nom: 'Autre' })] }, '', {
      Prefer: 'respond-async',
    });
    const answer = await partner.send('POST', '/b2b/v2/employe/X/nouvel-identifiant', { idExterne: 'A' });
    expect(answer.status).toBe(409);
  });

  it('rows of a person who was deleted before the table had deletions are not those of the next holder', async () => {
    await two();
    const campaigns = new Campaigns(app, partner.tenant);
    const id = await campaigns.ready();
    await campaigns.sent('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['A'] });
    await campaigns.sent('POST', `/${id}/publier`);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    await campaigns.sent('POST', `/${id}/fermer`);
    expect((await partner.send('DELETE', '/b2b/v1/employe/A')).status).toBeLessThan(300);
    // As an earlier release left it.
    await app.database.query('DELETE FROM ancien_identifiant WHERE tenant_id = $1', [
      partner.tenant.tenantId,
    ]);
    await new Promise((done) => setTimeout(done, 1_500));
    await employees(employee('A', { Prenom: 'Trois', Nom: 'Troisième' }));
    const natures = ((await exported('A')).changements as Loose[]).map(({ nature }) => nature);
    expect(natures).toEqual(['Cree']);
  });
});
