import { randomUUID } from 'node:crypto';
import { PERSONAL_DATA } from '../../libs/personne/src/persistence/personal-data.sql';
import { SealingService } from '../../libs/voting/src';
import { openTenant, type OpenTenant } from '../adhesion/support/cards';
import { refusing } from '../adhesion/support/data-space';
import { dataUrl, encodePng } from '../adhesion/support/png';
import { Trail } from '../audit/support/trail';
import { expectProblem } from '../http/expect-problem';
import { synced } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { Campaigns } from '../voting/support/campaigns';
import { Votes } from '../voting/support/votes';
import { dump, tracesOf } from './support';

const ROWS = PERSONAL_DATA.flatMap(({ rows }) => rows);

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

/** A person whose values are all unique. */
class Somebody {
  readonly idExterne = `Qé-${randomUUID()}`;
  readonly prenom = `Zoé ${randomUUID().slice(0, 8)}`;
  readonly nom = `L'Écuyer-${randomUUID().slice(0, 8)}`;
  readonly courriel = `${randomUUID()}@example.org`;
  readonly telephone = `418 ${randomUUID().slice(0, 8)}`;
  readonly matricule = `MAT-${randomUUID()}`;
  readonly adresse = `${randomUUID()} rue des Érables`;
  readonly valeur = `Casier ${randomUUID()}`;
  readonly noMembre = `NO-${randomUUID()}`;
  readonly reference = `PAY-${randomUUID()}`;
  readonly png = encodePng({ width: 17, height: 1 + Number.parseInt(randomUUID().slice(0, 2), 16) });

  get texts(): string[] {
    return [
      ...[this.idExterne, this.prenom, this.nom, this.courriel, this.telephone, this.matricule, this.adresse],
      ...[this.valeur, this.noMembre, this.reference, this.png.toString('hex')],
    ];
  }

  get employe(): object {
    return {
      ...{ IdExterne: this.idExterne, Prenom: this.prenom, Nom: this.nom, Courriel: this.courriel },
      ...{ TelephonePrincipal: this.telephone, Adresse1: this.adresse, NoMembre: this.noMembre },
      ValeursChampUtilisateur: [{ NomChamp: 'Casier', Valeur: this.valeur }],
      Emplois: [{ IdentifiantExterne: 'X', IdentifiantExterneEmployeur: 'EMP-1', Matricule: this.matricule }],
      Adhesions: [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: '2024-01-01' }],
    };
  }

  signing(overrides: object = {}): object {
    return {
      ...{ employeIdExterne: this.idExterne, syndicatIdExterne: 'SYN-1', prenom: this.prenom, nom: this.nom },
      ...{ courriel: this.courriel, telephonePrincipal: this.telephone, adresse1: this.adresse },
      imageSignature: dataUrl(this.png),
      consentements: [{ objetConsentementIdExterne: 'INFO', accepte: true }],
      ...overrides,
    };
  }
}

/** A tenant with traces of a person in every table that can have one, and of another person. */
class Space {
  readonly one = new Somebody();
  readonly other = new Somebody();
  readonly trail: Trail;
  draft = '';

  private constructor(
    readonly open: OpenTenant,
    readonly votes: Votes,
  ) {
    this.trail = new Trail(app, open.partenaire);
  }

  static async make(): Promise<Space> {
    const open = await openTenant(app);
    const votes = await Votes.of(app, new Campaigns(app, open.partenaire));
    return new Space(open, votes);
  }

  partner(method: string, path: string, body?: object): Promise<Answer> {
    return app.send(this.open.partenaire, method, path, body);
  }

  private async done(answer: Promise<Answer>): Promise<Answer> {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(text);
    return answer;
  }

  private platform(path: string, body: object, headers?: Record<string, string>): Promise<Answer> {
    return this.done(app.send(this.open.plateforme, 'POST', `/plateforme/v1/${path}`, body, headers));
  }

