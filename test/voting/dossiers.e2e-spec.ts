import { DossierBuilderService } from '../../libs/voting/src';
import { DossierRepository } from '../../libs/voting/src/dossier/persistence/dossier.repository';
import { expectProblem } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import { employee, employer, job, membership, union } from '../sync/support';
import { canonical } from '../verify/support/bundle';
import { download, type Download, filesIn, linesOf, sha256, verified } from './support/bundle';
import type { Answer } from '../setup/test-app';
import { type Elector, endedVote, type Question } from './support/ended-vote';
import { app, campaigns, seal, spaceOfFile, stats } from './support/scene';

spaceOfFile();

const QUESTIONS: Question[] = [
  { isRanked: false, seats: 1, options: 3 },
  { isRanked: true, seats: 2, options: 5 },
  { isRanked: true, seats: 1, options: 4 },
];

/** Voters of two unions and three employers, a quarter of them without a ballot. */
const ELECTORS: Elector[] = times(60, (n) => ({
  syndicat: n % 3 === 0 ? null : `SYN-${n % 3}`,
  employeur: n % 5 === 0 ? null : `EMP-"é${n % 2}`,
  poids: n % 2 ? '1.5' : '1',
  ...(n % 4 === 3
    ? {}
    : {
        reponses: [
          ['0', '1', '2', ''][n % 4]!,
          ['0,1,2', '1,0,4', '2,3', '4,1,0,3', ''][n % 5]!,
          ['3,1', '0', '2,1,0'][n % 3]!,
        ],
      }),
}));

const build = (id: string, of = campaigns): Promise<boolean> =>
  app.app.get(DossierBuilderService).build(of.tenant.tenantId, id);

const archive = (id: string): Promise<Download> =>
  download(app, campaigns.tenant.cle, `/b2b/v1/campagnes/${id}/dossier/archive`);

/** Runs a statement as the role of the processes, in the tenant. */
async function asApplication(text: string): Promise<void> {
  await app.database.query('BEGIN');
  try {
    await app.database.query(
      `SET LOCAL app.tenant_id = '${campaigns.tenant.tenantId}'; SET LOCAL ROLE mandat_app`,
    );
    await app.database.query(text);
  } finally {
    await app.database.query('ROLLBACK');
  }
}

const jwks = async (): Promise<object> => (await app.send(undefined, 'GET', '/.well-known/jwks.json')).json;

async function built(threshold: number | null, electors = ELECTORS, questions = QUESTIONS): Promise<string> {
  const { id } = await endedVote(questions, electors, threshold);
  await stats(id);
  expect(await seal(id)).toBe(true);
  expect(await build(id)).toBe(true);
  return id;
}

