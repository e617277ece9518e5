import type { INestApplication } from '@nestjs/common';
import { createHash, createPublicKey, type KeyObject, randomBytes, randomUUID, verify } from 'node:crypto';
import { EngagementsService } from '../../libs/voting/src';
import { refusing } from '../adhesion/support/data-space';
import { eventually, expectFaults, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { isConsistent, merkleRoot, rootByInclusion } from './support/rfc6962';
import {
  app,
  campaigns,
  expectLoggedChecks,
  newSpace,
  seal,
  spaceOfFile,
  stats,
  unchanged,
  votes,
} from './support/scene';
import { ballot, type Vote, Votes } from './support/votes';
import { lockWaits } from '../setup/lock-waits';

spaceOfFile({ own: 'a worker runs' });

/** The key that the service publishes. */
async function publicKey(): Promise<KeyObject> {
  const { json } = await app.send(undefined, 'GET', '/.well-known/jwks.json');
  expect(json.keys).toHaveLength(1);
  return createPublicKey({ key: json.keys[0], format: 'jwk' });
}

interface Checkpoint {
  readonly taille: number;
  readonly racine: string;
  readonly note: string;
}

const OWN = 'tenant_id = $1 AND campagne_id = $2';
const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
const digestOf = (recu: string): Buffer => createHash('sha256').update(recu).digest();

/** The worker's round for one campaign, as if the last checkpoint were a minute old. */
async function round({ id }: Pick<Vote, 'id'>): Promise<void> {
  await campaigns.rows(
    `UPDATE engagement SET date_creation = date_creation - interval '1 minute' WHERE ${OWN}`,
    id,
  );
  await app.app.get(EngagementsService).round(campaigns.tenant.tenantId, id);
}

const checkpoints = async ({ id }: Pick<Vote, 'id'>): Promise<Checkpoint[]> =>
  (await campaigns.sent('GET', `/${id}/engagements`)).json;
const coherence = ({ id }: Pick<Vote, 'id'>, query: string): Promise<Answer> =>
  campaigns.send('GET', `/${id}/engagements/coherence?${query}`);
const preuve = ({ id }: Pick<Vote, 'id'>, empreinte: string): Promise<Answer> =>
  app.send(votes.platform, 'GET', `/plateforme/v1/campagnes/${id}/recus/${empreinte}/preuve`);

/** Digests of the receipts in the order of the log, and of those that have no place yet. */
async function log({ id }: Pick<Vote, 'id'>): Promise<{ placed: Buffer[]; waiting: number }> {
  const rows = await campaigns.rows<{ empreinte: Buffer; place: number | null }>(
    `SELECT empreinte, place FROM recu WHERE ${OWN} ORDER BY place`,
    id,
  );
  const placed = rows.filter(({ place }) => place !== null);
  expect(placed.map(({ place }) => place)).toEqual(placed.map((_, place) => place));
  return { placed: placed.map(({ empreinte }) => empreinte), waiting: rows.length - placed.length };
}

/** Puts receipts into the box with their ballots, as votes do; faster than requests. */
async function cast({ id }: Vote, count: number): Promise<void> {
  await campaigns.rows(
    `WITH voter AS (
       UPDATE votant SET a_vote = true WHERE ${OWN} AND id_unique IN (
         SELECT id_unique FROM votant WHERE ${OWN} AND NOT a_vote LIMIT $3)
       RETURNING tenant_id, campagne_id
     ), receipt AS (
       INSERT INTO recu (tenant_id, campagne_id, empreinte)
       SELECT tenant_id, campagne_id, sha256(gen_random_uuid()::text::bytea) FROM voter
     )
     INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) SELECT tenant_id, campagne_id, 1, '{0}' FROM voter`,
    ...[id, count],
  );
}

describe('the checkpoints of an open vote', () => {
  it('cover 600 receipts over several rounds; each receipt and each pair of checkpoints has a proof', async () => {
    const vote = await votes.opened(600);
    const receipts = await Promise.all(times(3, (n) => votes.voted(vote, n)));
    for (const more of [0, 1, 252, 1, 343]) {
      await cast(vote, more);
      await round(vote);
    }
    // Nothing new: no checkpoint.
    await round(vote);
    const listed = await checkpoints(vote);
    expect(listed.map(({ taille }) => taille)).toEqual([3, 4, 256, 257, 600]);
    const { placed } = await log(vote);
    const key = await publicKey();
    const raw = Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
    for (const { taille, racine, note } of listed) {
      expect(bytes(racine)).toEqual(merkleRoot(placed.slice(0, taille)));
      const [origin, size, root, empty, signed] = note.split('\n');
      const name = `mandat/campagnes/${vote.id}`;
      expect([origin, size, empty]).toEqual([name, `${taille}`, '']);
      expect(root).toBe(bytes(racine).toString('base64'));
      expect(signed!.startsWith(`— ${name} `)).toBe(true);
      const signature = Buffer.from(signed!.slice(`— ${name} `.length), 'base64');
      const id = createHash('sha256').update(`${name}\n\u0001`).update(raw).digest();
      expect(signature.subarray(0, 4)).toEqual(id.subarray(0, 4));
      const lines = Buffer.from(`${name}\n${taille}\n${root}\n`);
      expect(verify(null, lines, key, signature.subarray(4))).toBe(true);
      lines[0]! ^= 1;
      expect(verify(null, lines, key, signature.subarray(4))).toBe(false);
    }
    // The receipts of a round are in the order of their bytes, which says nothing of the time.
    let from = 0;
    for (const { taille } of listed) {
      const batch = placed.slice(from, taille);
      expect(batch).toEqual(batch.toSorted((one, other) => Buffer.compare(one, other)));
      from = taille;
    }
    for (const [second, { taille: a, racine }] of listed.entries())
      for (const { taille: de, racine: before } of listed.slice(0, second + 1)) {
        const { json } = await coherence(vote, `de=${de}&a=${a}`);
        expect(json).toEqual({ de, a, preuve: expect.any(Array) });
        const proof = json.preuve.map(bytes);
        expect(isConsistent([de, bytes(before)], [a, bytes(racine)], proof)).toBe(true);
        expect(isConsistent([de, randomBytes(32)], [a, bytes(racine)], proof)).toBe(false);
      }
    const newest = listed.at(-1)!;
    const digests = [...receipts.map(digestOf), ...[0, 255, 256, 511, 512, 599].map((n) => placed[n]!)];
    for (const digest of digests) {
      const empreinte = digest.toString('base64url');
      const { json } = await preuve(vote, empreinte);
      expect(json).toEqual({
        EmpreinteRecu: empreinte,
        Index: placed.findIndex((one) => one.equals(digest)),
        Taille: 600,
        Chemin: expect.any(Array),
        Engagement: newest.note,
      });
      const root = rootByInclusion(digest, json.Index, 600, json.Chemin.map(bytes));
      expect(root).toEqual(bytes(newest.racine));
    }
    const events = await campaigns.rows<{ data: object }>(
      `SELECT data FROM evenement WHERE tenant_id = $1 AND type = 'campagne.engagee' AND data ->> 'campagneId' = $2
       ORDER BY (data ->> 'taille')::int`,
      vote.id,
    );
    expect(events.map(({ data }) => data)).toEqual(listed.map((one) => ({ campagneId: vote.id, ...one })));
  });

  it('come at most once a minute, and once more before the sealing, which keeps the places', async () => {
    const vote = await votes.opened(4);
    await votes.voted(vote, 0);
    await round(vote);
    await votes.voted(vote, 1);
    const { tenantId } = campaigns.tenant;
    await app.app.get(EngagementsService).round(tenantId, vote.id);
    expect((await log(vote)).waiting).toBe(1);
    await votes.voted(vote, 2);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await seal(vote.id)).toBe(true);
    const listed = await checkpoints(vote);
    expect(listed.map(({ taille }) => taille)).toEqual([1, 3]);
    const { placed } = await log(vote);
    expect(bytes(listed[1]!.racine)).toEqual(merkleRoot(placed));
    expect((await preuve(vote, placed[2]!.toString('base64url'))).json.Taille).toBe(3);
  });

  it('a vote without ballots has none', async () => {
    const vote = await votes.opened(1);
    await round(vote);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await seal(vote.id)).toBe(true);
    expect(await checkpoints(vote)).toEqual([]);
    expectProblem(await coherence(vote, 'de=1&a=1'), 409, 'Dossier.NonPret');
  });

  it('cover the receipts of a vote that began under the earlier release', async () => {
    const vote = await votes.opened(5);
    await cast(vote, 5);
    expect((await log(vote)).waiting).toBe(5);
    await round(vote);
    expect((await checkpoints(vote)).map(({ taille }) => taille)).toEqual([5]);
  });

  it.each(['recu_noeud', 'engagement', 'evenement'])(
    '%s rejects rows: no receipt is placed, and the next round signs the checkpoint',
    async (table) => {
      const vote = await votes.opened(260);
      await cast(vote, 260);
      await unchanged(() => expect(refusing(app, table, () => round(vote))).rejects.toThrow('refused'));
      await round(vote);
      expect((await checkpoints(vote)).map(({ taille }) => taille)).toEqual([260]);
    },
  );

  it('are signed by one of two workers; the other and votes do not wait, and a cut connection leaves nothing', async () => {
    const vote = await votes.opened(6);
    await cast(vote, 3);
    const rival = await app.connect();
    await app.database.query(
      `CREATE FUNCTION halted() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM pg_advisory_xact_lock_shared(78); RETURN NEW; END $$`,
    );
    await app.database.query(
      'CREATE TRIGGER halted BEFORE INSERT ON engagement FOR EACH ROW EXECUTE FUNCTION halted()',
    );
    try {
      await rival.query('SELECT pg_advisory_lock(78)');
      const first = round(vote);
      first.catch(() => undefined);
      const waiting = await lockWaits(app.database);
      await round(vote);
      await votes.voted(vote, 5);
      await app.database.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [waiting]);
      await expect(first).rejects.toThrow();
      expect(await log(vote)).toEqual({ placed: [], waiting: 4 });
      expect(await checkpoints(vote)).toEqual([]);
    } finally {
      await rival.end();
      await app.database.query('DROP FUNCTION halted CASCADE');
    }
    await round(vote);
    expect((await checkpoints(vote)).map(({ taille }) => taille)).toEqual([4]);
  });

  it('are made by one of two workers', async () => {
    const vote = await votes.opened(3);
    await cast(vote, 3);
    const workers: INestApplication[] = [await startWorker(app.config), await startWorker(app.config)];
    try {
      await eventually(async () => (await checkpoints(vote)).length > 0 || undefined, 'A checkpoint');
      expect((await checkpoints(vote)).map(({ taille }) => taille)).toEqual([3]);
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
    }
  });
});