  path(who = this.one, environnement = 'staging'): string {
    const { clientId } = this.open.partenaire;
    return `/admin/v1/clients/${clientId}/environnements/${environnement}/employes/${encodeURIComponent(who.idExterne)}`;
  }

  erase(who = this.one): Promise<Answer> {
    return app.send(app.adminKey, 'DELETE', this.path(who));
  }

  /** Both are employees, members and signers, and have voted in a campaign that is over. @returns that campaign */
  async fill(): Promise<string> {
    await this.done(this.partner('POST', '/b2b/v2/champ-utilisateur', { nom: 'Casier', type: 'texte' }));
    await synced(app, this.open.partenaire, {
      Syndicats: [
        { IdentifiantExterne: 'SYN-1', Nom: 'S', Employeurs: [{ IdentifiantExterne: 'EMP-1', Nom: 'E' }] },
      ],
      Employes: [this.one.employe, this.other.employe],
      ObjetsConsentement: [{ IdExterne: 'INFO', Nom: 'Infolettre' }],
    });
    for (const who of [this.one, this.other]) await this.sign(who);
    await this.refuseInTask();
    await this.confuse();
    return this.vote();
  }

  private async sign(who: Somebody): Promise<void> {
    const { json: card } = await this.platform('adhesions', who.signing(), {
      'Idempotency-Key': randomUUID(),
    });
    await this.platform(`adhesions/${card.idUniqueAdhesion}/paiements`, {
      ...{ montant: 10, devise: 'CAD', reference: who.reference },
    });
    await this.platform(`adhesions/${card.idUniqueAdhesion}/autorisations-paiement`, {
      reference: who.reference,
    });
    // Requests of an unknown person with the same names and address: one is rejected, one waits.
    const { json: demande } = await this.platform('adhesions', who.signing({ employeIdExterne: null }));
    await this.done(
      this.partner('POST', `/b2b/v2/conciliation/${demande.demandeId}/rejeter`, { raison: 'Déjà membre' }),
    );
    await this.platform(
      'adhesions',
      who.signing({ employeIdExterne: `${who.idExterne}-inconnu`.slice(0, 200) }),
    );
    await this.platform('consentements', {
      ...{ idExterneEmploye: who.idExterne, objetConsentementIdExterne: 'INFO', accepte: false },
    });
  }

  /** A task of a sync that refused the employee and said so. */
  private async refuseInTask(): Promise<void> {
    // As it was sent, with a space.
    const erreur = { IdUnique: ` ${this.one.idExterne}`, Message: 'invalid e-mail' };
    await app.database.query(
      `INSERT INTO tache (tenant_id, type, etat, total, simulation, date_fin, resultat)
       VALUES ($1, 'sync', 'Reussie', 1, false, now(), $2)`,
      [this.open.tenantId, JSON.stringify({ Employes: { AddCount: 0, UpdateCount: 0, Erreurs: [erreur] } })],
    );
  }

  /**
   * Creates a request that named the person and was confirmed for another one, and a recorded response with the
   * identifier.
   */
  private async confuse(): Promise<void> {
    const named = this.one.idExterne;
    const body = { ...this.other.signing({ employeIdExterne: 'E-404' }) };
    const { json } = await this.platform('adhesions', body);
    await this.done(
      this.partner('POST', `/b2b/v2/conciliation/${json.demandeId}/confirmer`, {
        idExterne: this.other.idExterne,
      }),
    );
    await app.database.query(
      'UPDATE demande_adhesion SET employe_id_externe_envoye = $1 WHERE id_unique = $2',
      [named, json.demandeId],
    );
    const path = '/b2b/v2/objet-consentement';
    const key = { 'Idempotency-Key': `import ${encodeURIComponent(named)}` };
    await this.done(app.send(this.open.partenaire, 'POST', path, { idExterne: randomUUID(), nom: 'X' }, key));
  }

