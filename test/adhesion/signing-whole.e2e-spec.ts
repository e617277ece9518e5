import { depth } from '../setup/depth';
import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, synced, times } from '../membership/synced';
import { type Answer } from '../setup/test-app';
import { openTenant, signed } from './support/cards';
import { changed, digests } from '../setup/digests';
import {
  WHOLE,
  app,
  counts,
  events,
  made,
  makeAll,
  makeForm,
  partner,
  platform,
  send,
  sent,
  tenant,
  useScene,
} from './support/signing-scene';
import { lockWaits } from '../setup/lock-waits';

useScene();

describe('a signing is written as a whole or not at all', () => {
  /** Makes one statement on a table fail for this tenant, at once or at the commit. */
  async function broken<T>(table: string, on: string, deferred: boolean, work: () => Promise<T>): Promise<T> {
    await app.database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN RAISE EXCEPTION USING MESSAGE = ''refused''; END'`,
    );
    await app.database.query(
      `CREATE ${deferred ? 'CONSTRAINT' : ''} TRIGGER refuse AFTER ${on} ON ${table}
       ${deferred ? 'DEFERRABLE INITIALLY DEFERRED' : ''} FOR EACH ROW
       WHEN (NEW.tenant_id = '${tenant.tenantId}') EXECUTE FUNCTION refuse()`,
    );
    try {
      return await work();
    } finally {
      await app.database.query('DROP FUNCTION refuse CASCADE');
    }
  }
  const ALWAYS = ['signature_manuscrite', 'evenement', 'journal', 'journal_tete'];
  const CARD = ['adhesion', 'membership', 'employe', 'consentement', ...ALWAYS];
  const REQUEST = ['demande_adhesion', 'consentement_demande', ...ALWAYS];

  it.each([
    ...CARD.map((table): [string, string, string[]] => [table, 'E-1', CARD]),
    ...REQUEST.map((table): [string, string, string[]] => [table, 'E-9', REQUEST]),
  ])('500 if %s cannot be written in a signing of %s, and nothing of it remains', async (table, who, all) => {
    await makeAll();
    const overrides = { ...WHOLE, employeIdExterne: who };
    const before = await digests(app);
    const on = ['employe', 'journal_tete'].includes(table) ? 'UPDATE' : 'INSERT';
    for (const headers of [{}, { 'Idempotency-Key': 'one' }] as Record<string, string>[]) {
      for (const deferred of [false, true]) {
        const answer = await broken(table, on, deferred, () => send(overrides, headers));
        expectProblem(answer, 500, 'Service.ErreurInterne');
        expect(answer.text).not.toContain('refused');
        expect(changed(before, await digests(app))).toEqual([]);
      }
    }
    // Negative control: without the failure, the same request writes all of these.
    await sent(overrides, { 'Idempotency-Key': 'one' });
    const changes = all === CARD ? ['changement', 'changement_lot'] : [];
    expect(changed(before, await digests(app)).sort()).toEqual(
      [...all, ...changes, 'etat_listes', 'idempotency_record'].sort(),
    );
  });
});