describe.each([1, 4])('the bundle of a count with a threshold of %i', (threshold) => {
  let id: string;
  let tar: Download;
  let files: Map<string, Buffer>;

  beforeAll(async () => {
    id = await built(threshold);
    tar = await archive(id);
    files = await filesIn(tar.bytes);
  });

  it('is what the item lists, and the same bytes at every download', async () => {
    const { json } = await campaigns.sent('GET', `/${id}/dossier`);
    expect(json).toEqual({
      campagneId: id,
      empreinte: sha256(files.get('manifeste.json')!),
      fichiers: [...files].map(([nom, bytes]) => ({ nom, octets: bytes.length, sha256: sha256(bytes) })),
    });
    expect([...files.keys()]).toEqual([
      ...['manifeste.json', 'manifeste.jws', 'scrutin.json', 'questions/00.ndjson', 'questions/01.ndjson'],
      ...['questions/02.ndjson', 'recus.bin', 'liste.bin', 'engagements.ndjson', 'resultats.json'],
    ]);
    const digest = Buffer.from(sha256(tar.bytes), 'hex').toString('base64');
    expect([
      tar.status,
      ...['content-type', 'content-digest', 'content-length'].map((name) => tar.headers.get(name)),
    ]).toEqual([200, 'application/x-tar', `sha-256=:${digest}:`, String(tar.bytes.length)]);
    expect((await archive(id)).bytes.equals(tar.bytes)).toBe(true);
    expect(await build(id)).toBe(false);
  });

  it('is counted again by the verifier, with the roll and a voter’s proof, and to the figures of /stats', async () => {
    const { bytes: emargement } = await download(
      app,
      campaigns.tenant.cle,
      `/b2b/v1/campagnes/${id}/emargement`,
    );
    const [first] = linesOf<{ VotantId: string }>(emargement);
    const platform = await app.platformOf(campaigns.tenant);
    const votant = await app.send(
      platform,
      'GET',
      `/plateforme/v1/campagnes/${id}/votants/${first!.VotantId}/preuve`,
    );
    const verdict = verified(tar.bytes, await jwks(), { emargement, votant: votant.text });
    expect(verdict).toMatchObject({ code: 0, json: { verdict: 'egal', differences: [] } });
    const { tout } = JSON.parse(files.get('resultats.json')!.toString());
    const told = await stats(id);
    expect(tout.questions[1].Tours).toHaveLength(told.questions[1].Tours.length);
    expect(numbers(tout)).toEqual(told);
  });

  it('has each filter that is published, with its figures, and no other', async () => {
    const { filtres } = JSON.parse(files.get('resultats.json')!.toString());
    const values = (name: 'syndicat' | 'employeur') => [
      null,
      ...new Set(ELECTORS.map((one) => one[name]).filter((one) => one !== null)),
    ];
    const published: object[] = [];
    for (const syndicatIdExterne of values('syndicat'))
      for (const employeurIdentifiantExterne of values('employeur')) {
        if (syndicatIdExterne === null && employeurIdentifiantExterne === null) continue;
        const query = new URLSearchParams(
          Object.entries({ syndicatIdExterne, employeurIdentifiantExterne }).filter(
            ([, one]) => one !== null,
          ) as [string, string][],
        );
        const told = await stats(id, `?${query.toString()}`);
        if (told.resultatsVisibles)
          published.push({ syndicatIdExterne, employeurIdentifiantExterne, ...sparse(told) });
      }
    expect(published.length).toBeGreaterThan(threshold === 1 ? 7 : 0);
    expect(numbers(filtres)).toHaveLength(published.length);
    expect(numbers(filtres)).toEqual(expect.arrayContaining(published));
  });

  it('has the commitment of the seed that the campaign shows', async () => {
    const { json } = await campaigns.sent('GET', `/${id}`);
    const { empreinteGraineDepartage, graineDepartage } = JSON.parse(files.get('scrutin.json')!.toString());
    expect(empreinteGraineDepartage).toBe(json.empreinteGraineDepartage);
    expect(sha256(Buffer.from(graineDepartage, 'hex'))).toBe(empreinteGraineDepartage);
  });

  it('never links answers of one ballot, and cuts rankings to where they rested', () => {
    const cut = linesOf<{ reponse: number[] }>(files.get('questions/01.ndjson'));
    expect(cut.map(({ reponse }) => reponse.length).filter((length) => length > 3)).toEqual([]);
    const bytes = [...files]
      .filter(([nom]) => nom.startsWith('questions/'))
      .map(([, text]) => text.toString());
    for (const text of bytes) {
      const lines = text.split('\n').slice(0, -1);
      expect(lines).toEqual([...lines].sort());
      for (const line of lines)
        expect(line).toMatch(/^\{"bulletins":\d+,"classe":\d+,"poids":"[\d.]+","reponse":\[[\d,]*\]\}$/);
    }
  });

  it('is announced by campagne.scellee with its digest', async () => {
    const [event] = await campaigns.rows<{ data: object }>(
      `SELECT data FROM evenement WHERE tenant_id = $1 AND type = 'campagne.scellee' AND data ->> 'campagneId' = $2`,
      id,
    );
    expect(event!.data).toEqual({
      campagneId: id,
      titre: expect.any(String),
      empreinte: sha256(files.get('manifeste.json')!),
    });
  });
});