/** Changes by an owner of the tables of a log with the checkpoints 300 and 310, before 5 more receipts. */
const RECEIPT = `${OWN} AND place = 7`;
const TAMPERED: [what: string, others: string[], statement: string][] = [
  ['a receipt is removed', ['recus'], `DELETE FROM recu WHERE ${RECEIPT}`],
  ['the last receipt is removed', ['recus'], `DELETE FROM recu WHERE ${OWN} AND place = 309`],
  ['a receipt is changed', [], `UPDATE recu SET empreinte = sha256('another') WHERE ${RECEIPT}`],
  ['a receipt is added', ['recus'], `INSERT INTO recu VALUES ($1, $2, sha256('one more'), 310)`],
  [
    'two receipts change places',
    [],
    `WITH taken AS (DELETE FROM recu WHERE ${OWN} AND place IN (7, 8) RETURNING *)
     INSERT INTO recu SELECT tenant_id, campagne_id, empreinte, 15 - place FROM taken ORDER BY place`,
  ],
  ['a receipt loses its place', [], `UPDATE recu SET place = NULL WHERE ${RECEIPT}`],
  ['a root is changed', [], `UPDATE engagement SET racine = sha256('another') WHERE ${OWN} AND taille = 300`],
  [
    'a note is changed',
    [],
    `UPDATE engagement SET note = replace(note, E'\\n300\\n', E'\\n299\\n') WHERE ${OWN} AND taille = 300`,
  ],
  ['the last checkpoint is removed', [], `DELETE FROM engagement WHERE ${OWN} AND taille = 310`],
  ['a node is changed', [], `UPDATE recu_noeud SET empreinte = sha256('another') WHERE ${OWN}`],
  ['a node is removed', [], `DELETE FROM recu_noeud WHERE ${OWN}`],
];