describe('signings at the same time', () => {
  it.each(['E-1', 'E-9'])(
    'twenty equal ones of %s with one Idempotency-Key have one effect',
    async (employeIdExterne) => {
      await makeAll();
      const once = () => send({ ...WHOLE, employeIdExterne }, { 'Idempotency-Key': 'one' });
      const answers = await Promise.all(times(20, once));
      for (const answer of answers) {
        if (answer.status !== 201) expectProblem(answer, 409, 'Idempotence.EnCours');
      }
      const texts = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
      expect(texts.size).toBe(1);
      expect([(await once()).text]).toEqual([...texts]);
      const { adhesion, demande_adhesion, evenement } = await counts(
        'adhesion',
        'demande_adhesion',
        'evenement',
      );
      expect([adhesion! + demande_adhesion!, evenement]).toEqual([1, 1]);
    },
  );

  it('twenty of one employee are twenty cards and one membership', async () => {
    await makeAll();
    const answers = await Promise.all(times(20, () => send(WHOLE)));
    expect(answers.map(({ status }) => status)).toEqual(times(20, () => 201));
    expect(new Set(answers.map(({ json }) => json.idUniqueAdhesion)).size).toBe(20);
    expect(
      await counts('adhesion', 'membership', 'evenement', 'consentement', 'signature_manuscrite'),
    ).toEqual({
      ...{ adhesion: 20, membership: 1, evenement: 20, consentement: 40, signature_manuscrite: 20 },
    });
    expect((await events('adhesion.signee')).sort()).toEqual(answers.map(({ text }) => text).sort());
  });

  it('a signing and the deletion of its employee: one is first; the result is a card that stays, or a request', async () => {
    for (let round = 0; round < depth(4, 20); round++) {
      const id = `R-${round}`;
      await synced(app, tenant.partenaire, { Employes: [{ IdExterne: id, Prenom: 'Zoé', Nom: 'Roy' }] });
      const remove = () => partner('DELETE', `/b2b/v1/employe/${id}`);
      const signs = () => sent({ employeIdExterne: id });
      const answers = await Promise.all(round % 2 ? [remove(), signs()] : [signs(), remove()]);
      const [removal, card] = (round % 2 ? answers : answers.reverse()) as [Answer, Answer];
      const isRequest = card.json.demandeId !== undefined;
      if (isRequest) expect(removal.status).toBe(204);
      else expectProblem(removal, 409, 'Employe.LieAdhesions');
      expect((await partner('GET', `/b2b/v2/adhesion?idExterneEmploye=${id}`)).json).toHaveLength(
        isRequest ? 0 : 1,
      );
    }
  });

  it('during a sync of the same memberships: all succeed, each employee is a member once', async () => {
    const rounds = depth(2, 8);
    for (let round = 0; round < rounds; round++) {
      const ids = times(5, (n) => `S-${round}-${n}`);
      const body = (prenom: string, Adhesions: object[]) => ({
        Employes: ids.map((IdExterne) => ({ IdExterne, Prenom: prenom, Nom: 'Roy', Adhesions })),
      });
      await synced(app, tenant.partenaire, body('Zoé', []));
      const joined = body(`Zoé ${round}`, [
        { SyndicatIdExterne: 'SYN-1', DateAdhesion: '2026-01-01T00:00:00Z' },
        { SyndicatIdExterne: 'SYN-2', DateAdhesion: '2026-01-01T00:00:00Z' },
      ]);
      const signs = ids.flatMap((employeIdExterne) =>
        ['SYN-1', 'SYN-2'].map((syndicatIdExterne) => {
          const headers: Record<string, string> = round % 2 ? { 'Idempotency-Key': randomUUID() } : {};
          return sent({ employeIdExterne, syndicatIdExterne }, headers);
        }),
      );
      await Promise.all([synced(app, tenant.partenaire, joined), ...signs]);
      const { rows } = await app.database.query(
        `SELECT FROM membership WHERE tenant_id = $1 AND id_externe_employe LIKE 'S-' || $2 || '-%'`,
        [tenant.tenantId, round],
      );
      expect(rows).toHaveLength(10);
    }
    expect(await counts('adhesion', 'evenement')).toEqual({
      adhesion: 10 * rounds,
      evenement: 10 * rounds,
    });
  });

  it.each<[string, string, (answer: Answer) => void]>([
    [
      'ended',
      'UPDATE formulaire SET actif = false WHERE tenant_id = $1 AND id_unique = $2',
      (answer) => expectProblem(answer, 409, 'Formulaire.Inactif'),
    ],
    [
      'made to ask for more',
      `WITH held AS (UPDATE formulaire SET titre = 'Autre' WHERE tenant_id = $1 AND id_unique = $2)
       INSERT INTO formulaire_champ (tenant_id, formulaire_id, nom_champ, ordre) VALUES ($1, $2, 'Requis', 1)`,
      (answer) => expectFaults(answer, { '/valeursChampUtilisateur': 'required' }),
    ],
  ])(
    'a signing waits for its form that is being %s, and follows the new version',
    async (_what, sql, expected) => {
      await made('champ-utilisateur', { nom: 'Requis', type: 'texte', obligatoire: true });
      const formulaireId = await makeForm();
      const rival = await app.connect();
      try {
        await rival.query('BEGIN');
        await rival.query(sql, [tenant.tenantId, formulaireId]);
        const answer = send({ formulaireId });
        await lockWaits(app.database);
        await rival.query('COMMIT');
        expected(await answer);
      } finally {
        await rival.end();
      }
      expect(await counts('adhesion')).toEqual({ adhesion: 0 });
    },
  );

  it('a signing and the deletion of its form or consent object: one is first, without an error', async () => {
    for (let round = 0; round < 20; round++) {
      const id = `O-${round}`;
      await made('objet-consentement', { idExterne: id, nom: id });
      const formulaireId = await makeForm();
      const who = { employeIdExterne: round % 4 < 2 ? 'E-1' : null };
      const overrides =
        round < 10
          ? { ...who, formulaireId }
          : { ...who, consentements: [{ objetConsentementIdExterne: id, accepte: true }] };
      const remove = () =>
        partner(
          'DELETE',
          round < 10 ? `/b2b/v2/formulaire/${formulaireId}` : `/b2b/v2/objet-consentement/${id}`,
        );
      const headers: Record<string, string> = round % 3 ? {} : { 'Idempotency-Key': id };
      const signs = () => send(overrides, headers);
      const answers = await Promise.all(round % 2 ? [remove(), signs()] : [signs(), remove()]);
      const [removal, card] = (round % 2 ? answers : answers.reverse()) as [Answer, Answer];
      if (card.status === 201) {
        expectProblem(removal, 409, round < 10 ? 'Formulaire.Utilise' : 'ObjetConsentement.Utilise');
      } else {
        const pointer = round < 10 ? '/formulaireId' : '/consentements/0/objetConsentementIdExterne';
        expectFaults(card, { [pointer]: 'reference' });
        expect(removal.status).toBe(204);
      }
    }
  });
});

