import { generateKeyPairSync } from 'node:crypto';
import { DossierBuilderService, EngagementsService } from '../../libs/voting/src';
import { publicBytesOf, publicJwkOf } from '../../libs/voting/src/domain/signing-key';
import { download, linesOf, verified } from './support/bundle';
import { app, campaigns, seal, spaceOfFile, votes } from './support/scene';
import type { Vote } from './support/votes';

spaceOfFile();

const OWN = 'tenant_id = $1 AND campagne_id = $2';

/**
 * The check that notices a change by an owner of the tables (docs/verification.md, "Who notices what"):
 * - sealing: the box is not sealed and shows no result
 * - bundle: the verifier refuses the bundle, with the public keys alone
 * - checkpoint: the verifier refuses it with a checkpoint that a partner has stored
 * - receipt: the verifier does not find the voter's receipt
 * - roll: the roll of the bundle is not the partner's, by its lines
 * - nobody: none of these
 */
type Finder = 'sealing' | 'bundle' | 'checkpoint' | 'receipt' | 'roll' | 'nobody';

const one = (table: string, condition = 'true'): string =>
  `(SELECT ctid FROM ${table} WHERE ${OWN} AND ${condition} LIMIT 1)`;

/** Done after the first checkpoint, which covers the first voter's receipt, and before the close. */
const BEFORE: [what: string, finder: Finder, statements: string[]][] = [
  ['nothing', 'nobody', []],
  [
    'a ballot is added',
    'sealing',
    [`INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) VALUES ($1, $2, 1, '{0}')`],
  ],
  ['a ballot is dropped', 'sealing', [`DELETE FROM bulletin WHERE ctid = ${one('bulletin')}`]],
  [
    'the weight of a ballot is changed',
    'sealing',
    [`UPDATE bulletin SET poids = 2 WHERE ctid = ${one('bulletin')}`],
  ],
  [
    'a choice that is no option',
    'sealing',
    [`UPDATE bulletin SET reponses = '{7}' WHERE ctid = ${one('bulletin')}`],
  ],
  ['a receipt is dropped', 'sealing', [`DELETE FROM recu WHERE ctid = ${one('recu', 'place IS NULL')}`]],
  [
    'a receipt in the log is replaced',
    'sealing',
    [`UPDATE recu SET empreinte = sha256('x') WHERE ${OWN} AND place = 0`],
  ],
  [
    'ballot, receipt and mark of a voter who has not voted are added',
    'roll',
    [
      `UPDATE votant SET a_vote = true WHERE ctid = ${one('votant', 'NOT a_vote')}`,
      `INSERT INTO recu (tenant_id, campagne_id, empreinte) VALUES ($1, $2, sha256('stuffed'))`,
      `INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) VALUES ($1, $2, 1, '{0}')`,
    ],
  ],
  [
    'log, ballots and marks are put back to the beginning, and another voter votes',
    'checkpoint',
    [
      `DELETE FROM recu WHERE ${OWN}`,
      `DELETE FROM engagement WHERE ${OWN}`,
      `DELETE FROM bulletin WHERE ${OWN}`,
      `UPDATE votant SET a_vote = false WHERE ${OWN}`,
      `UPDATE votant SET a_vote = true WHERE ctid = ${one('votant')}`,
      `INSERT INTO recu (tenant_id, campagne_id, empreinte) VALUES ($1, $2, sha256('other'))`,
      `INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) VALUES ($1, $2, 1, '{0}')`,
    ],
  ],
  [
    'a receipt that no checkpoint covers is replaced',
    'receipt',
    [`UPDATE recu SET empreinte = sha256('x') WHERE ctid = ${one('recu', 'place IS NULL')}`],
  ],
  [
    'the choice of a ballot is changed',
    'nobody',
    [`UPDATE bulletin SET reponses = '{1}' WHERE ${OWN} AND reponses = '{0}'`],
  ],
];

/** Done after the bundle was built. */
const AFTER: [what: string, finder: Finder, statements: string[]][] = [
  [
    'a figure in the stored bundle is changed',
    'bundle',
    [`UPDATE dossier_morceau SET octets = set_byte(octets, 14, 57) WHERE ${OWN} AND fichier = 3`],
  ],
  [
    'the receipts of the stored bundle are changed',
    'bundle',
    [
      `UPDATE dossier_morceau SET octets = overlay(octets PLACING sha256('x') FROM 1) WHERE ${OWN} AND fichier = 4`,
    ],
  ],
];

async function change(statements: readonly string[], { id }: Vote): Promise<void> {
  for (const statement of statements) await campaigns.rows(statement, id);
}

const jwks = async (): Promise<object> => (await app.send(undefined, 'GET', '/.well-known/jwks.json')).json;

/** A vote of three of five voters. The first receipt is in a checkpoint that a partner has stored. */
async function held(): Promise<{ vote: Vote; recus: string[]; note: string }> {
  const vote = await votes.opened(5);
  const recus = [await votes.voted(vote, 0)];
  await app.app.get(EngagementsService).round(campaigns.tenant.tenantId, vote.id);
  const [first] = (await campaigns.sent('GET', `/${vote.id}/engagements`)).json;
  for (const voter of [1, 2]) recus.push(await votes.voted(vote, voter));
  return { vote, recus, note: first.note };
}

/** Number of voters who have voted, by the partner's own record: the events and responses that it has seen. */
const VOTED = 3;

async function finderOf(
  { vote, recus, note }: Awaited<ReturnType<typeof held>>,
  after: string[] = [],
): Promise<Finder> {
  await campaigns.sent('POST', `/${vote.id}/fermer`);
  if (!(await seal(vote.id).catch(() => false))) return 'sealing';
  await app.app.get(DossierBuilderService).build(campaigns.tenant.tenantId, vote.id);
  await change(after, vote);
  const { bytes } = await download(app, campaigns.tenant.cle, `/b2b/v1/campagnes/${vote.id}/dossier/archive`);
  const keys = await jwks();
  const passes = (files: Record<string, string> = {}): boolean => verified(bytes, keys, files).code === 0;
  if (!passes()) return 'bundle';
  if (!passes({ engagement: note })) return 'checkpoint';
  if (!recus.every((recu) => passes({ recu }))) return 'receipt';
  const roll = await download(app, campaigns.tenant.cle, `/b2b/v1/campagnes/${vote.id}/emargement`);
  const marked = linesOf<{ AVote: boolean }>(roll.bytes).filter(({ AVote }) => AVote);
  return marked.length === VOTED ? 'nobody' : 'roll';
}

describe('a change by an owner of the tables', () => {
  it.each(BEFORE)('while the vote is open, %s: noticed by %s', async (_what, finder, statements) => {
    const scene = await held();
    await change(statements, scene.vote);
    expect(await finderOf(scene)).toBe(finder);
  });

  it.each(AFTER)('after the sealing, %s: noticed by %s', async (_what, finder, statements) => {
    expect(await finderOf(await held(), statements)).toBe(finder);
  });

  it('a bundle does not verify with another key', async () => {
    const { vote } = await held();
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    await seal(vote.id);
    await app.app.get(DossierBuilderService).build(campaigns.tenant.tenantId, vote.id);
    const { bytes } = await download(
      app,
      campaigns.tenant.cle,
      `/b2b/v1/campagnes/${vote.id}/dossier/archive`,
    );
    const other = publicJwkOf(publicBytesOf(generateKeyPairSync('ed25519').privateKey));
    const { code, json } = verified(bytes, { keys: [other] });
    expect([code, json.differences[0].fichier]).toEqual([1, 'manifeste.jws']);
  });
});