  private async vote(): Promise<string> {
    const { campaigns } = this.votes;
    const id = await campaigns.draft();
    const question = await campaigns.question(id);
    await campaigns.sent('POST', `/${id}/liste-electorale`, {
      EmployesIdExternes: [this.one.idExterne, this.other.idExterne, 'E-1'],
      SyndicatsIdExternes: ['SYN-1'],
    });
    // Added to the roll manually, without an employee.
    await campaigns.votant(id, {
      ...{
        Prenom: this.one.prenom.toUpperCase(),
        Nom: this.one.nom,
        Courriel: this.one.courriel.toUpperCase(),
      },
      Identifiant: this.one.noMembre,
    });
    // Without an employee and an address, but with the names and the identifier.
    await campaigns.votant(id, {
      ...{ Prenom: this.one.prenom, Nom: this.one.nom, Identifiant: this.one.idExterne },
    });
    // On the roll of a campaign that is still a draft.
    this.draft = await campaigns.draft();
    const { prenom: Prenom, nom: Nom, courriel: Courriel } = this.one;
    for (const Identifiant of ['a', 'b'])
      await campaigns.votant(this.draft, { Prenom, Nom, Courriel, Identifiant });
    await campaigns.votant(this.draft);
    await campaigns.sent('POST', `/${id}/publier`);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    const options = (await campaigns.sent('GET', `/${id}/questions`)).json[0].Options as { Id: string }[];
    const roll = (await campaigns.sent('GET', `/${id}/votants`)).json as { VotantId: string }[];
    for (const [index, { VotantId }] of roll.entries()) {
      await this.done(
        this.votes.cast(id, {
          VotantId,
          Reponses: [{ QuestionId: question, Options: [options[index % 2]!.Id] }],
        }),
      );
    }
    return id;
  }

  /** Returns the parts that must not change: ballots, receipts and counts, with their place and transaction. */
  async sealed(id: string): Promise<unknown> {
    const stored: Record<string, unknown> = {};
    for (const table of ['bulletin', 'recu', 'depouillement', 'participation']) {
      const text = `SELECT t.ctid::text, t.xmin::text, t::text FROM ${table} t WHERE tenant_id = $1 ORDER BY t::text`;
      stored[table] = (await app.database.query(text, [this.open.tenantId])).rows;
    }
    const stats = (await this.votes.campaigns.sent('GET', `/${id}/stats`)).json as unknown;
    const ofUnion = (await this.votes.campaigns.sent('GET', `/${id}/stats?syndicatIdExterne=SYN-1`))
      .json as unknown;
    return { ...stored, stats, ofUnion };
  }
}

