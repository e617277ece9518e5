import { DossierBuilderService, EncryptedCountsService } from '../../libs/voting/src';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { download, summed, verified } from './support/bundle';
import { Guardians, type Said } from './support/encrypted';
import { Votes } from './support/votes';

const app = perFile(() => TestApp.start());
let votes: Votes;
beforeAll(async () => {
  votes = await Votes.of(app);
});

const CHOICE = { Titre: 'Qui ?', Type: 'ChoixLibre', MinReponses: 1, MaxReponses: 2 };
const OPTIONS = [{ Libelle: 'A' }, { Libelle: 'B' }, { Libelle: 'C' }];

/** A draft with two questions, and voters of two unions; the last two weigh twice as much. */
async function draft(voters = 8): Promise<{ id: string; voters: string[] }> {
  const { campaigns } = votes;
  const id = await campaigns.draft();
  await campaigns.question(id, { ...CHOICE, Options: OPTIONS });
  await campaigns.question(id, { Titre: 'Pour ?', Type: 'Proposition' });
  const records = Array.from({ length: voters }, (_, n) => ({
    ...{ Identifiant: `V-${n}`, Prenom: 'Zoé', Nom: 'Roy', Poids: n >= voters - 2 ? 2 : 1 },
    SyndicatIdExterne: null,
  }));
  await campaigns.sent('POST', `/${id}/votants/upsert`, records);
  const roll = await campaigns.rows<{ id: string }>(
    `SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY identifiant`,
    id,
  );
  return { id, voters: roll.map((one) => one.id) };
}

async function opened(count = 3, seuil = 2): Promise<{ guardians: Guardians; id: string; voters: string[] }> {
  const { id, voters } = await draft();
  const guardians = await Guardians.of(votes, id, count, seuil);
  await guardians.finish();
  await votes.campaigns.sent('POST', `/${id}/publier`);
  await votes.campaigns.sent('POST', `/${id}/ouvrir`);
  return { guardians, id, voters };
}

/** Seals the box and makes its sums, as a worker does. */
const advance = (id: string): Promise<void> => summed(app, votes.campaigns.tenant.tenantId, id);

/** Combines the result if enough guardians have decrypted the sums, as a worker does. */
const combine = (id: string): Promise<boolean> =>
  app.app.get(EncryptedCountsService).advance(votes.campaigns.tenant.tenantId, id);

/** Closes the vote and has it decrypted by these guardians. */
async function decrypted(id: string, guardians: Guardians, ...numbers: number[]): Promise<void> {
  await votes.campaigns.sent('POST', `/${id}/fermer`);
  await advance(id);
  for (const number of numbers) {
    const { status, text } = await guardians.decrypt(await guardians.decryption(number));
    if (status !== 200) throw new Error(text);
  }
  await combine(id);
}

const stats = async (id: string) => (await votes.campaigns.sent('GET', `/${id}/stats`)).json;
const codeOf = ({ status, json }: Said): [number, unknown] => [status, json.code];

