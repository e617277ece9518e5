import { createHash } from 'node:crypto';
import { VOTING_EXAMPLE_IDS } from '../../../libs/voting/src';
import type { TestApp } from '../../setup/test-app';
import { sealed, summed } from './bundle';
import { Guardians } from './encrypted';

/** Campaigns of the demonstration tenant that only these requests use; `holdCampaigns` fills in the ids. */
export const held = {
  /** Open; one voter has voted. */
  voted: '',
  voter: '',
  /** A voter of the same campaign without the right to vote. */
  unentitled: '',
  /** A voter of the same campaign who may vote and has not voted. */
  undecided: '',
  /** A voter of the same campaign whose device makes the receipt. */
  withDevice: '',
  question: '',
  option: '',
  /** Digest of a receipt that no checkpoint covers yet. */
  waiting: '',
  /** A draft without questions and voters. */
  empty: '',
  /** A draft with a question without options. */
  without: '',
  /** A draft with a question that has two equal options. */
  doubled: '',
  /** A draft with more voters than an entry of the audit trail names. */
  many: '',
  /** A draft with a question and no voter. */
  unattended: '',
  /** A draft with the maximum number of questions. */
  full: '',
  /** A draft with questions whose result could be too large. */
  vast: '',
  /** A question of `without` with the maximum number of options. */
  fullQuestion: '',
  /** A draft with a question that has as many texts as it may have. */
  heavy: '',
  heavyQuestion: '',
  heavyOption: '',
  ended: '',
  /** Ended, with a ranked count that breaks ties in both ways. */
  ranked: '',
  endedVoter: '',
  /** A draft with a threshold of 2 and one voter of a weight. */
  singled: '',
  /** Published with a threshold of 2 and two voters of the same weight. */
  weighted: '',
  weightedVoter: '',
  /** Digest of the differences of that roll, of which one would add a voter with a weight of its own. */
  weightedEcarts: '',
  /** A draft whose list added a voter under another name. */
  divergent: '',
  /** An encrypted draft that got a ranked question. */
  encryptedRanked: '',
  /** An encrypted draft whose guardian 2 has shown that guardian 1 sent a wrong share. */
  cheated: '',
  /** An encrypted vote that has ended and waits for its guardians. */
  undecrypted: '',
};

const PATH = '/b2b/v1/campagnes';
const DATES = { ouvertureDuVoteUtc: '2098-01-01T00:00:00Z', fermetureDuVoteUtc: '2099-01-01T00:00:00Z' };

/**
 * Creates the campaigns on the demonstration tenant that the requests below need.
 *
 * @param employe a voter of the active campaign
 */