/** Decimals as numbers, as the statistics have them. */
function numbers(told: object | undefined): ReturnType<typeof JSON.parse> {
  return JSON.parse(JSON.stringify(told), (key, one: unknown) =>
    /^(tauxParticipation|PoidsTotal|Pourcentage|Seuil|Poids|Epuises|Epuise)$/.test(key) &&
    typeof one === 'string'
      ? Number(one)
      : one,
  );
}

/** The statistics of a filter in the form of the bundle: without unanswered questions and options without votes. */
function sparse({ questions, ...told }: ReturnType<typeof JSON.parse>): object {
  const { totalVotants, totalVotantsAvecDroitDeVote, votantsAyantVote, tauxParticipation } = told;
  return {
    ...{ totalVotants, totalVotantsAvecDroitDeVote, votantsAyantVote, tauxParticipation },
    questions: (questions as { Exprimes: number; Options: { Votes: number }[] }[])
      .filter(({ Exprimes }) => Exprimes > 0)
      .map((question: Record<string, unknown>) => ({
        ...pick(question, ['QuestionId', 'Exprimes', 'Abstentions']),
        Options: (question['Options'] as Record<string, unknown>[])
          .filter(({ Votes }) => Votes !== 0)
          .map((option) => pick(option, ['OptionId', 'Votes', 'PoidsTotal', 'Pourcentage'])),
      })),
  };
}

const pick = (from: Record<string, unknown>, names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, from[name]]));

