import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { openTenant, PNG, SIGNING_PATH } from '../adhesion/support/cards';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { lockWaits } from '../setup/lock-waits';
import { type Answer, TestApp } from '../setup/test-app';
import { employee, employer, job, type Loose, many, membership, Partner, union } from '../sync/support';
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
const feed = async (): Promise<Loose[]> => (await partner.get('/b2b/v2/changement')) as Loose[];

describe('POST /b2b/v2/employe/:idExterne/fusion', () => {
  it('joins values, employments, memberships and custom values; a simulation says the same and writes nothing', async () => {
    for (const name of ['Casque', 'Gants', 'Bottes']) await partner.defineField(name, 'texte');
    const valeurs = (...pairs: [string, string][]) =>
      pairs.map(([NomChamp, Valeur]) => ({ NomChamp, Valeur }));
    await employees(
      employee('A', {
        ...{ Prenom: 'Zoé', Nom: 'Roy', Ville: 'Laval', Courriel: 'zoe@example.org' },
        Emplois: [job('J-1', 'EMP')],
        Adhesions: [
          membership('SYN', '2021-01-01', '2022-01-01'),
          membership('SYN-2', '2021-01-01', '2024-01-01'),
        ],
        ValeursChampUtilisateur: valeurs(['Casque', '58'], ['Gants', 'M']),
      }),
      employee('B', {
        ...{ Prenom: 'Zoé', Nom: 'Roy-Caron', Province: 'QC', Courriel: 'roy@example.org' },
        Emplois: [job('J-2', 'EMP-2')],
        Adhesions: [membership('SYN', '2020-01-01'), membership('SYN-2', '2022-01-01', '2023-01-01')],
        ValeursChampUtilisateur: valeurs(['Casque', '60'], ['Gants', 'M'], ['Bottes', '43']),
      }),
    );
    const [before, from] = [(await read('A')).json, (await feed()).length];
    const prefere = { courriel: 'absorbe', ville: 'absorbe', nom: 'conserve' };
    const simulated = await fuse('A', 'B', { prefere }, '?simulation=true');
    expect((await read('A')).json).toEqual(before);
    expect((await read('B')).status).toBe(200);
    expect(await feed()).toHaveLength(from);

    const { status, json } = await fuse('A', 'B', { prefere });
    expect([status, json]).toEqual([200, simulated.json]);
    expect(json).toEqual({
      idExterne: 'A',
      effets: {
        champs: [
          { champ: 'nom', retenu: 'conserve' },
          { champ: 'courriel', retenu: 'absorbe' },
          { champ: 'valeursChampUtilisateur.Casque', retenu: 'conserve' },
        ],
        donnees: [
          { section: 'valeursChampUtilisateur', deplacees: 1, reunies: 2 },
          { section: 'emplois', deplacees: 1, reunies: 0 },
          { section: 'appartenances', deplacees: 0, reunies: 2 },
        ],
        votesTouches: [],
      },
    });
    const merged = (await read('A')).json;
    expect(merged).toMatchObject({
      ...{ idUnique: before.idUnique, dateCreation: before.dateCreation, prenom: 'Zoé', nom: 'Roy' },
      ...{ ville: 'Laval', province: 'QC', courriel: 'roy@example.org' },
      emplois: [{ identifiantExterne: 'J-1' }, { identifiantExterne: 'J-2' }],
      adhesions: [
        { syndicatIdExterne: 'SYN', dateAdhesion: '2020-01-01T00:00:00.000Z', dateFin: null },
        {
          ...{ syndicatIdExterne: 'SYN-2', dateAdhesion: '2021-01-01T00:00:00.000Z' },
          dateFin: '2024-01-01T00:00:00.000Z',
        },
      ],
    });
    const texts = merged.valeursChampUtilisateur.map((one: Loose) => [one.nom, one.valeur]);
    expect(Object.fromEntries(texts)).toEqual({ Bottes: '43', Casque: '58', Gants: 'M' });
    for (const version of ['v1', 'v2'])
      expectProblem(
        await partner.send('GET', `/b2b/${version}/employe/B`),
        404,
        'Employe.NotFound',
        '"A" now',
      );
    expect((await feed()).slice(from)).toEqual([
      expect.objectContaining({
        entite: 'Employe',
        idExterne: 'A',
        ancienIdExterne: 'B',
        nature: 'Fusionne',
      }),
    ]);
    const { rows } = await app.database.query(
      `SELECT objet_id FROM journal WHERE tenant_id = $1 AND action = 'employe.fusionner' ORDER BY numero`,
      [partner.tenant.tenantId],
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({ objet_id: before.idUnique });
  });

  it('prefere: all custom values of the absorbed one', async () => {
    await partner.defineField('Casque', 'texte');
    const valeur = (Valeur: string) => ({ ValeursChampUtilisateur: [{ NomChamp: 'Casque', Valeur }] });
    await employees(employee('A', valeur('58')), employee('B', valeur('60')));
    const { json } = await fuse('A', 'B', { prefere: { valeursChampUtilisateur: 'absorbe' } });
    expect(json.effets.champs).toEqual([{ champ: 'valeursChampUtilisateur.Casque', retenu: 'absorbe' }]);
    expect((await read('A')).json.valeursChampUtilisateur).toMatchObject([{ valeur: '60' }]);
  });

  it('an employment of the same identifier is 409 that lists them, and nothing is written', async () => {
    const jobs = (...ids: string[]) => ({ Emplois: ids.map((id) => job(id, 'EMP')) });
    await employees(employee('A', jobs('J-1', 'J-2', 'J-3')), employee('B', jobs('J-2', 'J-3', 'J-4')));
    const before = [(await read('A')).json, (await read('B')).json];
    const answer = await fuse('A', 'B');
    expectProblem(answer, 409, 'Employe.FusionEmploisEnDouble');
    expect(answer.json.errors.map((one: Loose) => String(one.detail).slice(0, 40))).toEqual([
      'both employees have an employment "J-2":',
      'both employees have an employment "J-3":',
    ]);
    expect([(await read('A')).json, (await read('B')).json]).toEqual(before);
  });

  it.each<[string, Loose | string | null, Loose | string | null, string[], string | null]>([
    ['V1 alone, only the other one has an employer', null, 'EMP-2', ['V1 EMP-2'], 'EMP-2'],
    ['V1 alone, both have an employer', 'EMP', 'EMP-2', ['V1 EMP'], 'EMP'],
    ['V1 and V2', 'EMP', { Emplois: [job('J', 'EMP-2')] }, ['J EMP-2', 'V1 EMP'], 'EMP'],
    ['V2 and V1', { Emplois: [job('J', 'EMP-2')] }, 'EMP', ['J EMP-2', 'V1 EMP'], 'EMP'],
    ['nothing and V2', null, { Emplois: [job('J', 'EMP-2')] }, ['J EMP-2'], 'EMP-2'],
  ])('employers: %s', async (_name, one, other, emplois, employeur) => {
    await employees();
    for (const [id, sent] of [
      ['A', one],
      ['B', other],
    ] as const) {
      const person = { prenom: 'Zoé', nom: 'Roy' };
      if (sent !== null && typeof sent === 'object') await employees(employee(id, sent));
      else
        await partner.send('POST', '/b2b/v1/employe', {
          ...{ idExterne: id, ...person, identifiantExterneEmployeur: sent },
        });
    }
    const { status, text } = await fuse('A', 'B');
    expect([status, text]).toEqual([200, expect.any(String)]);
    const { json } = await read('A');
    expect(
      json.emplois
        .map((each: Loose) => [each.identifiantExterne, each.identifiantExterneEmployeur].join(' '))
        .sort(),
    ).toEqual(emplois);
    expect((await partner.send('GET', '/b2b/v1/employe/A')).json.identifiantExterneEmployeur).toBe(employeur);
    const more = await partner.sync({ Employes: [employee('A', { Emplois: [job('NEW', 'EMP')] })] });
    expect(more.json.Employes).toMatchObject({ UpdateCount: 1 });
  });

  it('bad requests say what to do; another tenant’s identifiers are unknown', async () => {
    await employees(employee('A'), employee('B'));
    const other = await Partner.start(app);
    await other.sync({ Employes: [employee('X')] });
    expectProblem(await fuse('NONE', 'B'), 404, 'Employe.NotFound');
    expectProblem(await fuse('X', 'B'), 404, 'Employe.NotFound');
    expect(expectProblem(await fuse('A', 'X'), 404, 'Employe.NotFound')).toEqual({
      '/idExterneAbsorbe': 'unknown',
    });
    expectFaults(await fuse('A', 'A'), '/idExterneAbsorbe repeated');
    expectFaults(await fuse('A', ''), '/idExterneAbsorbe required');
    expectFaults(await fuse('A', 'B', { prefere: { couriel: 'absorbe' } }), '/prefere/couriel unknown');
    expectFaults(await fuse('A', 'B', { prefere: { courriel: 'B' } }), '/prefere/courriel choice');
    expect((await fuse('A', 'B')).status).toBe(200);
    expectProblem(await fuse('A', 'B'), 404, 'Employe.NotFound', '"A" now');
    expectProblem(await fuse('B', 'A'), 404, 'Employe.NotFound', '"A" now');
    // The identifier is free for another person.
    await employees(employee('B', { Prenom: 'Neuve' }));
    expect((await read('B')).json.prenom).toBe('Neuve');
  });

  it('waits for syncs that would create the absorbed employee again; its plans are stale', async () => {
    await employees(employee('A'), employee('B'), employee('C'));
    const planned = await partner.send('POST', '/b2b/v2/plan', {
      Employes: [employee('B', { Ville: 'Laval' })],
    });
    const body = { Employes: [employee('C')] };
    expect((await partner.sync(body, '', { Prefer: 'respond-async' })).status).toBe(202);
    expectProblem(await fuse('A', 'C'), 409, 'Employe.SyncEnAttente');
    expect((await fuse('A', 'B')).status).toBe(200);
    expectProblem(
      await partner.send('POST', `/b2b/v2/plan/${planned.json.id}/appliquer`),
      409,
      'Plan.Perime',
    );
  });

  it('an undo of a sync of before names the absorbed records as conflicts', async () => {
    await employees(employee('A'));
    const { headers } = await partner.sync({
      Employes: [employee('B', { Emplois: [job('J', 'EMP')] })],
    });
    expect(headers.get('mandat-effets')).toContain('crees');
    expect((await fuse('A', 'B')).status).toBe(200);
    const [sync] = (await partner.get('/b2b/v2/sync')).slice(-1) as { id: string }[];
    const answer = await partner.send('POST', `/b2b/v2/sync/${sync!.id}/annuler`);
    expectProblem(answer, 409, 'Sync.AnnulationEnConflit');
    expect((await read('A')).json.emplois).toHaveLength(1);
  });

  it('an Idempotency-Key repeats the answer', async () => {
    await employees(employee('A'), employee('B'));
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { idExterneAbsorbe: 'B' };
    const first = await partner.send('POST', `${path('A')}/fusion`, body, headers);
    const second = await partner.send('POST', `${path('A')}/fusion`, body, headers);
    expect([second.status, second.json]).toEqual([200, first.json]);
  });

  it('nested records beyond the bound of one employee are refused', async () => {
    const heavy = (id: string) =>
      employee(id, {
        Emplois: many(800, (n) =>
          job(`${id}-${n}-${'x'.repeat(240)}`, 'EMP', { Matricule: 'm'.repeat(255) }),
        ),
      });
    await employees(heavy('A'), heavy('B'));
    expectFaults(await fuse('A', 'B'), '/idExterneAbsorbe length');
    expect((await read('B')).json.emplois).toHaveLength(800);
  });
});

describe('Places on rolls', () => {
  let votes: Votes;
  let campaigns: Campaigns;
  beforeEach(async () => {
    campaigns = new Campaigns(app, partner.tenant);
    votes = await Votes.of(app, campaigns);
    await employees(...many(2, (n) => employee('AB'[n]!, { Courriel: `${n}@example.org` })));
  });

  /** An open vote in which employees have places, and voters in their order. */
  async function opened(...ids: string[]): Promise<Vote> {
    const vote = await votes.opened(1);
    if (ids.length > 0)
      await campaigns.sent('POST', `/${vote.id}/liste-electorale`, { EmployesIdExternes: ids });
    const places = [];
    for (const id of ids) places.push((await place(vote, id))!.id);
    return { ...vote, voters: places };
  }
  const roll = (vote: Vote) =>
    campaigns.rows<{ id: string; employe: string | null; voted: boolean }>(
      `SELECT id_unique AS id, employe_id_externe AS employe, a_vote AS voted FROM votant
       WHERE tenant_id = $1 AND campagne_id = $2`,
      vote.id,
    );
  const place = async (vote: Vote, id: string) => (await roll(vote)).find(({ employe }) => employe === id);

  it.each([
    ['neither has voted: the place of the one that stays', [], 0],
    ['the one that stays has voted', [0], 0],
    ['the absorbed one has voted: its place', [1], 1],
  ])('both are on an open roll, %s', async (_name, voted, kept) => {
    const vote = await opened('A', 'B');
    for (const voter of voted) await votes.voted(vote, voter);
    const { json, status } = await fuse('A', 'B');
    expect([status, json.effets.votesTouches, json.effets.donnees]).toEqual([
      ...[200, [{ campagneId: vote.id, titre: expect.any(String), votants: 2 }]],
      expect.arrayContaining([{ section: 'votants', deplacees: kept, reunies: 1 }]),
    ]);
    const left = await roll(vote);
    expect(left).toHaveLength(2);
    expect(left.find(({ employe }) => employe)).toEqual({
      ...{ id: vote.voters[kept], employe: 'A', voted: voted.length > 0 },
    });
    const { json: campaign } = await campaigns.sent('GET', `/${vote.id}`);
    expect(campaign).toMatchObject({ nombreVotants: 2 });
    const again = await votes.cast(vote.id, ballot(vote, kept));
    if (voted.length > 0) expectProblem(again, 409, 'Vote.DejaVote');
    else expect(again.status).toBe(201);
    expectProblem(await votes.cast(vote.id, ballot(vote, 1 - kept)), 404, 'Votant.NotFound');
    // A list adds the person no second time, by either identifier.
    const list = { EmployesIdExternes: ['A'] };
    expect((await campaigns.sent('POST', `/${vote.id}/liste-electorale`, list)).json).toMatchObject({
      NombreAjoutes: 0,
    });
    const { json: compared } = await campaigns.sent('GET', `/${vote.id}/liste-electorale/ecarts`);
    // Voters who have voted are not compared.
    expect(compared.ecarts).toEqual([]);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await votes.aVote(vote.id)).toBe((await votes.box(vote.id)).length);
  });

  it('both have voted: 409 that names the campaigns, and nothing is written', async () => {
    const [both, one] = [await opened('A', 'B'), await opened('A', 'B')];
    for (const voter of [0, 1]) await votes.voted(both, voter);
    await votes.voted(one, 0);
    const before = [await roll(both), await roll(one)];
    const answer = await fuse('A', 'B');
    expect(expectProblem(answer, 409, 'Employe.FusionDeuxVotes')).toEqual({ '/idExterneAbsorbe': 'voted' });
    const { json: campaign } = await campaigns.sent('GET', `/${both.id}`);
    expect(answer.json.errors[0].detail).toContain(JSON.stringify(campaign.titre));
    expect([await roll(both), await roll(one)]).toEqual(before);
    expect((await read('B')).status).toBe(200);
  });

  it('only the absorbed one is on a roll, and the other one was taken off it', async () => {
    const vote = await opened('A', 'B');
    await campaigns.sent('DELETE', `/${vote.id}/votants/${vote.voters[0]}`);
    expect((await fuse('A', 'B')).status).toBe(200);
    expect(await place(vote, 'A')).toMatchObject({ id: vote.voters[1] });
    const { json } = await campaigns.sent('GET', `/${vote.id}/liste-electorale/ecarts`);
    expect(json.ecarts).toMatchObject([{ nature: 'AModifier', champs: [{ champ: 'Courriel' }] }]);
  });

  it('an ended campaign keeps its roll and its counts; the place that voted belongs to the person', async () => {
    const vote = await opened('A', 'B');
    await votes.voted(vote, 1);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    const stats = (await campaigns.sent('GET', `/${vote.id}/stats`)).json;
    expect((await fuse('A', 'B')).status).toBe(200);
    const left = await roll(vote);
    expect(left).toHaveLength(3);
    expect(left.filter(({ employe }) => employe !== null)).toEqual([
      { id: vote.voters[1], employe: 'A', voted: true },
    ]);
    expect((await campaigns.sent('GET', `/${vote.id}/stats`)).json).toEqual(stats);
  });

  it('a place whose weight would be left to few is not given up', async () => {
    const id = await campaigns.draft();
    await campaigns.question(id);
    const seuil = 3;
    await campaigns.sent('POST', `/${id}/votants/upsert`, [
      ...many(3, (n) => ({ Prenom: 'Z', Nom: 'R', Identifiant: `V-${n}` })),
      ...many(2, (n) => ({ Prenom: 'Z', Nom: 'R', Identifiant: `W-${n}`, Poids: 2 })),
      { Prenom: 'Z', Nom: 'R', EmployeIdExterne: 'A' },
      { Prenom: 'Z', Nom: 'R', EmployeIdExterne: 'B', Poids: 2 },
    ]);
    await campaigns.sent('POST', `/${id}/publier`);
    await app.database.query('UPDATE campagne SET seuil_anonymat = $2 WHERE id_unique = $1', [id, seuil]);
    expectProblem(await fuse('A', 'B'), 409, 'Votant.PoidsIdentifiants');
    expect((await fuse('B', 'A')).status).toBe(200);
  });

  it('a vote at the same moment: one place, and its ballot counts', async () => {
    for (let round = 0; round < 8; round++) {
      const ids = [`R${round}-0`, `R${round}-1`] as const;
      await employees(...ids.map((id) => employee(id)));
      const vote = await opened(...ids);
      const answers = await Promise.all([
        fuse(ids[0], ids[1]),
        votes.cast(vote.id, ballot(vote, 0)),
        votes.cast(vote.id, ballot(vote, 1)),
      ]);
      const cast = answers.slice(1).filter(({ status }) => status === 201).length;
      const merged = answers[0].status === 200;
      // Two votes, or a merge.
      if (merged) expect(cast).toBeLessThan(2);
      else expectProblem(answers[0], 409, 'Employe.FusionDeuxVotes');
      expect(await votes.box(vote.id)).toHaveLength(cast);
      expect(await votes.aVote(vote.id)).toBe(cast);
      const places = (await roll(vote)).filter(({ employe }) => employe !== null);
      expect(places.map(({ employe }) => employe)).toEqual(
        merged ? [ids[0]] : expect.arrayContaining([...ids]),
      );
    }
  });

  it('a place that is added meanwhile is joined, too', async () => {
    const vote = await opened('A');
    await rival.query('BEGIN');
    await rival.query('SELECT FROM employe WHERE tenant_id = $1 FOR UPDATE', [partner.tenant.tenantId]);
    // Both wait for the employees.
    const merging = fuse('A', 'B');
    await lockWaits(app.database);
    const adding = campaigns.sent('POST', `/${vote.id}/liste-electorale`, { EmployesIdExternes: ['B'] });
    await lockWaits(app.database, 2);
    await rival.query('ROLLBACK');
    const answers = await Promise.all([merging, adding.catch(() => undefined)]);
    expect(answers[0].status).toBe(200);
    expect((await roll(vote)).filter(({ employe }) => employe !== null)).toHaveLength(1);
  });
});