describe('The erasure of an employee', () => {
  it.each(['before', 'after'])(
    'leaves no trace in a dump, and no change in ballots, counts, the chain and other persons (%s the sealing)',
    async (order) => {
      const space = await Space.make();
      const { one, other } = space;
      const id = await space.fill();
      await space.votes.campaigns.sent('POST', `/${id}/fermer`);
      const seal = (): Promise<void> => app.app.get(SealingService).sealAllDue(() => false);
      if (order === 'after') await seal();
      // An open vote without the person does not block the erasure.
      await space.votes.campaigns.scheduled();

      const before = await dump(app);
      const expected = ROWS.flatMap(({ table }) =>
        ['journal', 'consentement_demande', 'courriel_destinataire'].includes(table) ? [] : [table],
      );
      // Negative control: each of these tables had a trace, which the search finds.
      expect(tracesOf(one.texts, before)).toEqual(expect.arrayContaining(expected));
      const stored = await space.sealed(id);
      const others = tracesOf(other.texts, before);

      expect((await space.erase()).status).toBe(204);
      const after = await dump(app);
      expect(tracesOf(one.texts, after)).toEqual([]);
      expect(await space.sealed(id)).toEqual(stored);
      expect(tracesOf(other.texts, after)).toEqual(others);
      expect(await space.trail.verify()).toMatchObject({ faults: [] });
      const roll = (await space.votes.campaigns.sent('GET', `/${id}/votants`)).json as object[];
      expect(roll).toHaveLength(4);
      // In a campaign that is published later, voters without a name are removed.
      const drafted = await space.votes.campaigns.item(space.draft);
      const left = (await space.votes.campaigns.sent('GET', `/${space.draft}/votants`)).json as object[];
      expect([drafted.nombreVotants, left.length]).toEqual([1, 1]);
      const blank = {
        Prenom: '(effacé)',
        Nom: '(effacé)',
        Identifiant: null,
        Courriel: null,
        EmployeIdExterne: null,
      };
      expect(roll.filter((voter) => (voter as { Nom: string }).Nom === '(effacé)')).toEqual([
        expect.objectContaining({ ...blank, AVote: true }),
        expect.objectContaining({ ...blank, AVote: true }),
        expect.objectContaining({ ...blank, AVote: true }),
      ]);
      await seal();
      expect(tracesOf(one.texts, await dump(app))).toEqual([]);
      const { json } = await space.votes.campaigns.sent('GET', `/${id}/stats`);
      expect(json).toEqual((stored as { stats: unknown }).stats);

      expectProblem(await space.erase(), 404, 'Employe.NotFound');
      const [entry] = (await space.trail.rows()).slice(-1);
      expect(entry).toMatchObject({ action: 'employe.effacer' });
    },
    120_000,
  );

  it('is refused while the person is a voter of an active campaign, tied to it or not; nothing is erased', async () => {
    const space = await Space.make();
    await space.fill();
    const before = await dump(app);
    expectProblem(await space.erase(), 409, 'Employe.LieCampagneActive');
    // The same applies if only a voter without an employee has the names.
    await app.database.query(`UPDATE votant SET employe_id_externe = NULL WHERE employe_id_externe = $1`, [
      space.one.idExterne,
    ]);
    expectProblem(await space.erase(), 409, 'Employe.LieCampagneActive');
    expect(tracesOf(space.one.texts, await dump(app))).toEqual(tracesOf(space.one.texts, before));
  });

  it('409 at once while a box is being sealed, and while a sync names the employee', async () => {
    const space = await Space.make();
    const id = await space.fill();
    await space.votes.campaigns.sent('POST', `/${id}/fermer`);
    const lock = `pg_advisory_lock(hashtextextended('${space.open.tenantId} ${id}', 4))`;
    await app.database.query(`SELECT ${lock}`);
    expectProblem(await space.erase(), 409, 'Employe.LieCampagneActive');
    await app.database.query(`SELECT ${lock.replace('advisory_lock', 'advisory_unlock')}`);
    const awaiting = async (corps: string): Promise<void> => {
      await app.database.query(
        `INSERT INTO tache (tenant_id, type, etat, total, simulation, corps) VALUES ($1, 'sync', 'EnAttente', 1, false, $2)`,
        [space.open.tenantId, Buffer.from(corps)],
      );
    };
    const body = JSON.stringify({ Employes: [space.one.employe] });
    // As it is, as PHP and Python write it, and in what is no JSON.
    for (const corps of [
      body,
      body.replaceAll('é', '\\u00e9'),
      body.replaceAll('é', '\\u00E9'),
      `${body}}`,
    ]) {
      await awaiting(corps);
      expectProblem(await space.erase(), 409, 'Employe.SyncEnAttente');
      await app.database.query('DELETE FROM tache WHERE tenant_id = $1 AND date_fin IS NULL', [
        space.open.tenantId,
      ]);
    }
    await awaiting('{"Employes": [{"Nom": Roy}]}');
    expect((await space.erase()).status).toBe(204);
  });

  it('erases all or nothing', async () => {
    const space = await Space.make();
    const id = await space.fill();
    await space.votes.campaigns.sent('POST', `/${id}/fermer`);
    const before = tracesOf(space.one.texts, await dump(app));
    expectProblem(await refusing(app, 'journal', () => space.erase()), 500, 'Service.ErreurInterne');
    expect(tracesOf(space.one.texts, await dump(app))).toEqual(before);
    expect((await space.erase()).status).toBe(204);
  });

  it('404 in another environment, client or tenant, which do not change; 403 for other roles than admin', async () => {
    const space = await Space.make();
    await space.fill();
    const send = (path: string, cle: Parameters<TestApp['send']>[0] = app.adminKey): Promise<Answer> =>
      app.send(cle, 'DELETE', path);
    expectProblem(await send(space.path(space.one, 'production')), 404, 'Employe.NotFound');
    expectProblem(await send(space.path(space.one, 'test')), 404, 'Employe.NotFound');
    const other = await app.tenant();
    const path = space.path().replace(space.open.partenaire.clientId, other.clientId);
    expectProblem(await send(path), 404, 'Employe.NotFound');
    expectProblem(await send(path.replace(other.clientId, randomUUID())), 404, 'Client.NotFound');
    for (const key of [space.open.partenaire, space.open.plateforme])
      expectProblem(await send(space.path(), key), 403, 'Cle.RoleInsuffisant');
    expect(
      (await space.partner('GET', `/b2b/v1/employe/${encodeURIComponent(space.one.idExterne)}`)).status,
    ).toBe(200);
  });
});

