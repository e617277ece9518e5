import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Campaigns } from '../voting/support/campaigns';
import { until } from '../webhooks/support/receiver';
import { MailServer } from './support/mail-server';
import { mailing, PATH, Post } from './support/post';

const app = perFile(() => TestApp.own('a worker runs'));
let server: MailServer;
beforeEach(async () => {
  server = await MailServer.start();
});
afterEach(async () => {
  await server.stop();
  await app.database.query('DELETE FROM pgboss.job');
});

const worker = () => startWorker(mailing(app.config, `${server.url}?tls=off`));
const opened = async (environnement: 'staging' | 'production', courrielsEssai: string[] = []) =>
  Post.of(app, await app.tenant({ environnement, courrielsEssai }));

/** Creates an employee of each address; the identifier of one is its address. */
async function employes(post: Post, addresses: readonly string[]): Promise<string[]> {
  for (const courriel of addresses) {
    const body = { idExterne: courriel, prenom: 'Zoé', nom: 'Roy', courriel };
    expect((await post.send('POST', '/b2b/v1/employe', body)).status).toBe(201);
  }
  return [...addresses];
}

/** The state of each recipient, by the external identifier. */
async function etatsOf(post: Post, id: string): Promise<Record<string, string>> {
  const rows = await post.destinataires(id);
  return Object.fromEntries(rows.map(({ idExterne, etat }) => [idExterne, etat]));
}