describe('The person', () => {
  it('cards, requests, consents and e-mails go over; export and erasure cover both and leave no trace', async () => {
    const space = await Space.make(app);
    const { one, other } = space;
    const id = await space.fill();
    // Both have voted in the campaign of `fill`, so it must go before.
    const absorbed = { ...space.one, idExterne: `DOUBLE-${randomUUID()}` };
    await space.done(
      space.partner('POST', '/b2b/v1/employe', {
        ...{ idExterne: absorbed.idExterne, prenom: `Double ${randomUUID()}`, nom: 'Autre' },
      }),
    );
    const signed = await app.send(space.open.plateforme, 'POST', SIGNING_PATH, {
      ...{ employeIdExterne: absorbed.idExterne, syndicatIdExterne: 'SYN-1', prenom: 'D', nom: 'A' },
      ...{ courriel: 'd@example.org', imageSignature: PNG, dateSignature: '2025-01-01T00:00:00Z' },
    });
    expect(signed.status).toBe(201);
    await space.votes.campaigns.sent('POST', `/${id}/fermer`);
    const double = (await space.partner('GET', path(absorbed.idExterne))).json;
    const merged = await space.partner('POST', `${path(one.idExterne)}/fusion`, {
      idExterneAbsorbe: absorbed.idExterne,
    });
    expect([merged.status, merged.text]).toEqual([200, expect.stringContaining('"adhesions"')]);
    const cards = (
      await space.partner('GET', `/b2b/v2/adhesion?idExterneEmploye=${encodeURIComponent(one.idExterne)}`)
    ).json as Loose[];
    const { json: now } = await space.partner('GET', path(one.idExterne));
    expect(cards.map(({ employeIdUnique }) => employeIdUnique)).toEqual(cards.map(() => now.idUnique));
    expect(cards.map(({ idUnique, idUniqueAdhesion }) => idUnique ?? idUniqueAdhesion)).toContain(
      signed.json.idUniqueAdhesion,
    );
    for (const who of [one, absorbed] as (typeof one)[]) {
      const exported = (await space.read(who)).json;
      expect(exported.employe).toMatchObject([{ idExterne: one.idExterne }]);
      // Events and entries of before about the absorbed one.
      expect(JSON.stringify(exported.evenements)).toContain(double.idUnique);
      expect(exported.anciensIdentifiants.map((each: Loose) => each.idExterne)).toContain(absorbed.idExterne);
    }
    expect((await space.erase(one)).status).toBe(204);
    const dumped = await dump(app);
    for (const table of ['journal', 'consentement_demande', 'courriel_destinataire']) dumped.delete(table);
    expect(tracesOf([...one.texts, absorbed.idExterne, double.prenom, double.idUnique], dumped)).toEqual([]);
    expect((await space.read(other)).status).toBe(200);
  });

  it('the absorbed identifier is given to another person: each export has its own person', async () => {
    const space = await Space.make(app);
    for (const [id, prenom] of [
      ['A', 'Un'],
      ['B', 'Deux'],
    ] as const)
      await space.done(space.partner('POST', '/b2b/v1/employe', { idExterne: id, prenom, nom: 'Roy' }));
    const [a, b] = [
      (await space.partner('GET', path('A'))).json,
      (await space.partner('GET', path('B'))).json,
    ];
    await space.done(space.partner('POST', `${path('A')}/fusion`, { idExterneAbsorbe: 'B' }));
    await space.done(space.partner('POST', `${path('A')}/nouvel-identifiant`, { idExterne: 'C' }));
    for (const idExterne of ['A', 'B'])
      await space.done(space.partner('POST', '/b2b/v1/employe', { idExterne, prenom: 'Neuf', nom: 'Caron' }));
    const who = (idExterne: string) => ({ ...space.one, idExterne }) as typeof space.one;
    const person = (await space.read(who('C'))).json;
    expect(person.anciensEmployes).toHaveLength(1);
    expect(person.anciensEmployes[0].employes.toSorted()).toEqual([a.idUnique, b.idUnique].toSorted());
    for (const id of ['A', 'B'])
      expect((await space.read(who(id))).json).toMatchObject({
        anciensEmployes: [],
        employe: [{ prenom: 'Neuf' }],
      });
    // Deleted, the person is found by the last identifier.
    await space.remove({ idExterne: 'C' });
    expect((await space.read(who('C'))).json.anciensEmployes[0].employes).toEqual(
      expect.arrayContaining([a.idUnique, b.idUnique]),
    );
    for (const id of ['A', 'B'])
      expect((await space.read(who(id))).json).toMatchObject({ anciensEmployes: [] });
    expect((await space.erase(who('C'))).status).toBe(204);
  });
});