it('an encrypted election is counted like a plain one, by two of three guardians', async () => {
  const { guardians, id, voters } = await opened();
  const choices = [
    [[0], [0]],
    [[0, 1], [0]],
    [[1], [1]],
    [[], []],
    [[2], [0]],
    [[0], []],
    [[0, 2], [1]],
    [[1], [0]],
  ];
  for (const [n, choix] of choices.entries()) {
    const { body, recu } = await guardians.sealed(voters[n]!, choix);
    const { status, json } = await votes.cast(id, body);
    expect([status, json.EmpreinteRecu, json.Recu]).toEqual([201, recu, undefined]);
  }
  expect(codeOf(await votes.campaigns.send('GET', `/${id}/chiffrement/depouillement`))).toEqual([
    409,
    'Chiffrement.NonPret',
  ]);
  await decrypted(id, guardians, 3);
  expect(await stats(id)).toMatchObject({
    resultatsVisibles: false,
    votantsAyantVote: 8,
    dechiffrement: { seuil: 2, recus: 1, attendus: ['Gardien 1', 'Gardien 2'] },
    questions: [{ Options: [] }, { Options: [] }],
  });
  expect(codeOf(await votes.campaigns.send('GET', `/${id}/dossier`))).toEqual([409, 'Dossier.NonPret']);
  await guardians.decrypt(await guardians.decryption(1));
  await combine(id);
  const counted = await stats(id);
  expect(counted).toMatchObject({
    resultatsVisibles: true,
    questions: [
      {
        Exprimes: 7,
        Abstentions: 1,
        Options: [
          { Votes: 4, PoidsTotal: 5 },
          { Votes: 3, PoidsTotal: 4 },
          { Votes: 2, PoidsTotal: 3 },
        ],
      },
      {
        Exprimes: 6,
        Abstentions: 2,
        Options: [
          { Votes: 4, PoidsTotal: 5 },
          { Votes: 2, PoidsTotal: 3 },
        ],
      },
    ],
  });
  expect(counted).not.toHaveProperty('dechiffrement');
  // Another decryption changes nothing.
  await guardians.decrypt(await guardians.decryption(2));
  await combine(id);
  expect(await stats(id)).toEqual(counted);
  await app.app.get(DossierBuilderService).build(votes.campaigns.tenant.tenantId, id);
  const { fichiers } = (await votes.campaigns.sent('GET', `/${id}/dossier`)).json;
  expect((fichiers as { nom: string }[]).map(({ nom }) => nom)).toEqual([
    ...['manifeste.json', 'manifeste.jws', 'scrutin.json', 'questions/00.ndjson', 'questions/01.ndjson'],
    ...['recus.bin', 'liste.bin', 'chiffrement/ceremonie.ndjson', 'chiffrement/bulletins.ndjson'],
    ...[
      'chiffrement/sommes.ndjson',
      'chiffrement/dechiffrements.ndjson',
      'engagements.ndjson',
      'resultats.json',
    ],
  ]);
  const { cle } = votes.campaigns.tenant;
  const { bytes } = await download(app, cle, `/b2b/v1/campagnes/${id}/dossier/archive`);
  const jwks = (await app.send(undefined, 'GET', '/.well-known/jwks.json')).json;
  const emargement = (await votes.campaigns.sent('GET', `/${id}/emargement`)).text;
  const { code, text } = verified(bytes, jwks, { emargement });
  expect([code, text]).toEqual([0, expect.stringContaining('"differences":[]')]);
});