const actions = async ({ id }: Vote): Promise<string[]> =>
  (await campaigns.audited(id)).filter((action) => action.startsWith('urne.'));

const anomalies = async ({ id }: Vote): Promise<string[] | null> => {
  const [row] = await campaigns.rows<{ found: string[] | null }>(
    'SELECT urne_anomalies AS found FROM campagne WHERE tenant_id = $1 AND id_unique = $2',
    id,
  );
  return row!.found;
};

describe('a log that was tampered with', () => {
  async function engaged(): Promise<Vote> {
    const vote = await votes.opened(320);
    await cast(vote, 300);
    await round(vote);
    await cast(vote, 10);
    await round(vote);
    return vote;
  }

  it.each(TAMPERED)(
    'is an anomaly at the next round, and nothing is signed: %s',
    async (_what, _others, statement) => {
      const vote = await engaged();
      await campaigns.rows(statement, vote.id);
      const before = await checkpoints(vote);
      await cast(vote, 5);
      await expectLoggedChecks(vote.id, ['engagements'], async () => {
        for (let attempt = 0; attempt < 2; attempt++)
          await expect(round(vote)).rejects.toThrow('differs from a checkpoint');
      });
      expect(await checkpoints(vote)).toEqual(before);
      expect([await anomalies(vote), await actions(vote)]).toEqual([['engagements'], ['urne.anomalie']]);
    },
  );

  it.each(TAMPERED)('is not sealed and shows no result: %s', async (_what, others, statement) => {
    const vote = await engaged();
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    await campaigns.rows(statement, vote.id);
    const names = [...others, 'engagements'].join(', ');
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(seal(vote.id)).rejects.toThrow(`is not sealed: ${names} do not agree`);
    expect(await anomalies(vote)).toEqual([...others, 'engagements']);
    expect((await stats(vote.id)).resultatsVisibles).toBe(false);
    expect(new Set(await actions(vote))).toEqual(new Set(['urne.anomalie']));
  });

  it('is sealed after a correction, also one that came after the finding of a round', async () => {
    const vote = await engaged();
    const move = (from: string, to: string): Promise<unknown> =>
      campaigns.rows(`UPDATE recu SET place = ${to} WHERE ${OWN} AND place ${from}`, vote.id);
    await move('= 7', 'NULL');
    await cast(vote, 5);
    await expect(round(vote)).rejects.toThrow('differs');
    const [lost] = await campaigns.rows<{ empreinte: Buffer }>(
      `SELECT empreinte FROM recu WHERE ${OWN} AND place IS NULL AND empreinte > (SELECT empreinte FROM recu WHERE ${OWN} AND place = 6)
         AND empreinte < (SELECT empreinte FROM recu WHERE ${OWN} AND place = 8)`,
      vote.id,
    );
    await campaigns.rows(
      `UPDATE recu SET place = 7 WHERE ${OWN} AND empreinte = $3`,
      vote.id,
      lost!.empreinte,
    );
    await round(vote);
    expect(await anomalies(vote)).toBeNull();
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await seal(vote.id)).toBe(true);
    expect((await stats(vote.id)).resultatsVisibles).toBe(true);
  });

  it('is sealed by an administrator without a result, unless it was corrected', async () => {
    const raison = { raison: 'Le journal des reçus a été modifié.' };
    const vote = await engaged();
    const set = (text: string): Promise<unknown> =>
      campaigns.rows(`UPDATE engagement SET racine = ${text} WHERE ${OWN} AND taille = 300`, vote.id);
    await campaigns.rows(`UPDATE engagement SET note = note || encode(racine, 'hex') WHERE ${OWN}`, vote.id);
    await set(`sha256('another')`);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    await expect(seal(vote.id)).rejects.toThrow('engagements do not agree');
    await set(`decode(right(note, 64), 'hex')`);
    const corrected = await campaigns.administer('POST', `/${vote.id}/urne/constater`, raison);
    expectProblem(corrected, 409, 'Urne.NonConstatable');
    await set(`sha256('another')`);
    await expect(seal(vote.id)).rejects.toThrow('engagements do not agree');
    const { status } = await campaigns.administer('POST', `/${vote.id}/urne/constater`, raison);
    expect([status, await anomalies(vote)]).toEqual([200, ['engagements']]);
    expect((await stats(vote.id)).resultatsVisibles).toBe(false);
  });

  it('is not sealed by a worker of the earlier release once the log has begun, because that one places no receipts', async () => {
    const vote = await votes.opened(2);
    await votes.voted(vote, 0);
    await round(vote);
    await votes.voted(vote, 1);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    const sealing = campaigns.rows(
      `WITH entered AS MATERIALIZED (SELECT set_config('app.tenant_id', $1::text, true)) SELECT urne_sceller($2) FROM entered`,
      vote.id,
    );
    await expect(sealing).rejects.toThrow('does not cover all receipts');
    expect(await seal(vote.id)).toBe(true);
  });
});