export async function holdCampaigns(
  app: TestApp,
  { partenaire: cle, plateforme }: Readonly<Record<'partenaire' | 'plateforme', string>>,
  employe: string,
): Promise<void> {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await app.send(cle, method, PATH + path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const draft = (titre: string): Promise<string> => send('POST', '', { titre, ...DATES });
  const ask = (id: string, question: object = {}) =>
    send('POST', `/${id}/questions`, { Titre: 'Pour ou contre ?', Type: 'Proposition', ...question });
  const enrol = async (id: string, record: object): Promise<string> =>
    (await send('POST', `/${id}/votants/upsert`, record)).VotantId;

  held.vast = await draft('Trop de choix');
  const choices = Array.from({ length: 500 }, (_, index) => ({ Libelle: `Choix ${index}` }));
  for (let count = 0; count < 3; count++)
    await ask(held.vast, { Type: 'ChoixLibre', EstPreferentiel: true, Options: choices });

  held.voted = await draft('Vote en cours');
  const question = await ask(held.voted);
  held.question = question.Id;
  held.option = question.Options[0].Id;
  held.voter = await enrol(held.voted, { EmployeIdExterne: employe, Identifiant: 'ELECTEUR-1' });
  held.undecided = await enrol(held.voted, { Prenom: 'Sam', Nom: 'Côté' });
  held.withDevice = await enrol(held.voted, { Prenom: 'Lou', Nom: 'Roy' });
  held.unentitled = await enrol(held.voted, { Prenom: 'Alex', Nom: 'Roy', ADroitDeVote: false });
  await send('POST', `/${held.voted}/publier`);
  await send('POST', `/${held.voted}/ouvrir`);
  await app.database.query(
    `WITH voter AS (UPDATE votant SET a_vote = true WHERE id_unique = $1 RETURNING tenant_id, campagne_id),
       receipt AS (INSERT INTO recu SELECT tenant_id, campagne_id, sha256('waiting') FROM voter)
     INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses) SELECT tenant_id, campagne_id, 1, '{0}' FROM voter`,
    [held.voter],
  );

  held.waiting = createHash('sha256').update('waiting').digest('base64url');

  // In the documented example an administrator seals this campaign without a result.
  await app.database.query(
    `WITH receipt AS (INSERT INTO recu SELECT tenant_id, id_unique, sha256('1') FROM campagne WHERE id_unique = $1)
     UPDATE campagne SET urne_anomalies = '{recus}' WHERE id_unique = $1`,
    [VOTING_EXAMPLE_IDS.aArchiver],
  );

  const { rows } = await app.database.query<{ space: string }>(
    'SELECT tenant_id AS space FROM campagne WHERE id_unique = $1',
    [VOTING_EXAMPLE_IDS.comptee],
  );
  await sealed(app, rows[0]!.space, VOTING_EXAMPLE_IDS.comptee);
  await summed(app, rows[0]!.space, VOTING_EXAMPLE_IDS.aDechiffrer);

  // Anonymity thresholds, which reject a weight that few voters have.
  held.singled = await draft('Poids à part');
  await ask(held.singled);
  await enrol(held.singled, { Prenom: 'Sam', Nom: 'Côté', Poids: 7 });
  held.weighted = await draft('Poids partagés');
  await ask(held.weighted);
  for (const Nom of ['Côté', 'Roy'])
    held.weightedVoter = await enrol(held.weighted, { Prenom: 'Sam', Nom, Poids: 2 });
  await app.database.query('UPDATE campagne SET seuil_anonymat = 2 WHERE id_unique = ANY ($1)', [
    [held.singled, held.weighted],
  ]);
  await send('POST', `/${held.weighted}/publier`);

  await app.database.query(
    `INSERT INTO liste_electorale (tenant_id, campagne_id, employes, actifs_le, poids, nombre_ajoutes, nombre_deja_presents)
     SELECT tenant_id, id_unique, '{E-1001}', date_trunc('day', now()), 7, 0, 0 FROM campagne WHERE id_unique = $1`,
    [held.weighted],
  );
  held.weightedEcarts = (await send('GET', `/${held.weighted}/liste-electorale/ecarts`)).empreinte;
  held.divergent = await draft('Noms anciens');
  await send('POST', `/${held.divergent}/liste-electorale`, { EmployesIdExternes: ['E-1001', 'E-9002'] });
  await app.database.query(`UPDATE votant SET nom = 'Ancien' WHERE campagne_id = $1`, [held.divergent]);
  await app.database.query(`DELETE FROM votant WHERE campagne_id = $1 AND employe_id_externe = 'E-9002'`, [
    held.divergent,
  ]);

  held.encryptedRanked = await draft('Chiffré et préférentiel');
  await enrol(held.encryptedRanked, { Prenom: 'Sam', Nom: 'Côté' });
  await send('PUT', `/${held.encryptedRanked}/chiffrement`, { gardiens: [{ nom: 'Ariane' }], seuil: 1 });
  await ask(held.encryptedRanked, { Type: 'Election', EstPreferentiel: true, Options: [{ Libelle: 'A' }] });
  held.cheated = await draft('Gardien fautif');
  const call = (method: string, path: string, body?: object) => app.send(cle, method, PATH + path, body);
  const platformGet = (rest: string) => app.send(plateforme, 'GET', `/plateforme/v1/campagnes${rest}`);
  const of = { campaigns: { sent: call, send: call }, platformGet };
  const guardians = await Guardians.of(of, held.cheated, 2, 2);
  for (const number of [1, 2]) await guardians.bring(await guardians.file(number));
  await guardians.bring(await guardians.wrongShares(1));
  for (let round = 2; round <= 3; round++) await guardians.bring(await guardians.file(2));

  held.empty = await draft('Rien encore');
  held.without = await draft('Sans options');
  await ask(held.without, { Type: 'ChoixLibre' });
  const Options = Array.from({ length: 500 }, (_, index) => ({ Libelle: `Choix ${index}` }));
  held.fullQuestion = (await ask(held.without, { Type: 'ChoixLibre', Options })).Id;
  held.doubled = await draft('Options en double');
  await ask(held.doubled, { Type: 'ChoixLibre', Options: [{ Libelle: 'Oui' }, { Libelle: 'OUI' }] });
  held.many = await draft('Beaucoup de votants');
  const many = Array.from({ length: 1_001 }, () => ({ Prenom: 'Sam', Nom: 'Côté' }));
  await send('POST', `/${held.many}/votants/upsert`, many);
  held.unattended = await draft('Sans votants');
  await ask(held.unattended);
  held.full = await draft('Beaucoup de questions');
  for (let count = 0; count < 200; count++) await ask(held.full);
  held.heavy = await draft('Beaucoup de texte');
  const heavy = await ask(held.heavy, { Titre: 'Q', Type: 'ChoixLibre', Options: [{ Libelle: 'O' }] });
  held.heavyQuestion = heavy.Id;
  held.heavyOption = heavy.Options[0].Id;
  await app.database.query(
    `INSERT INTO option (tenant_id, question_id, ordre, libelle, description)
     SELECT tenant_id, id_unique, 1 + n, 'O', repeat('x', 8191) FROM question, generate_series(1, 256) n WHERE id_unique = $1`,
    [held.heavyQuestion],
  );

  held.ended = await draft('Vote terminé');
  await ask(held.ended);
  held.endedVoter = await enrol(held.ended, {
    Prenom: 'Anouk',
    Nom: 'Tremblay',
    Courriel: 'anouk.tremblay@example.org',
    Identifiant: 'ELECTEUR-2',
    SyndicatIdExterne: 'SYN-10',
    EmployeurIdentifiantExterne: 'EMP-100',
  });
  for (const name of ['publier', 'ouvrir', 'fermer']) await send('POST', `/${held.ended}/${name}`);
  await app.database.query(
    `UPDATE campagne SET urne_scellee = true, urne_anomalies = '{recus}', urne_constat = 'Un reçu manque.' WHERE id_unique = $1`,
    [held.ended],
  );

  held.undecrypted = await draft('Scrutin que deux gardiens déchiffrent');
  await ask(held.undecrypted);
  await enrol(held.undecrypted, { Prenom: 'Anouk', Nom: 'Tremblay' });
  for (const name of ['publier', 'ouvrir', 'fermer']) await send('POST', `/${held.undecrypted}/${name}`);
  await app.database.query(
    `WITH c AS (UPDATE campagne SET chiffree = true WHERE id_unique = $1 RETURNING tenant_id, id_unique)
     INSERT INTO chiffrement (tenant_id, campagne_id, seuil, gardiens) SELECT tenant_id, id_unique, 2, '{Ariane,Bruno}' FROM c`,
    [held.undecrypted],
  );

  held.ranked = await draft('Élection serrée');
  const candidates = [...'ABCDE'].map((Libelle) => ({ Libelle }));
  const election = await ask(held.ranked, { Type: 'Election', EstPreferentiel: true, Options: candidates });
  const option = (libelle: string): string =>
    election.Options.find(({ Libelle }: { Libelle: string }) => Libelle === libelle).Id;
  const seat = await ask(held.ranked, { Titre: 'Qui préside ?', Type: 'Election', Options: candidates });
  // D and E are drawn by lot. C is then level with B, and is eliminated first because it had fewer votes before.
  const ballots = { A: 6, B: 4, C: 3, DC: 1, E: 1 };
  const voters: [ranking: string, voter: string][] = [];
  for (const [ranking, Poids] of Object.entries(ballots))
    voters.push([ranking, await enrol(held.ranked, { Prenom: 'Alex', Nom: ranking, Poids })]);
  await send('POST', `/${held.ranked}/publier`);
  await send('PUT', `/${held.ranked}/graine-partenaire`, { graine: Buffer.alloc(32, 1).toString('base64') });
  await send('POST', `/${held.ranked}/ouvrir`);
  for (const [ranking, VotantId] of voters) {
    // One vote each for the first two: the seat is drawn.
    const place = ['DC', 'E'].indexOf(ranking);
    const chosen = place < 0 ? { Abstention: true } : { Options: [seat.Options[place].Id] };
    const Reponses = [
      { QuestionId: election.Id, Options: [...ranking].map(option) },
      { QuestionId: seat.Id, ...chosen },
    ];
    const path = `/plateforme/v1/campagnes/${held.ranked}/bulletins`;
    const answer = await app.send(plateforme, 'POST', path, { VotantId, Reponses });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  }
  await send('POST', `/${held.ranked}/fermer`);
}
