import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trail } from '../audit/support/trail';
import { Post } from '../messaging/support/post';
import { command } from '../setup/command';
import { asService } from '../setup/service-login';
import { KeyRing } from '../../libs/platform/src/ops/key-ring';
import { TestApp, type TestTenant } from '../setup/test-app';
import { Votes } from '../voting/support/votes';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
});
/** A test stops the API before the command runs. */
let stopping: Promise<void> | undefined;
const stopApi = (): Promise<void> => (stopping ??= app.app.close());
afterAll(async () => {
  await app.database.end();
  await stopApi();
});

interface Run {
  readonly code: number;
  readonly lines: readonly object[];
  readonly errors: string;
}

/** Runs the command as an operator does, with the login of the processes. */
async function afterRestore(args: readonly string[], secretsKey = app.config.secretsKey): Promise<Run> {
  const env = {
    DATABASE_URL: asService(app.config.databaseUrl),
    SECRETS_KEY: secretsKey.text(),
  };
  const { code, output, errors } = await command(env, 'apres-restauration', ...args);
  const lines = output.split('\n').filter(Boolean);
  return { code, lines: lines.map((line) => JSON.parse(line) as object), errors };
}

function fileOf(...lines: readonly unknown[]): string {
  const file = join(tmpdir(), `${randomUUID()}.jsonl`);
  writeFileSync(
    file,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return file;
}

async function rows<R extends object>(text: string, ...values: unknown[]): Promise<R[]> {
  return (await app.database.query<R>(text, values)).rows;
}

const moment = (): string => new Date(Date.now() - 1_000).toISOString();

describe('node dist/apps/cli/src/main.js apres-restauration', () => {
  it.each([
    [[], /^Give the restored moment /],
    [['2026-11-25'], /^Give the restored moment /],
    [['2999-11-25T03:00:00Z'], /^Give the restored moment /],
    [['2026-11-25T03:00:00'], /^Give the restored moment /],
  ])('arguments %j: exit code 1 and one line', async (args, message) => {
    const { code, lines, errors } = await afterRestore(args);
    expect([code, lines]).toEqual([1, []]);
    expect(errors).toMatch(message);
    expect(errors.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['{'],
    ['{"revoquer":{"client":"a","cle":"b"}}'],
    [
      '{"effacer":{"client":"00000000-0000-0000-0000-000000000000","environnement":"essai","idExterne":"E-1"}}',
    ],
  ])('a file with the line %s: exit code 1, which names the line', async (line) => {
    const good = { revoquer: { client: randomUUID(), cle: randomUUID() } };
    const { code, lines, errors } = await afterRestore([moment(), fileOf(good, line)]);
    expect([code, lines]).toEqual([1, []]);
    expect(errors).toMatch(/^Line 2 of /);
  });

  describe('on a restored database', () => {
    let tenant: TestTenant;
    let trail: Trail;
    let email: string;
    let vote: string;
    beforeAll(async () => {
      tenant = await app.tenant();
      trail = new Trail(app, tenant);
      const post = Post.of(app, tenant);
      const idExternes = await post.employes(3);
      email = (await post.email({ idExternes })).id;
      await app.database.query(
        `UPDATE courriel_destinataire SET etat = 'Envoye', echeance = NULL WHERE courriel_id = $1 AND ordre = 1`,
        [email],
      );
      vote = (await (await Votes.of(app)).opened(2)).id;
    });

    it('refuses while an API runs, and with another SECRETS_KEY; changes nothing', async () => {
      const before = await trail.rows();
      const running = await afterRestore([moment()]);
      expect([running.code, running.lines]).toEqual([1, []]);
      expect(running.errors).toMatch(/^Stop API, workers and deplacements first/);
      await stopApi();
      const foreign = await afterRestore([moment()], KeyRing.of(randomBytes(32)));
      expect([foreign.code, foreign.lines]).toEqual([1, []]);
      expect(foreign.errors).toMatch(/^No audit trail is intact: give the SECRETS_KEY/);
      expect(await trail.rows()).toEqual(before);
    });

    it('ends emails, revokes keys, erases persons, notes it in each trail, and lists what is left', async () => {
      const at = moment();
      const { clientId: client, cleId: cle } = tenant;
      const revoquer = { client, cle };
      const effacer = { client, environnement: 'staging', idExterne: 'E-1' };
      const lost = { revoquer: { client, cle: randomUUID() } };
      const { code, lines, errors } = await afterRestore([at, fileOf({ revoquer }, { effacer }, lost)]);
      expect([code, errors]).toEqual([0, '']);
      expect(lines).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ todo: 'inform', client, moment: at }),
          { done: 'email', client, environnement: 'staging', courriel: email, destinataires: 2 },
          expect.objectContaining({ todo: 'vote', campagne: vote, votes: 0 }),
          { done: 'trail', client, space: client },
          { done: 'trail', client, space: tenant.tenantId },
          { done: { revoquer } },
          { done: { effacer } },
          { absent: lost, code: 'Cle.NotFound' },
        ]),
      );

      const states = await rows<{ etat: string }>(
        'SELECT etat FROM courriel_destinataire WHERE courriel_id = $1 ORDER BY ordre',
        email,
      );
      // The erased person's recipient is gone or without a person; no recipient waits.
      expect(states.map(({ etat }) => etat)).not.toContain('EnAttente');
      expect(states[0]).toEqual({ etat: 'Envoye' });
      expect(await rows('SELECT revoque_le IS NOT NULL AS revoked FROM cle WHERE id = $1', cle)).toEqual([
        { revoked: true },
      ]);
      expect(await rows('SELECT FROM employe WHERE tenant_id = $1', tenant.tenantId)).toHaveLength(2);
      const noted = (await trail.rows()).filter(({ action }) => action === 'journal.restaurer');
      expect(noted).toMatchObject([{ objetId: tenant.tenantId, requeteId: `apres-restauration ${at}` }]);
    });

    it('repeated: changes no more data, and the trails stay intact', async () => {
      const { clientId: client } = tenant;
      const effacer = { client, environnement: 'staging', idExterne: 'E-1' };
      const { code, lines } = await afterRestore([moment(), fileOf({ effacer })]);
      expect(code).toBe(0);
      expect(lines).toContainEqual({ absent: { effacer }, code: 'Employe.NotFound' });
      expect(lines).not.toContainEqual(expect.objectContaining({ done: 'email' }));
      expect(await rows('SELECT FROM employe WHERE tenant_id = $1', tenant.tenantId)).toHaveLength(2);
      const env = {
        DATABASE_URL: asService(app.config.databaseUrl),
        SECRETS_KEY: app.config.secretsKey.text(),
      };
      const verified = await command(env, 'verifier-journal');
      expect([verified.code, verified.errors]).toEqual([0, expect.stringContaining('are whole')]);
    });

    it('a person who may not be erased is reported as failed, with exit code 1', async () => {
      const [campaign] = await rows<{ id: string }>(
        'SELECT tenant_id AS id FROM campagne WHERE id_unique = $1',
        vote,
      );
      const [space] = await rows<{ client: string }>(
        'SELECT client_id AS client FROM tenant WHERE id = $1',
        campaign!.id,
      );
      const effacer = { client: space!.client, environnement: 'staging', idExterne: 'E-OF-VOTER' };
      await app.database.query(
        `INSERT INTO employe (tenant_id, id_unique, id_externe, prenom, nom)
         SELECT tenant_id, gen_random_uuid(), 'E-OF-VOTER', 'Zoé', 'Roy' FROM campagne WHERE id_unique = $1`,
        [vote],
      );
      await app.database.query(
        `UPDATE votant SET employe_id_externe = 'E-OF-VOTER' WHERE campagne_id = $1 AND id_unique =
           (SELECT id_unique FROM votant WHERE campagne_id = $1 LIMIT 1)`,
        [vote],
      );
      const { code, lines, errors } = await afterRestore([moment(), fileOf({ effacer })]);
      expect(lines).toContainEqual({ failed: { effacer }, code: 'Employe.LieCampagneActive' });
      expect([code, errors]).toEqual([1, expect.stringMatching(/^1 lines? could not be repeated/)]);
    });
  });
});