describe('POST /plateforme/v1/campagnes/{id}/bulletins', () => {
  const device = (): { recu: string; EmpreinteRecu: string } => {
    const recu = randomBytes(24).toString('base64url');
    return { recu, EmpreinteRecu: digestOf(recu).toString('base64url') };
  };
  const claims = (attestation: string): object =>
    JSON.parse(Buffer.from(attestation.split('.')[1]!, 'base64url').toString());

  it('201 with an attestation of the receipt; a device’s receipt is not in the response', async () => {
    const vote = await votes.opened(3);
    const ours = await votes.cast(vote.id, ballot(vote, 0));
    expect(Object.keys(ours.json)).toEqual(['Recu', 'Attestation']);
    const base = `/plateforme/v1/campagnes/${vote.id}/recus`;
    expect(ours.headers.get('location')).toBe(`${base}/${ours.json.Recu}`);
    const empreinteRecu = digestOf(ours.json.Recu).toString('base64url');
    expect(claims(ours.json.Attestation)).toEqual({ campagneId: vote.id, empreinteRecu });
    const { recu, EmpreinteRecu } = device();
    const theirs = await votes.cast(vote.id.toUpperCase(), { ...ballot(vote, 1), EmpreinteRecu });
    expect([theirs.status, Object.keys(theirs.json)]).toEqual([201, ['EmpreinteRecu', 'Attestation']]);
    expect(theirs.json.EmpreinteRecu).toBe(EmpreinteRecu);
    expect(theirs.headers.get('location')).toBe(`${base}/${EmpreinteRecu}/preuve`);
    const expected = { campagneId: vote.id, empreinteRecu: EmpreinteRecu };
    const [header, payload, signature] = theirs.json.Attestation.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString()).alg).toBe('EdDSA');
    const signed = Buffer.from(`${header}.${payload}`);
    expect(verify(null, signed, await publicKey(), bytes(signature))).toBe(true);
    expect(Buffer.from(payload, 'base64url').toString()).toBe(JSON.stringify(expected));
    expect((await app.send(votes.platform, 'GET', `${base}/${recu}`)).status).toBe(200);
    const waiting = await preuve(vote, EmpreinteRecu);
    expectProblem(waiting, 409, 'Dossier.NonPret');
    expect(waiting.headers.get('retry-after')).toBe('60');
    await round(vote);
    expect((await preuve(vote, EmpreinteRecu)).json.EmpreinteRecu).toBe(EmpreinteRecu);
    const absent = await votes.cast(vote.id, { ...ballot(vote, 2), EmpreinteRecu: null });
    expect(Object.keys(absent.json)).toEqual(['Recu', 'Attestation']);
  });

  it('409 Vote.RecuDejaUtilise for a digest that the campaign has, also in a race: nothing is written; another campaign may have it', async () => {
    const [vote, other] = [await votes.opened(6), await votes.opened(1)];
    const { EmpreinteRecu } = device();
    const voting = (voter: number, of = vote): Promise<Answer> =>
      votes.cast(of.id, { ...ballot(of, voter), EmpreinteRecu });
    const answers = await Promise.all(times(4, (n) => voting(n)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expect([(await votes.box(vote.id)).length, await votes.aVote(vote.id)]).toEqual([1, 1]);
    await unchanged(async () => {
      expectProblem(await voting(4), 409, 'Vote.RecuDejaUtilise');
    });
    const first = answers.findIndex(({ status }) => status === 201);
    expectProblem(await voting(first), 409, 'Vote.DejaVote');
    expect((await voting(0, other)).status).toBe(201);
  });

  it('400 for a text that is no SHA-256 in base64url', async () => {
    const vote = await votes.opened(1);
    const { EmpreinteRecu } = device();
    const wrong = [EmpreinteRecu.slice(1), `${EmpreinteRecu.slice(0, 42)}B`, `+${EmpreinteRecu.slice(1)}`];
    for (const one of wrong)
      expectFaults(
        await votes.cast(vote.id, { ...ballot(vote), EmpreinteRecu: one }),
        '/EmpreinteRecu format',
      );
    expectFaults(
      await votes.cast(vote.id, { ...ballot(vote), EmpreinteRecu: `${EmpreinteRecu}=` }),
      '/EmpreinteRecu length',
    );
    expect(await votes.aVote(vote.id)).toBe(0);
  });
});