describe('E-mail of a staging data space', () => {
  it('is held back by default, and sent from production; held recipients use the quota', async () => {
    const spaces = [await opened('staging'), await opened('production')] as const;
    const emails = [];
    for (const post of spaces) {
      await post.client({ quotaCourrielsParJour: 5 });
      const ids = await employes(post, ['a@example.org', 'b@example.net', 'A@example.org']);
      await post.send('POST', '/b2b/v1/employe', { idExterne: 'sans', prenom: 'Zoé', nom: 'Roy' });
      emails.push(await post.email({ idExternes: [...ids, 'sans'] }));
    }
    const sending = await worker();
    const none = {
      ...{ enAttente: 0, enCours: 0, refuses: 0, rejetes: 0, incertains: 0 },
      sansAdresse: 1,
      doublons: 1,
    };
    expect(await spaces[1].over(emails[1]!.id)).toEqual({ ...none, envoyes: 2, retenus: 0 });
    expect(await spaces[0].over(emails[0]!.id)).toEqual({ ...none, envoyes: 0, retenus: 2 });
    await sending.close();
    expect([...server.counts()].sort()).toEqual([
      ['a@example.org', 1],
      ['b@example.net', 1],
    ]);
    expect(server.begun).toBe(2);
    const held = await spaces[0].destinataires(emails[0]!.id, '?etat=Retenu');
    expect(held).toMatchObject([
      { idExterne: 'a@example.org', etat: 'Retenu', codeSmtp: null },
      { idExterne: 'b@example.net', etat: 'Retenu', codeSmtp: null },
    ]);
    expect(
      await spaces[0].rows(
        `SELECT DISTINCT essais, echeance, porteur FROM courriel_destinataire WHERE tenant_id = $1 AND etat = 'Retenu'`,
      ),
    ).toEqual([{ essais: 0, echeance: null, porteur: null }]);
    // Four of the five recipients of the day are used, though two of them were held back.
    const second = await spaces[0].send('POST', PATH, {
      destinataires: { idExternes: ['a@example.org', 'sans'] },
      ...{ sujet: 'Assemblée', corpsHtml: '<p>Bonjour</p>' },
    });
    expect([second.status, second.json.code]).toEqual([429, 'Courriel.QuotaDepasse']);
  });

  it('reaches the addresses and domains of the setting only, without regard to case, and no subdomain', async () => {
    const allowed = {
      'zoe@autre.org': 'Zoé@Autre.org'.replace('é', 'e'),
      'ZOE@EXEMPLE.ORG': 'exemple.org',
      'ana@exemple.org': 'exemple.org',
      'x@essai.example': '@Essai.Example',
      'ana@οδος.example': 'οδος.example',
      'noël@hôpital.example': 'noël@HÔPITAL.EXAMPLE'.normalize('NFD'),
      'bob@straße.example': 'xn--strae-oqa.example',
    };
    const refused = [
      ...['zoe2@autre.org', 'a.zoe@autre.org', 'zoe@autre.org.example', 'ana@mail.exemple.org'],
      ...['ana@monexemple.org', 'ana@exemple.org.example', 'exemple.org@autre.org', 'ana@exemple.organic'],
      // Folding case would make these equal to permitted ones.
      ...['bob@strasse.example', 'NOËL@hôpital.example', 'ana@οδοσ.example'],
    ];
    const post = await opened('staging', Object.values(allowed));
    const ids = await employes(post, [...Object.keys(allowed), ...refused]);
    const { id } = await post.email({ idExternes: ids });
    const sending = await worker();
    expect(await post.over(id)).toMatchObject({ envoyes: 7, retenus: 11 });
    await sending.close();
    expect(await etatsOf(post, id)).toEqual({
      ...Object.fromEntries(Object.keys(allowed).map((address) => [address, 'Envoye'])),
      ...Object.fromEntries(refused.map((address) => [address, 'Retenu'])),
    });
    expect(server.accepted).toHaveLength(7);
  });

  it('reaches entries with capital letters, which processes of release 0.2.0 store as they are sent', async () => {
    const post = await opened('staging');
    const ids = await employes(post, ['zoe@autre.org', 'ana@essai.example', 'bob@autre.org']);
    const { id } = await post.email({ idExternes: ids });
    await post.rows(
      `UPDATE reglage SET courriels_essai = '{Zoe@Autre.org,Essai.Example}' WHERE tenant_id = $1`,
    );
    const sending = await worker();
    expect(await post.over(id)).toMatchObject({ envoyes: 2, retenus: 1 });
    await sending.close();
    expect(server.accepted).toHaveLength(2);
  });

  it('holds voters back, too', async () => {
    const post = await opened('staging', ['essai@example.org']);
    const campaigns = new Campaigns(app, post.tenant);
    const campagneId = await campaigns.draft();
    await campaigns.votant(campagneId, { Courriel: 'essai@example.org' });
    await campaigns.votant(campagneId, { Courriel: 'membre@example.org' });
    const { id } = await post.email({ campagneId, cible: 'tous' });
    const sending = await worker();
    expect(await post.over(id)).toMatchObject({ envoyes: 1, retenus: 1 });
    await sending.close();
    expect([...server.counts()]).toEqual([['essai@example.org', 1]]);
  });

  it('reads the setting when it sends, not at the request', async () => {
    const post = await opened('staging', ['avant@example.org']);
    const ids = await employes(post, ['avant@example.org', 'apres@example.org']);
    const { id } = await post.email({ idExternes: ids });
    await post.client({ courrielsEssai: ['apres@example.org'] });
    const sending = await worker();
    expect(await post.over(id)).toMatchObject({ envoyes: 1, retenus: 1 });
    // Recipients that were held back stay so, whatever the setting becomes.
    await post.client({ courrielsEssai: ['example.org'] });
    const next = await post.email({ idExternes: ids });
    expect(await post.over(next.id)).toMatchObject({ envoyes: 2 });
    await sending.close();
    expect(await etatsOf(post, id)).toEqual({ 'avant@example.org': 'Retenu', 'apres@example.org': 'Envoye' });
    expect([...server.counts()].sort()).toEqual([
      ['apres@example.org', 2],
      ['avant@example.org', 1],
    ]);
  });

  it('does not end a message whose address leaves the setting while it is sent', async () => {
    const post = await opened('staging', ['example.org']);
    const [address] = await employes(post, ['tard@example.org']);
    const { id } = await post.email({ idExternes: [address] });
    let isClosed = false;
    const slow = await MailServer.start({ onClose: () => void (isClosed = true) });
    slow.judge = async (phase): Promise<'accept'> => {
      if (phase === 'rcpt') await post.client({ courrielsEssai: [] });
      return 'accept';
    };
    const sending = await startWorker(mailing(app.config, `${slow.url}?tls=off`));
    await until('the worker cuts the connection', () => Promise.resolve(isClosed));
    // The lease ends now, not in 30 s.
    await post.rows('UPDATE courriel_destinataire SET echeance = now() WHERE tenant_id = $1');
    expect(await post.over(id)).toMatchObject({ envoyes: 0, retenus: 1 });
    await sending.close();
    await slow.stop();
    expect([slow.begun, slow.ended]).toEqual([1, 0]);
  });

  it('holds back while no mail server can be reached', async () => {
    const post = await opened('staging');
    const { id } = await post.email({ idExternes: await employes(post, ['a@example.org']) });
    const sending = await startWorker(mailing(app.config, 'smtp://127.0.0.1:1?tls=off'));
    expect(await post.over(id)).toMatchObject({ retenus: 1 });
    await sending.close();
  });

  it.each([null, 'autre'])('is held back while the environment is %s in the settings', async (name) => {
    const post = await opened('production');
    const { id } = await post.email({ idExternes: await employes(post, ['a@example.org']) });
    // A trigger refuses this, as it does not in a database that was restored from elsewhere.
    await app.database.query('ALTER TABLE reglage DISABLE TRIGGER reglage_environnement');
    await post.rows('UPDATE reglage SET environnement = $2 WHERE tenant_id = $1', name);
    await app.database.query('ALTER TABLE reglage ENABLE TRIGGER reglage_environnement');
    const sending = await worker();
    expect(await post.over(id)).toMatchObject({ retenus: 1 });
    await sending.close();
    expect(server.begun).toBe(0);
  });
});