describe('a bundle', () => {
  it('reads the counts of a filter only, however many others there are', async () => {
    const employers = 3_000;
    const electors = times(2 * employers, (n) => ({
      ...{ syndicat: null, employeur: `EMP-${n % employers}`, poids: 1, reponses: ['0'] },
    }));
    const { id } = await endedVote([{ isRanked: false, seats: 1, options: 2 }], electors, 2);
    await stats(id);
    await seal(id);
    const plan = `EXPLAIN (ANALYZE, FORMAT JSON) SELECT urne_divulgue('${id}', NULL, 'EMP-7')`;
    await app.database.query(`SET app.tenant_id = '${campaigns.tenant.tenantId}'`);
    // The first call also reads the catalogue.
    await app.database.query(plan);
    const { rows } = await app.database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(plan);
    await app.database.query('RESET app.tenant_id');
    expect(rows[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(30);
  });

  it('is 409 Dossier.NonPret before the sealing and until it is built, then 200', async () => {
    const { id } = await endedVote(QUESTIONS, ELECTORS);
    const paths = ['dossier', 'dossier/archive', 'emargement'];
    const expectNotReady = async (): Promise<void> => {
      for (const path of paths) {
        const answer = await campaigns.send('GET', `/${id}/${path}`);
        expectProblem(answer, 409, 'Dossier.NonPret');
        expect(answer.headers.get('retry-after')).toBe('5');
      }
    };
    await expectNotReady();
    await stats(id);
    await seal(id);
    await expectNotReady();
    await build(id);
    for (const path of paths) expect((await campaigns.send('GET', `/${id}/${path}`)).status).toBe(200);
  });

  it('before the end of the vote: 409 with Retry-After of at most an hour', async () => {
    const id = await campaigns.draft();
    const answer = await campaigns.send('GET', `/${id}/dossier`);
    expectProblem(answer, 409, 'Dossier.NonPret');
    expect(answer.headers.get('retry-after')).toBe('3600');
  });

  it('leaves out the unanswered questions of a filter, and has filters whose voters all abstained', async () => {
    const id = await built(
      1,
      times(4, (n) => ({
        ...{ syndicat: `SYN-${n % 2}`, employeur: null, poids: 1 },
        reponses: n % 2 ? ['', '', ''] : ['1', '', ''],
      })),
    );
    const { bytes } = await archive(id);
    const { filtres } = JSON.parse((await filesIn(bytes)).get('resultats.json')!.toString());
    expect(filtres).toMatchObject([
      {
        syndicatIdExterne: 'SYN-0',
        questions: [{ Exprimes: 2, Abstentions: 0, Options: [{ Votes: 2, Pourcentage: '100' }] }],
      },
      { syndicatIdExterne: 'SYN-1', votantsAyantVote: 2, questions: [] },
    ]);
    expect(filtres[0].questions[0].Options).toHaveLength(1);
    expect(verified(bytes, await jwks())).toMatchObject({ code: 0 });
  });

  it('a vote without ballots: the bundle has no receipts and verifies', async () => {
    const id = await built(
      1,
      ELECTORS.map(({ reponses: _, ...voter }) => voter),
    );
    const { bytes } = await archive(id);
    expect((await filesIn(bytes)).get('recus.bin')).toHaveLength(0);
    expect(verified(bytes, await jwks())).toMatchObject({ code: 0 });
  });

  it('has digests of the roll’s criteria and reasons, which lists and explanations reproduce', async () => {
    const names = times(4, (n) => `LISTE-${n}`);
    await synced(app, campaigns.tenant, {
      Syndicats: [union('LISTE-S', [employer('LISTE-E')])],
      Employes: names.map((name, n) =>
        employee(name, {
          Adhesions: n < 3 ? [membership('LISTE-S')] : [],
          Emplois: [job('J', 'LISTE-E', { DateDebut: '2020-01-01' })],
        }),
      ),
    });
    const id = await campaigns.ready();
    const criteria = { SyndicatsIdExternes: ['LISTE-S'], EmployesIdExternes: names.slice(0, 2), Poids: '2' };
    for (const one of [criteria, { EmployeursIdentifiantsExternes: ['LISTE-E'] }])
      await campaigns.sent('POST', `/${id}/liste-electorale`, one);
    const roll = (await campaigns.sent('GET', `/${id}/votants`)).json as Record<string, string>[];
    await campaigns.sent('PUT', `/${id}/votants/droit-de-vote`, {
      VotantIds: [roll.find((one) => one.EmployeIdExterne === names[3])!.VotantId],
      ADroitDeVote: false,
    });
    for (const step of ['publier', 'ouvrir', 'fermer']) await campaigns.sent('POST', `/${id}/${step}`);
    expect(await seal(id)).toBe(true);
    expect(await build(id)).toBe(true);

    const lists = (await campaigns.sent('GET', `/${id}/liste-electorale`)).json as Answer['json'][];
    const lines = lists.map((list) => ({
      ActifsLe: list.ActifsLe,
      Employes: list.EmployesIdExternes?.length ?? null,
      EmployeursIdentifiantsExternes: list.EmployeursIdentifiantsExternes,
      Poids: String(list.Poids),
      SyndicatsIdExternes: list.SyndicatsIdExternes,
    }));
    const counts: Record<string, number> = { 'Motif.InscritManuellement': 1 };
    for (const name of names) {
      const asked = await campaigns.sent(
        'GET',
        `/${id}/liste-electorale/explication?idExterneEmploye=${name}`,
      );
      for (const { code } of asked.json.motifs as { code: string }[]) counts[code] = (counts[code] ?? 0) + 1;
    }
    expect(counts).toMatchObject({
      'Motif.EmploiActif': 2,
      'Motif.AdhesionActive': 2,
      'Motif.DroitRetire': 1,
    });
    const { bytes } = await archive(id);
    const manifest = JSON.parse((await filesIn(bytes)).get('manifeste.json')!.toString());
    expect(manifest).toMatchObject({
      version: 3,
      listes: {
        nombre: 2,
        empreinteCriteres: sha256(Buffer.from(lines.map((line) => `${canonical(line)}\n`).join(''))),
        empreinteMotifs: sha256(Buffer.from(canonical(counts))),
      },
    });
    expect(verified(bytes, await jwks())).toMatchObject({ code: 0 });
  });

  it('belongs to its tenant', async () => {
    const id = await built(1);
    const other = await app.tenant();
    for (const path of ['dossier', 'dossier/archive', 'emargement'])
      expectProblem(
        await app.send(other, 'GET', `/b2b/v1/campagnes/${id}/${path}`),
        404,
        'Campagne.NotFound',
      );
  });

  it('is refused by the verifier once a ballot, a figure or the key is another', async () => {
    const id = await built(1);
    const { bytes } = await archive(id);
    const at = bytes.indexOf('"bulletins":');
    const forged = Buffer.from(bytes);
    forged[at + 12]! ^= 1;
    expect(verified(forged, await jwks()).code).toBe(1);
    expect(verified(bytes, { keys: [] }).code).not.toBe(0);
  });

  it('cannot be changed or removed by the role of the processes', async () => {
    const id = await built(1);
    for (const statement of [
      'UPDATE dossier_morceau SET octets = octets',
      'DELETE FROM dossier_morceau',
      'UPDATE dossier SET sel = sel',
      'DELETE FROM dossier_fichier',
    ])
      await expect(asApplication(statement)).rejects.toThrow('permission denied');
    expect((await archive(id)).status).toBe(200);
  });

  it('is not added to by that role: not before the sealing, and not once it is built', async () => {
    const add = (id: string): Promise<void> =>
      asApplication(
        `INSERT INTO dossier_morceau (tenant_id, campagne_id, fichier, place, octets)
         VALUES ('${campaigns.tenant.tenantId}', '${id}', 0, 1, 'x')`,
      );
    const { id } = await endedVote(QUESTIONS, ELECTORS, 1);
    const refusal = 'row-level security';
    await expect(add(id)).rejects.toThrow(refusal);
    await stats(id);
    await seal(id);
    // The control: a bundle that is due is built by this role.
    await expect(add(id)).resolves.toBeUndefined();
    await build(id);
    await expect(add(id)).rejects.toThrow(refusal);
    await expect(asApplication(`UPDATE campagne SET dossier_du = true`)).rejects.toThrow('permission denied');
  });

  it('verifies where the title looks like members of scrutin.json', async () => {
    const { id } = await endedVote(QUESTIONS, ELECTORS, 1);
    const titre = '[],"classes":[],"questions":[]}\\"';
    await campaigns.rows('UPDATE campagne SET titre = $3 WHERE tenant_id = $1 AND id_unique = $2', id, titre);
    await stats(id);
    await seal(id);
    await build(id);
    const { bytes } = await archive(id);
    expect(verified(bytes, await jwks())).toMatchObject({ code: 0, json: { titre } });
  });

  it('verifies where identifiers sort differently by bytes and by UTF-16', async () => {
    const employeurs = ['😀a', '\uff42b'];
    const id = await built(
      5,
      ELECTORS.map((voter, n) => ({
        ...voter,
        poids: 1,
        syndicat: 'SYN-1',
        employeur: employeurs[Number(n % 15 > 0)]!,
      })),
    );
    expect(verified((await archive(id)).bytes, await jwks())).toMatchObject({ code: 0 });
  });
});

it('the roll is read in parts of at most 1.5 MiB and a line, in the order of the ids', async () => {
  const id = await campaigns.draft();
  await campaigns.rows(
    `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, a_droit_de_vote, poids, syndicat_id_externe,
       employeur_identifiant_externe)
     SELECT $1, $2, 'Zoé', 'Roy', true, 1, repeat('🗳', 255), repeat('🗳', 255) FROM generate_series(1, 1500)`,
    id,
  );
  await campaigns.rows(
    `INSERT INTO dossier (tenant_id, campagne_id, empreinte, empreinte_archive, sel) SELECT $1, $2, d, d, d FROM sha256('') d`,
    id,
  );
  const parts: Buffer[] = [];
  for await (const part of app.app.get(DossierRepository).roll(campaigns.tenant.tenantId, id))
    parts.push(part);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(1.5 * 2 ** 20 + 4_096);
  const lines = linesOf<{ VotantId: string }>(Buffer.concat(parts));
  const ids = lines.map(({ VotantId }) => VotantId);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids).toHaveLength(1_500);
});