describe('proofs and checkpoints', () => {
  const recus = ({ id }: { id: string }): string => `/plateforme/v1/campagnes/${id}/recus`;

  it('404 for unknown receipts, campaigns and those of other tenants; a digest in another form gets the address of the proof', async () => {
    const vote = await votes.opened(2);
    const recu = await votes.voted(vote, 0);
    await round(vote);
    const empreinte = digestOf(recu).toString('base64url');
    for (const one of [randomBytes(32).toString('base64url'), recu, `${empreinte}A`])
      expectProblem(await preuve(vote, one), 404, 'Recu.NotFound');
    expectProblem(await preuve({ id: randomUUID() }, empreinte), 404, 'Campagne.NotFound');
    const digest = digestOf(recu);
    const forms = [digest.toString('hex'), digest.toString('hex').toUpperCase(), `${empreinte}=`];
    for (const form of forms) {
      const answers = [
        await preuve(vote, form),
        await app.send(votes.platform, 'GET', `${recus(vote)}/${form}`),
      ];
      for (const answer of answers) {
        expectProblem(answer, 404, 'Recu.NotFound');
        expect(answer.json.detail).toContain(`${recus(vote)}/${empreinte}/preuve`);
      }
    }
    expect((await preuve(vote, recu)).json.detail).toContain('the SHA-256 of the receipt in base64url');
    const elsewhere = await newSpace();
    const foreign = await Votes.of(app, elsewhere);
    const path = `/plateforme/v1/campagnes/${vote.id}/recus/${empreinte}/preuve`;
    expectProblem(await app.send(foreign.platform, 'GET', path), 404, 'Campagne.NotFound');
    for (const rest of ['engagements', 'engagements/coherence?de=1&a=1']) {
      expectProblem(await elsewhere.send('GET', `/${vote.id}/${rest}`), 404, 'Campagne.NotFound');
      expectProblem(await campaigns.send('GET', `/${randomUUID()}/${rest}`), 404, 'Campagne.NotFound');
    }
  });

  it('404 for a receipt of a vote that the earlier release sealed', async () => {
    const vote = await votes.opened(1);
    const recu = await votes.voted(vote, 0);
    await campaigns.rows(
      'UPDATE campagne SET urne_fermee_par = pg_current_xact_id(), urne_scellee = true WHERE tenant_id = $1 AND id_unique = $2',
      vote.id,
    );
    expectProblem(await preuve(vote, digestOf(recu).toString('base64url')), 404, 'Recu.NotFound');
    expect(await checkpoints(vote)).toEqual([]);
  });

  it('pages of checkpoints follow each other; 400 for other cursors', async () => {
    const vote = await votes.opened(5);
    for (let n = 0; n < 5; n++) {
      await cast(vote, 1);
      await round(vote);
    }
    const sizes: number[] = [];
    let path: string | undefined = `/${vote.id}/engagements?limite=2`;
    while (path) {
      const answer: Answer = await campaigns.send('GET', path);
      sizes.push(...answer.json.map(({ taille }: Checkpoint) => taille));
      const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      path = next?.slice(next.indexOf(`/${vote.id}`));
    }
    expect(sizes).toEqual([1, 2, 3, 4, 5]);
    for (const cursor of ['x', '5', Buffer.from('2.x').toString('base64url')])
      expectFaults(
        await campaigns.send('GET', `/${vote.id}/engagements?curseur=${cursor}`),
        '?curseur cursor',
      );
  });

  it('400 for sizes that are none', async () => {
    const vote = await votes.opened(5);
    await cast(vote, 5);
    await round(vote);
    expect((await coherence(vote, 'de=2&a=4')).status).toBe(200);
    expectFaults(await coherence(vote, 'de=0&a=5'), '?de range');
    expectFaults(await coherence(vote, 'de=4&a=3'), '?de range');
    expectFaults(await coherence(vote, 'de=1&a=6'), '?a range');
    expectFaults(await coherence(vote, 'de=x&a=1.5'), '?de type, ?a type');
    expectFaults(await coherence(vote, 'de=1'), '?a required');
  });
});