describe('the box of an encrypted vote', () => {
  let vote: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => {
    vote = await opened(1, 1);
  });

  it('takes a ballot once, for its voter, with all proofs', async () => {
    const { guardians, id, voters } = vote;
    const { body } = await guardians.sealed(voters[0]!, [[0], [1]]);
    const { BulletinChiffre } = body as { BulletinChiffre: string };
    const changed = Buffer.from(BulletinChiffre, 'base64url');
    changed[changed.length - 1]! ^= 1;
    const refused = [
      [{ VotantId: voters[1], BulletinChiffre }, 400, 'Vote.PreuveInvalide'],
      [{ VotantId: voters[0], BulletinChiffre: changed.toString('base64url') }, 400, 'Vote.PreuveInvalide'],
      [{ VotantId: voters[0], BulletinChiffre: BulletinChiffre.slice(0, -4) }, 400, 'Vote.PreuveInvalide'],
      [{ VotantId: voters[0], BulletinChiffre: `${BulletinChiffre}=` }, 400, 'Requete.Invalide'],
      [{ VotantId: voters[0], BulletinChiffre, Reponses: [] }, 400, 'Requete.Invalide'],
      [{ VotantId: voters[0], Reponses: [] }, 400, 'Vote.BulletinInvalide'],
      [{ VotantId: voters[0] }, 400, 'Requete.Invalide'],
    ] as const;
    for (const [sent, status, code] of refused)
      expect(codeOf(await votes.cast(id, sent))).toEqual([status, code]);
    expect(await votes.aVote(id)).toBe(0);
    expect((await votes.cast(id, body)).status).toBe(201);
    expect(codeOf(await votes.cast(id, body))).toEqual([409, 'Vote.BulletinRejoue']);
    expect(codeOf(await votes.cast(id, { VotantId: voters[1], BulletinChiffre }))).toEqual([
      409,
      'Vote.BulletinRejoue',
    ]);
    const again = await guardians.sealed(voters[0]!, [[1], [0]]);
    expect(codeOf(await votes.cast(id, again.body))).toEqual([409, 'Vote.DejaVote']);
    expect(await votes.aVote(id)).toBe(1);
  });

  it('takes one of twenty equal ballots at once', async () => {
    const { guardians, id, voters } = vote;
    const { body } = await guardians.sealed(voters[2]!, [[0], [1]]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => votes.cast(id, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(['Vote.BulletinRejoue', 'Vote.DejaVote']).toContain(answer.json.code);
  });

  it('holds ciphertexts and no answers', async () => {
    const { id } = vote;
    const rows = await votes.campaigns.rows<{ reponses: string[]; chiffre: Buffer }>(
      'SELECT reponses, chiffre FROM bulletin WHERE tenant_id = $1 AND campagne_id = $2',
      id,
    );
    expect(rows.map(({ reponses }) => reponses)).toEqual(rows.map(() => []));
    expect(rows.every(({ chiffre }) => chiffre.length > 1_000)).toBe(true);
  });
});

it.each([
  ['the ballot is another one', `chiffre = set_byte(chiffre, 100, get_byte(chiffre, 100) # 1)`, 'recus'],
  ['the voter of the ballot is another one', `votant = sha256(votant)`, 'bulletins'],
  [
    'the ballot has answers',
    `chiffre = NULL, votant = NULL, reponses = '{0,0}'`,
    'bulletins, recus, reponses',
  ],
])('a box is not sealed if %s', async (_what, change, checks) => {
  const { guardians, id, voters } = await opened(1, 1);
  await votes.cast(id, (await guardians.sealed(voters[0]!, [[0], [0]])).body);
  await votes.campaigns.rows(`UPDATE bulletin SET ${change} WHERE tenant_id = $1 AND campagne_id = $2`, id);
  await votes.campaigns.sent('POST', `/${id}/fermer`);
  await expect(advance(id)).rejects.toThrow(`is not sealed: ${checks} do`);
});

it('negative control: without the check of voters a box with the ballot of another voter is sealed', async () => {
  const { guardians, id, voters } = await opened(1, 1);
  await votes.cast(id, (await guardians.sealed(voters[0]!, [[0], [0]])).body);
  await votes.campaigns.rows(
    `UPDATE bulletin SET votant = sha256(votant) WHERE tenant_id = $1 AND campagne_id = $2`,
    id,
  );
  await votes.campaigns.sent('POST', `/${id}/fermer`);
  const { rows } = await app.database.query<{ text: string }>(
    `SELECT pg_get_functiondef('urne_controler(uuid)'::regprocedure) AS text`,
  );
  const { text } = rows[0]!;
  const broken = text.replace(
    /est_chiffree AND EXISTS \(\s+SELECT b\.votant/,
    'false AND EXISTS (SELECT b.votant',
  );
  expect(broken).not.toBe(text);
  await app.database.query(broken);
  try {
    await advance(id);
  } finally {
    await app.database.query(text);
  }
  expect(await guardians.decryption(1)).toHaveProperty('parts');
});

it('a vote without ballots has a result without votes', async () => {
  const { guardians, id } = await opened(1, 1);
  await decrypted(id, guardians, 1);
  expect(await stats(id)).toMatchObject({
    resultatsVisibles: true,
    questions: [
      { Exprimes: 0, Abstentions: 0, Options: [{ Votes: 0 }, { Votes: 0 }, { Votes: 0 }] },
      { Exprimes: 0 },
    ],
  });
});

it('a plain vote refuses encrypted ballots', async () => {
  const plain = await votes.opened();
  const { guardians } = await opened(1, 1);
  const { body } = await guardians.sealed(plain.voters[0]!, [[0], [0]]);
  expect(codeOf(await votes.cast(plain.id, body))).toEqual([400, 'Vote.BulletinInvalide']);
  expect(codeOf(await votes.platformGet(`/${plain.id}/scrutin`))).toEqual([404, 'Chiffrement.NotFound']);
});

it('a roll whose sums of weights could not be found is refused after the publication, too', async () => {
  const { id, voters } = await opened(1, 1);
  const heavy = (count: number): object[] =>
    Array.from({ length: count }, (_, n) => ({
      Identifiant: `L-${n}`,
      Prenom: 'Zoé',
      Nom: 'Roy',
      Poids: 1_000_000,
    }));
  const upsert = (records: object | object[]) =>
    votes.campaigns.send('POST', `/${id}/votants/upsert`, records);
  expect(codeOf(await upsert(heavy(110)))).toEqual([400, 'Campagne.TropVolumineuse']);
  expect((await upsert(heavy(109))).status).toBe(200);
  const one = { VotantId: voters[0], Prenom: 'Zoé', Nom: 'Roy', Poids: 1_000_000 };
  expect(codeOf(await upsert(one))).toEqual([400, 'Campagne.TropVolumineuse']);
  expect((await upsert({ ...one, Poids: 3 })).status).toBe(200);
});

it('a vote with more sums than guardians could decrypt is not published', async () => {
  const { campaigns } = votes;
  const id = await campaigns.draft();
  const options = (count: number) => Array.from({ length: count }, (_, n) => ({ Libelle: `Option ${n}` }));
  await campaigns.question(id, { ...CHOICE, MaxReponses: 1, Options: options(199) });
  const weighing = (Poids: number): object => ({
    Identifiant: `V-${Poids}`,
    Prenom: 'Zoé',
    Nom: 'Roy',
    Poids,
  });
  const upsert = (body: object) => campaigns.send('POST', `/${id}/votants/upsert`, body);
  await upsert(Array.from({ length: 251 }, (_, n) => weighing(n + 1)));
  await (await Guardians.of(votes, id, 1, 1)).finish();
  const refused = await campaigns.send('POST', `/${id}/publier`);
  expect(codeOf(refused)).toEqual([400, 'Campagne.TropVolumineuse']);
  expect(refused.json.detail).toContain('more than 100000 sums');
  const [last] = await campaigns.rows<{ id: string }>(
    `SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND poids = 251`,
    id,
  );
  // One weight less.
  await upsert({ ...weighing(1), Identifiant: null, VotantId: last!.id });
  expect((await campaigns.send('POST', `/${id}/publier`)).status).toBe(200);
  expect(codeOf(await upsert(weighing(252)))).toEqual([400, 'Campagne.TropVolumineuse']);
});

it('a decryption of many megabytes is read', async () => {
  const { guardians, id } = await opened(1, 1);
  await votes.campaigns.sent('POST', `/${id}/fermer`);
  await advance(id);
  const file = await guardians.decryption(1);
  const part = { part: 'A'.repeat(43), preuve: 'A'.repeat(86) };
  const parts = Array.from({ length: 100_000 }, () => part);
  expect(codeOf(await guardians.decrypt({ ...file, parts }))).toEqual([400, 'Chiffrement.FichierInvalide']);
});

describe('the role of the processes', () => {
  /** Runs a statement as this role, in the tenant, and undoes it. @returns how many rows it changed */
  async function asApplication(text: string, id: string): Promise<number | null> {
    const { database } = app;
    await database.query('BEGIN');
    try {
      await database.query(
        `SET LOCAL app.tenant_id = '${votes.campaigns.tenant.tenantId}'; SET LOCAL ROLE mandat_app`,
      );
      return (await database.query(text, [id])).rowCount;
    } finally {
      await database.query('ROLLBACK');
    }
  }
  const OTHER = `UPDATE chiffrement SET cle = sha256('x'), ceremonie = sha256('y') WHERE campagne_id = $1`;
  const FILE = (tour: number): string =>
    `INSERT INTO chiffrement_fichier (tenant_id, campagne_id, tour, gardien, contenu) SELECT tenant_id, campagne_id, ${tour}, 9, '' FROM chiffrement WHERE campagne_id = $1`;

  it('cannot replace guardians, key, files and sums of a published vote', async () => {
    const { guardians, id } = await opened(1, 1);
    for (const statement of [
      'UPDATE chiffrement SET seuil = 1 WHERE campagne_id = $1',
      `UPDATE chiffrement_fichier SET contenu = '' WHERE campagne_id = $1`,
      'DELETE FROM chiffrement_fichier WHERE campagne_id = $1',
      `UPDATE chiffrement_somme SET ligne = '' WHERE campagne_id = $1`,
      'DELETE FROM chiffrement_somme WHERE campagne_id = $1',
    ])
      await expect(asApplication(statement, id)).rejects.toThrow('permission denied');
    await expect(asApplication(OTHER, id)).rejects.toThrow('row-level security');
    await expect(asApplication(FILE(1), id)).rejects.toThrow('row-level security');
    expect(await asApplication(FILE(4), id)).toBe(1);
    expect(await asApplication('DELETE FROM chiffrement WHERE campagne_id = $1', id)).toBe(0);
    expect(await asApplication('UPDATE chiffrement SET bulletins = NULL WHERE campagne_id = $1', id)).toBe(1);
    await decrypted(id, guardians, 1);
    expect(await asApplication('UPDATE chiffrement SET bulletins = NULL WHERE campagne_id = $1', id)).toBe(0);
  });

  it('can do so in a draft, and a published campaign is deleted with all of it', async () => {
    const { id } = await draft();
    await (await Guardians.of(votes, id, 1, 1)).finish();
    expect(await asApplication(OTHER, id)).toBe(1);
    await expect(asApplication(FILE(4), id)).rejects.toThrow('row-level security');
    expect(await asApplication(FILE(1), id)).toBe(1);
    expect(await asApplication('DELETE FROM chiffrement WHERE campagne_id = $1', id)).toBe(1);
    const published = await opened(1, 1);
    expect(await asApplication('DELETE FROM campagne WHERE id_unique = $1', published.id)).toBe(1);
  });
});

describe('the guardians', () => {
  const sent = (method: string, rest: string, body?: object) => votes.campaigns.send(method, rest, body);
  const put = (id: string, seuil: number, ...noms: string[]) =>
    sent('PUT', `/${id}/chiffrement`, { seuil, gardiens: noms.map((nom) => ({ nom })) });

  it('are set in a draft without ranked questions, by different names and a threshold that they reach', async () => {
    const { id } = await draft();
    expect(codeOf(await put(id, 1))).toEqual([400, 'Requete.Invalide']);
    expect(codeOf(await put(id, 2, 'A'))).toEqual([400, 'Requete.Invalide']);
    expect(codeOf(await put(id, 1, 'A', 'A'))).toEqual([400, 'Requete.Invalide']);
    expect(codeOf(await put(id, 10, ...'ABCDEFGHIJ'))).toEqual([400, 'Requete.Invalide']);
    expect((await put(id, 2, 'A', 'B')).status).toBe(200);
    const { json } = await sent('GET', `/${id}/validation`);
    expect((json.erreurs as { code: string }[]).map(({ code }) => code)).toEqual([
      'Campagne.CeremonieIncomplete',
    ]);
    expect(codeOf(await sent('POST', `/${id}/publier`))).toEqual([400, 'Campagne.CeremonieIncomplete']);
    const heavy = Array.from({ length: 110 }, (_, n) => ({
      ...{ Identifiant: `L-${n}`, Prenom: 'Zoé', Nom: 'Roy', Poids: 1_000_000 },
    }));
    await votes.campaigns.sent('POST', `/${id}/votants/upsert`, heavy);
    expect(codeOf(await sent('POST', `/${id}/publier`))).toEqual([400, 'Campagne.TropVolumineuse']);
    await votes.campaigns.question(id, {
      Titre: 'Rang',
      Type: 'Election',
      EstPreferentiel: true,
      Options: OPTIONS,
    });
    expect(codeOf(await put(id, 1, 'A'))).toEqual([409, 'Chiffrement.QuestionPreferentielle']);
    const { json: ranked } = await sent('GET', `/${id}/validation`);
    expect((ranked.erreurs as { code: string }[]).map(({ code }) => code)).toContain(
      'Chiffrement.QuestionPreferentielle',
    );
    const plain = await votes.campaigns.ready();
    expect(codeOf(await sent('GET', `/${plain}/chiffrement/ceremonie`))).toEqual([
      404,
      'Chiffrement.NotFound',
    ]);
    await votes.campaigns.sent('POST', `/${plain}/publier`);
    expect(codeOf(await put(plain, 1, 'A'))).toEqual([409, 'Campagne.StructureVerrouillee']);
  });

  it('bring their files in rounds, and each wrong one is refused by name', async () => {
    const { id } = await draft();
    const guardians = await Guardians.of(votes, id, 2, 2);
    const [first, second] = [await guardians.file(1), await guardians.file(2)];
    expect(codeOf(await guardians.send({ ...first, tour: 2 }))).toEqual([
      409,
      'Chiffrement.FichierInattendu',
    ]);
    const forged = await guardians.send({ ...first, nom: 'Gardien 2' });
    expect(codeOf(forged)).toEqual([400, 'Chiffrement.FichierInvalide']);
    expect(forged.json.detail).toContain('guardian 1, Gardien 1');
    expect((await guardians.send(first)).json.attendus).toEqual(['Gardien 2']);
    // The same once more, and another one of the same guardian.
    expect((await guardians.send(first)).status).toBe(200);
    const other = await Guardians.of(votes, (await draft()).id, 2, 2);
    expect(codeOf(await guardians.send({ ...(await other.file(1)), campagneId: id }))).toEqual([
      409,
      'Chiffrement.FichierInattendu',
    ]);
    expect((await guardians.send(second)).json).toMatchObject({
      tour: 2,
      attendus: ['Gardien 1', 'Gardien 2'],
    });
    await guardians.send(await guardians.file(1));
    await guardians.send(await guardians.file(2));
    await guardians.send(await guardians.file(1));
    const { json } = await guardians.send(await guardians.file(2));
    expect(json).toMatchObject({ tour: 3, attendus: [], fautif: null });
    expect([String(json.cle).length, String(json.ceremonie).length]).toEqual([43, 43]);
    expect((await sent('POST', `/${id}/publier`)).status).toBe(200);
    expect(codeOf(await put(id, 1, 'A'))).toEqual([409, 'Campagne.StructureVerrouillee']);
  });

  it('decrypt the sums, and a wrong decryption is refused by name', async () => {
    const { guardians, id, voters } = await opened(2, 1);
    await votes.cast(id, (await guardians.sealed(voters[0]!, [[0], [0]])).body);
    await votes.campaigns.sent('POST', `/${id}/fermer`);
    await advance(id);
    const right = (await guardians.decryption(1)) as { parts: object[] };
    const swapped = { ...right, parts: right.parts.toReversed() };
    expect(codeOf(await guardians.decrypt(swapped))).toEqual([400, 'Chiffrement.FichierInvalide']);
    expect(codeOf(await guardians.decrypt({ ...right, gardien: 2 }))).toEqual([
      400,
      'Chiffrement.FichierInvalide',
    ]);
    await combine(id);
    expect((await stats(id)).resultatsVisibles).toBe(false);
    expect((await guardians.decrypt(right)).status).toBe(200);
    await combine(id);
    expect(await stats(id)).toMatchObject({
      resultatsVisibles: true,
      questions: [{ Exprimes: 1 }, { Exprimes: 1 }],
    });
  });
});
