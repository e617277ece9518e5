import { SealingService } from '../../libs/voting/src';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { expectProblem } from '../http/expect-problem';
import { walk } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { countStatements } from '../sync/statements';
import { Campaigns } from '../voting/support/campaigns';
import { MailServer } from './support/mail-server';
import { addressOf, mailing, PATH, Post } from './support/post';
import { perFile } from '../setup/fixtures';

const NOTHING = '0198c2d4-0000-7000-8000-000000000000';
const BODY = { sujet: 'Assemblée', corpsHtml: '<p>Bonjour</p>' };

const app = perFile(() => TestApp.own('a worker runs'));
afterEach(() => app.database.query('DELETE FROM pgboss.job'));

describe('POST /b2b/v2/courriel', () => {
  it('202 with Location; employees once each, duplicate addresses once, in the order named', async () => {
    const post = await Post.open(app);
    await post.employes(3, 'A');
    const changes = { 'A-1': 'A-0@EXAMPLE.org', 'A-2': null };
    for (const [idExterne, courriel] of Object.entries(changes)) {
      await post.send('PUT', '/b2b/v1/employe', { idExterne, prenom: 'Zoé', nom: 'Roy', courriel });
    }
    const answer = await post.send('POST', PATH, {
      destinataires: { idExternes: ['A-2', 'A-1', 'A-0', 'A-2'] },
      ...BODY,
    });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`${PATH}/${answer.json.id}`);
    expect(answer.json).toEqual({ id: expect.any(String), nombreDestinataires: 3 });
    expect(await post.destinataires(answer.json.id)).toMatchObject([
      { idExterne: 'A-2', votantId: null, etat: 'SansAdresse', codeSmtp: null },
      { idExterne: 'A-1', etat: 'EnAttente' },
      { idExterne: 'A-0', etat: 'Doublon' },
    ]);
    const read = await post.send('GET', `${PATH}/${answer.json.id}`);
    expect(read.json).toEqual({
      id: answer.json.id,
      sujet: 'Assemblée',
      dateCreation: expect.any(String),
      nombreDestinataires: 3,
      etats: {
        enAttente: 1,
        enCours: 0,
        envoyes: 0,
        refuses: 0,
        rejetes: 0,
        incertains: 0,
        sansAdresse: 1,
        doublons: 1,
        retenus: 0,
      },
    });
    const etag = read.headers.get('etag')!;
    expect(
      (await post.send('GET', `${PATH}/${answer.json.id}`, undefined, { 'If-None-Match': etag })).status,
    ).toBe(304);
    expect(
      await post.rows(
        `SELECT action, objet_id FROM journal WHERE tenant_id = $1 AND action = 'courriel.envoyer'`,
      ),
    ).toEqual([{ action: 'courriel.envoyer', objet_id: answer.json.id }]);
    const pages = await walk(app, post.tenant, `${PATH}/${answer.json.id}/destinataires?limite=2`);
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
  });

  it('nonVotants selects voters who have not voted', async () => {
    const post = await Post.open(app);
    await post.employes(1, 'V');
    const campaigns = new Campaigns(app, post.tenant);
    const id = await campaigns.draft();
    const own = await campaigns.votant(id, { EmployeIdExterne: 'V-0', Courriel: 'autre@example.org' });
    const none = await campaigns.votant(id, {});
    const voted = await campaigns.votant(id, { Courriel: 'avote@example.org' });
    const barred = await campaigns.votant(id, { Courriel: 'sansdroit@example.org', ADroitDeVote: false });
    await campaigns.markVoted(id, voted);
    const all = await post.email({ campagneId: id, cible: 'tous' });
    expect(all.nombreDestinataires).toBe(4);
    const rows = await post.destinataires(all.id);
    expect(
      rows.map(({ votantId, etat, idExterne }: Record<string, unknown>) => [votantId, etat, idExterne]),
    ).toEqual([
      [own, 'EnAttente', 'V-0'],
      [none, 'SansAdresse', null],
      [voted, 'EnAttente', null],
      [barred, 'EnAttente', null],
    ]);
    const left = await post.email({ campagneId: id, cible: 'nonVotants' });
    expect((await post.destinataires(left.id)).map(({ votantId }: { votantId: string }) => votantId)).toEqual(
      [own, none],
    );
    // The order is that of the identifiers, even though the row of a voter who has voted lies behind the others.
    const places = await post.rows(
      `SELECT votant_id FROM courriel_destinataire WHERE tenant_id = $1 AND courriel_id = $2 ORDER BY ctid`,
      all.id,
    );
    expect(places.map(({ votant_id }) => votant_id)).toEqual([own, none, voted, barred]);
  });

  it('reaches a voter who is an employee at the employee’s current address only, at the request and at the sending', async () => {
    const post = await Post.open(app);
    await post.employes(4, 'C');
    const campaigns = new Campaigns(app, post.tenant);
    const id = await campaigns.draft();
    // The copies of C-0 to C-2 are as old as the roll; the copy of C-3 was written by a request.
    const ids: string[] = [];
    for (const n of [0, 1, 2, 3]) {
      const copy = n === 3 ? { Courriel: 'copie-3@example.org' } : {};
      ids.push(await campaigns.votant(id, { EmployeIdExterne: `C-${n}`, ...copy }));
    }
    const alone = await campaigns.votant(id, { Courriel: 'seul@example.org' });
    // An employee may be deleted once the campaign is over; the voter then stays.
    await campaigns.question(id);
    for (const step of ['publier', 'ouvrir', 'fermer']) await campaigns.sent('POST', `/${id}/${step}`);
    const change = (idExterne: string, courriel: string | null) =>
      post.send('PUT', '/b2b/v1/employe', { idExterne, prenom: 'Zoé', nom: 'Roy', courriel });
    await change('C-0', 'nouveau-0@example.org');
    await change('C-1', null);
    expect((await post.send('DELETE', '/b2b/v1/employe/C-2')).status).toBe(204);
    const states = async (courrielId: string) =>
      (await post.destinataires(courrielId)).map(({ votantId, etat }: Record<string, unknown>) => [
        votantId,
        etat,
      ]);
    const email = await post.email({ campagneId: id, cible: 'tous' });
    expect(await states(email.id)).toEqual([
      [ids[0], 'EnAttente'],
      [ids[1], 'SansAdresse'],
      [ids[2], 'EnAttente'],
      [ids[3], 'EnAttente'],
      [alone, 'EnAttente'],
    ]);
    await change('C-3', 'nouveau-3@example.org');
    const server = await MailServer.start();
    const worker = await startWorker(mailing(app.config, `${server.url}?tls=off`));
    expect(await post.over(email.id)).toMatchObject({ envoyes: 4, sansAdresse: 1 });
    await worker.close();
    await server.stop();
    expect(server.accepted.map(({ to }) => to).sort()).toEqual([
      'c-2@example.org',
      'nouveau-0@example.org',
      'nouveau-3@example.org',
      'seul@example.org',
    ]);
  });

  it('reaches voters whose ballot box is sealed between the request and the sending', async () => {
    const post = await Post.open(app);
    const campaigns = new Campaigns(app, post.tenant);
    const id = await campaigns.draft();
    await campaigns.question(id);
    await campaigns.votant(id, { Courriel: 'scelle@example.org' });
    await campaigns.sent('POST', `/${id}/publier`);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    await campaigns.sent('POST', `/${id}/fermer`);
    const email = await post.email({ campagneId: id, cible: 'tous' });
    await campaigns.sent('GET', `/${id}/stats`);
    expect(await app.app.get(SealingService).seal(post.tenant.tenantId, id)).toBe(true);
    const server = await MailServer.start();
    const worker = await startWorker(mailing(app.config, `${server.url}?tls=off`));
    expect(await post.over(email.id)).toMatchObject({ envoyes: 1 });
    await worker.close();
    await server.stop();
  });

  it('400 Courriel.AucunDestinataire for an empty roll, and nothing is written', async () => {
    const post = await Post.open(app);
    const id = await new Campaigns(app, post.tenant).draft();
    for (const cible of ['tous', 'nonVotants']) {
      const answer = await post.send('POST', PATH, { destinataires: { campagneId: id, cible }, ...BODY });
      expectProblem(answer, 400, 'Courriel.AucunDestinataire');
    }
    expect(await post.rows('SELECT 1 FROM courriel WHERE tenant_id = $1')).toEqual([]);
  });

  it('404 Campagne.NotFound for an unknown campaign and another tenant’s, with the same response', async () => {
    const [post, other] = [await Post.open(app), await Post.open(app)];
    const foreign = await new Campaigns(app, other.tenant).draft();
    for (const campagneId of [NOTHING, foreign]) {
      const answer = await post.send('POST', PATH, { destinataires: { campagneId, cible: 'tous' }, ...BODY });
      expectProblem(answer, 404, 'Campagne.NotFound');
    }
  });

  it('403 Module.NonActif for voters without the module vote, also on reads; employees need no module', async () => {
    const tenant = await app.tenant({ cleModules: ['carteMembre'] });
    const send = (method: string, path: string, body?: unknown) => app.send(tenant, method, path, body);
    const answer = await send('POST', PATH, {
      destinataires: { campagneId: NOTHING, cible: 'tous' },
      ...BODY,
    });
    expectProblem(answer, 403, 'Module.NonActif', 'Use a key with this module');
    expect(answer.json.module).toBe('vote');
    await send('POST', '/b2b/v1/employe', { idExterne: 'M-1', prenom: 'Zoé', nom: 'Roy' });
    const email = await send('POST', PATH, { destinataires: { idExternes: ['M-1'] }, ...BODY });
    expect(email.status).toBe(202);
    expect((await send('GET', `${PATH}/${email.json.id}/destinataires`)).status).toBe(200);
    await app.database.query(`UPDATE courriel SET cible = 'tous' WHERE id_unique = $1`, [email.json.id]);
    expectProblem(await send('GET', `${PATH}/${email.json.id}/destinataires`), 403, 'Module.NonActif');
  });

  it.each<[string, object, string[]]>([
    ['neither form', { destinataires: {} }, ['/destinataires']],
    ['both forms', { destinataires: { idExternes: ['E'], campagneId: NOTHING } }, ['/destinataires']],
    ['no cible', { destinataires: { campagneId: NOTHING } }, ['/destinataires/cible']],
    ['no campaign', { destinataires: { cible: 'tous' } }, ['/destinataires/campagneId']],
    ['an unknown cible', { destinataires: { campagneId: NOTHING, cible: 'x' } }, ['/destinataires/cible']],
    ['no GUID', { destinataires: { campagneId: 'x', cible: 'tous' } }, ['/destinataires/campagneId']],
    ['nobody', { destinataires: { idExternes: [] } }, ['/destinataires/idExternes']],
    [
      'unknown employees',
      { destinataires: { idExternes: ['X', 'B-0', 'Y'] } },
      ['/destinataires/idExternes/0', '/destinataires/idExternes/2'],
    ],
    [
      'too many',
      { destinataires: { idExternes: Array.from({ length: 10_001 }, (_, at) => `${at}`) } },
      ['/destinataires/idExternes'],
    ],
    ['a header in the subject', { sujet: 'A\r\nBcc: x@example.org' }, ['/sujet']],
    ['a control character in the subject', { sujet: 'A\u0007' }, ['/sujet']],
    [
      'an unknown property of recipients',
      { destinataires: { idExternes: ['B-0'], cc: 'x' } },
      ['/destinataires/cc'],
    ],
  ])('400 with pointers for %s, and nothing is written', async (_what, changes, pointers) => {
    const post = await Post.open(app);
    await post.employes(1, 'B');
    const answer = await post.send('POST', PATH, {
      destinataires: { idExternes: ['B-0'] },
      ...BODY,
      ...changes,
    });
    expectProblem(answer, 400, 'Requete.Invalide');
    expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
    expect(await post.rows('SELECT 1 FROM courriel WHERE tenant_id = $1')).toEqual([]);
    expect(await post.rows('SELECT 1 FROM courriel_destinataire WHERE tenant_id = $1')).toEqual([]);
  });

  it('a repetition with the same Idempotency-Key gets the same response and sends once', async () => {
    const post = await Post.open(app);
    await post.employes(1, 'K');
    const body = { destinataires: { idExternes: ['K-0'] }, ...BODY };
    const answers = await Promise.all(
      ['', ''].map(() => post.send('POST', PATH, body, { 'Idempotency-Key': 'K' })),
    );
    answers.push(await post.send('POST', PATH, body, { 'Idempotency-Key': 'K' }));
    const done = answers.filter(({ status }) => status === 202);
    expect(done.length).toBeGreaterThan(1);
    expect(new Set(done.map(({ json }) => json.id)).size).toBe(1);
    const [row] = await post.rows<{ emails: number; jobs: number }>(
      `SELECT (SELECT count(*)::int FROM courriel WHERE tenant_id = $1) AS emails,
         (SELECT count(*)::int FROM pgboss.job WHERE name = 'courriel' AND data->>'tenantId' = $1::text) AS jobs`,
    );
    expect(row).toEqual({ emails: 1, jobs: 1 });
  });

  it('accepts an email to 20,000 voters with as many statements as one to a single voter', async () => {
    const post = await Post.open(app);
    await post.client({ quotaCourrielsParJour: 20_001 });
    const campaigns = new Campaigns(app, post.tenant);
    const counts: number[] = [];
    for (const voters of [1, 20_000]) {
      const id = await campaigns.draft();
      await post.rows(
        `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, courriel, a_droit_de_vote, poids)
         SELECT $1, $2, 'P', 'N', 'v-' || n || '@example.org', true, 1 FROM generate_series(1, $3) n`,
        id,
        voters,
      );
      counts.push(
        await countStatements(async () => {
          const { nombreDestinataires } = await post.email({ campagneId: id, cible: 'nonVotants' });
          expect(nombreDestinataires).toBe(voters);
        }),
      );
    }
    expect(counts[1]).toBe(counts[0]);
  });
});