describe('GET /plateforme/v1/adhesions/:id', () => {
  it('200 with a card as V2 shows it and an ETag, also by its GUID in capitals', async () => {
    const card = await sent();
    const path = `/${card.json.idUniqueAdhesion}`;
    const read = await platform('GET', path);
    expect([read.status, read.text]).toEqual([200, card.text]);
    expect((await platform('GET', path.toUpperCase())).text).toBe(card.text);
    const held = await platform('GET', path, undefined, { 'If-None-Match': read.headers.get('etag')! });
    expect([held.status, held.text]).toEqual([304, '']);
  });

  it('200 with a request, its state and card, before and after its decision', async () => {
    const [rejected, confirmed] = [
      await sent({ employeIdExterne: null }),
      await sent({ employeIdExterne: 'E-9' }),
    ];
    const state = async ({ json }: Answer) => (await platform('GET', `/${json.demandeId}`)).text;
    const expected = (one: Answer, statut: string, adhesionId: string | null) =>
      JSON.stringify({ demandeId: one.json.demandeId, statut, adhesionId });
    for (const one of [rejected, confirmed])
      expect(await state(one)).toBe(expected(one, 'ATransferer', null));
    const path = '/b2b/v2/conciliation';
    await partner('POST', `${path}/${rejected.json.demandeId}/rejeter`, { raison: 'Non' });
    const { adhesionId, idExterne } = (
      await partner('POST', `${path}/${confirmed.json.demandeId}/confirmer`, {})
    ).json;
    expect(await state(rejected)).toBe(expected(rejected, 'Rejetee', null));
    expect(await state(confirmed)).toBe(expected(confirmed, 'Confirmee', adhesionId));
    expect((await platform('GET', `/${adhesionId}`)).json.employeIdExterne).toBe(idExterne);
  });

  it('404 Adhesion.NotFound for an unknown id, an invalid GUID, and another tenant’s card or request', async () => {
    const other = await openTenant(app);
    const none = await platform('GET', `/${randomUUID()}`);
    expectProblem(none, 404, 'Adhesion.NotFound');
    for (const id of [
      'E-1',
      (await signed(app, other.plateforme)).json.idUniqueAdhesion,
      (await signed(app, other.plateforme, { employeIdExterne: null })).json.demandeId,
    ]) {
      expectProblem(await platform('GET', `/${id}`), 404, 'Adhesion.NotFound');
      if (id !== 'E-1') expect(comparable(await platform('GET', `/${id}`))).toEqual(comparable(none));
    }
    expectFaults(await platform('GET', `/${randomUUID()}?statut=x`), { '?statut': 'unknown' });
  });
});