describe('The export of an employee', () => {
  it('contains every text of the person, from every place, and none of others', async () => {
    const space = await Space.make();
    const id = await space.fill();
    const { status, json, text } = await app.send(app.adminKey, 'GET', space.path());
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(ROWS.map(({ section }) => section));
    const counts = Object.fromEntries(
      Object.entries(json as Record<string, unknown[]>).map(([section, rows]) => [section, rows.length]),
    );
    expect(counts).toMatchObject({
      ...{ employe: 1, emplois: 1, appartenances: 1, valeursChampUtilisateur: 1, consentements: 2 },
      ...{ adhesions: 1, signatures: 2, paiements: 1, autorisationsPaiement: 1, demandesAdhesion: 2 },
      ...{ consentementsDemandes: 2, votants: 5, listesElectorales: 1, taches: 1 },
    });
    const { png, ...rest } = space.one;
    const shown = JSON.stringify(json);
    for (const value of Object.values<string>(rest))
      expect(shown).toContain(JSON.stringify(value).slice(1, -1));
    expect(shown).toContain(dataUrl(png));
    expect(tracesOf(space.other.texts, new Map([['export', [text]]]))).toEqual([]);
    expect(json.votants.map(({ campagneId, aVote }: Record<string, unknown>) => [campagneId, aVote])).toEqual(
      [
        [id, true],
        [id, true],
        [id, true],
        [space.draft, false],
        [space.draft, false],
      ],
    );
    expect(json.employe[0]).toMatchObject({
      idExterne: space.one.idExterne,
      dateCreation: expect.stringMatching(/Z$/),
    });
    expect(shown).not.toContain(space.open.tenantId);
    const made = (await space.trail.rows()).slice(-3).map(({ action }) => action);
    expect(made).toEqual(['employe.exporter', 'signature.lire', 'signature.lire']);
  });

  it('404 for an unknown employee, 403 for a key without the role admin', async () => {
    const space = await Space.make();
    expectProblem(await app.send(app.adminKey, 'GET', space.path()), 404, 'Employe.NotFound');
    expectProblem(await app.send(space.open.partenaire, 'GET', space.path()), 403, 'Cle.RoleInsuffisant');
  });
});

describe('Every table of data spaces', () => {
  it('is one whose rows an erasure goes through, or says nothing about a person', async () => {
    const { rows } = await app.database.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relrowsecurity ORDER BY 1`,
    );
    const known = PERSONAL_DATA.flatMap(({ rows, notPersonal }) => [
      ...rows.map(({ table }) => table),
      ...Object.keys(notPersonal),
    ]);
    expect(rows.map(({ name }) => name)).toEqual(known.sort());
    expect(new Set(known).size).toBe(known.length);
  });
});