describe('Concurrent requests', () => {
  it('twenty merges at once: each employee is absorbed once, and none is lost', async () => {
    await openTenant(app);
    const ids = many(6, (n) => `M-${n}`);
    await employees(...ids.map((id) => employee(id, { Emplois: [job(`J-${id}`, 'EMP')] })));
    const answers = await Promise.all(
      many(20, (n) => fuse(ids[n % 6]!, ids[(n * 5 + 1 + Math.floor(n / 6)) % 6]!)),
    );
    for (const { status } of answers) expect([200, 400, 404]).toContain(status);
    const list = (await partner.get('/b2b/v2/employe')) as { emplois: Loose[] }[];
    const merges = answers.filter(({ status }) => status === 200).length;
    expect(list).toHaveLength(ids.length - merges);
    expect(list.flatMap(({ emplois }) => emplois)).toHaveLength(ids.length);
  });

  it('a connection that dies in the middle leaves nothing half done', async () => {
    await employees(
      ...['A', 'B'].map((id) => employee(id, { Adhesions: [membership('SYN')], Emplois: [job(id, 'EMP')] })),
    );
    const [before, from] = [[(await read('A')).json, (await read('B')).json], (await feed()).length];
    await rival.query('BEGIN');
    await rival.query('SELECT FROM membership WHERE tenant_id = $1 FOR UPDATE', [partner.tenant.tenantId]);
    const merging = fuse('A', 'B');
    const [pid] = await lockWaits(app.database);
    await app.database.query('SELECT pg_terminate_backend($1)', [pid]);
    expect((await merging).status).toBeGreaterThanOrEqual(500);
    await rival.query('ROLLBACK');
    expect([(await read('A')).json, (await read('B')).json]).toEqual(before);
    expect(await feed()).toHaveLength(from);
    expect((await fuse('A', 'B')).status).toBe(200);
  });
});