describe('GET /b2b/v2/courriel/:id', () => {
  it('404 Courriel.NotFound for an unknown email and another tenant’s, with the same response', async () => {
    const [post, other] = [await Post.open(app), await Post.open(app)];
    const { id } = await other.email({ idExternes: await other.employes(1, 'O') });
    for (const asked of [NOTHING, id, 'x'])
      for (const end of ['', '/destinataires'])
        expectProblem(await post.send('GET', `${PATH}/${asked}${end}`), 404, 'Courriel.NotFound');
  });

  it('400 for an unknown state', async () => {
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(1, 'Q') });
    const answer = await post.send('GET', `${PATH}/${id}/destinataires?etat=Perdu`);
    expectProblem(answer, 400, 'Requete.Invalide');
  });
});

describe('Without a mail server', () => {
  it('each message is a file that appears complete, and only its owner may read it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'mandat-mail-'));
    const post = await Post.open(app);
    const { id } = await post.email({ idExternes: await post.employes(3, 'F') });
    const worker = await startWorker({ ...app.config, dataDir });
    expect(await post.over(id)).toMatchObject({ envoyes: 3 });
    await worker.close();
    const folder = join(dataDir, 'courriels', id);
    const rows = await post.rows<{ id: string }>(
      'SELECT id_unique AS id FROM courriel_destinataire WHERE tenant_id = $1 ORDER BY ordre',
    );
    expect(readdirSync(folder).sort()).toEqual(rows.map((row) => `${row.id}.eml`).sort());
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'courriels')).mode & 0o777).toBe(0o700);
    const mail = await simpleParser(readFileSync(join(folder, `${rows[0]!.id}.eml`)));
    expect(mail).toMatchObject({ subject: 'Assemblée', to: { text: addressOf('F-0') } });
    rmSync(dataDir, { recursive: true });
  });
});

describe('Purge of emails', () => {
  it('emails of 30 days ago are deleted with their recipients, others are not', async () => {
    const post = await Post.open(app);
    const ids = await post.employes(2, 'P');
    const [old, young] = [await post.email({ idExternes: ids }), await post.email({ idExternes: ids })];
    await app.database.query(
      `UPDATE courriel SET date_creation = now() - CASE id_unique WHEN $1 THEN interval '30 days 1 minute' ELSE interval '29 days' END
       WHERE id_unique IN ($1, $2)`,
      [old.id, young.id],
    );
    const worker = await startWorker(mailing(app.config, 'smtp://127.0.0.1:1?tls=off'));
    await expectGone(post, old.id);
    expect((await post.send('GET', `${PATH}/${young.id}`)).status).toBe(200);
    expect(await post.rows('SELECT 1 FROM courriel_destinataire WHERE tenant_id = $1')).toHaveLength(2);
    await worker.close();
  });
});

async function expectGone(post: Post, id: string): Promise<void> {
  for (let left = 100; (await post.send('GET', `${PATH}/${id}`)).status !== 404; left--) {
    expect(left).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
