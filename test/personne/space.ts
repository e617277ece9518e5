import { randomUUID } from 'node:crypto';
import { openTenant, type OpenTenant } from '../adhesion/support/cards';
import { dataUrl, encodePng } from '../adhesion/support/png';
import { Trail } from '../audit/support/trail';
import { synced } from '../membership/synced';
import type { Answer, TestApp } from '../setup/test-app';
import { Campaigns } from '../voting/support/campaigns';
import { Votes } from '../voting/support/votes';

/** A person whose values are all unique. */
export class Somebody {
  private static made = 0;
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
  readonly png = encodePng({ width: 17, height: ++Somebody.made });

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
export class Space {
  readonly one = new Somebody();
  readonly other = new Somebody();
  readonly trail: Trail;
  draft = '';

  private constructor(
    private readonly app: TestApp,
    readonly open: OpenTenant,
    readonly votes: Votes,
  ) {
    this.trail = new Trail(app, open.partenaire);
  }

  static async make(app: TestApp): Promise<Space> {
    const open = await openTenant(app);
    const votes = await Votes.of(app, new Campaigns(app, open.partenaire));
    return new Space(app, open, votes);
  }

  partner(method: string, path: string, body?: object): Promise<Answer> {
    return this.app.send(this.open.partenaire, method, path, body);
  }

  async done(answer: Promise<Answer>): Promise<Answer> {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(text);
    return answer;
  }

  private platform(path: string, body: object, headers?: Record<string, string>): Promise<Answer> {
    return this.done(this.app.send(this.open.plateforme, 'POST', `/plateforme/v1/${path}`, body, headers));
  }

  path(who = this.one, environnement = 'staging'): string {
    const { clientId } = this.open.partenaire;
    return `/admin/v1/clients/${clientId}/environnements/${environnement}/employes/${encodeURIComponent(who.idExterne)}`;
  }

  erase(who = this.one, query = ''): Promise<Answer> {
    return this.app.send(this.app.adminKey, 'DELETE', this.path(who) + query);
  }

  read(who = this.one, query = ''): Promise<Answer> {
    return this.app.send(this.app.adminKey, 'GET', this.path(who) + query);
  }

  /** The partner deletes a person. @returns the service's id that the employee had */
  async remove(who: { readonly idExterne: string } = this.one): Promise<string> {
    const path = `/b2b/v1/employe/${encodeURIComponent(who.idExterne)}`;
    const { json } = await this.done(this.partner('GET', path));
    await this.done(this.partner('DELETE', path));
    return json.idUnique;
  }

  /**
   * Ends the vote of `fill`, after which the partner deletes the first person with all cards, one of which a
   * conciliation made. @returns the service's id that the employee had
   */
  async leave(id: string): Promise<string> {
    const { one } = this;
    await this.votes.campaigns.sent('POST', `/${id}/fermer`);
    const { json } = await this.platform('adhesions', one.signing({ employeIdExterne: null }));
    await this.done(
      this.partner('POST', `/b2b/v2/conciliation/${json.demandeId}/confirmer`, { idExterne: one.idExterne }),
    );
    // A voter whose only links to the person are the names and the member number.
    await this.app.database.query('UPDATE votant SET courriel = NULL WHERE identifiant = $1', [one.noMembre]);
    // A card with payments cannot be deleted.
    for (const table of ['paiement', 'autorisation_paiement'])
      await this.app.database.query(`DELETE FROM ${table} WHERE reference = $1`, [one.reference]);
    await this.app.database.query('UPDATE adhesion SET avec_paiement = false WHERE id_externe_employe = $1', [
      one.idExterne,
    ]);
    await this.done(this.partner('DELETE', `/b2b/v2/adhesion/membre/${encodeURIComponent(one.idExterne)}`));
    return this.remove();
  }

  /** Both are employees, members and signers, and have voted in a campaign that is over. @returns that campaign */
  async fill(): Promise<string> {
    await this.done(this.partner('POST', '/b2b/v2/champ-utilisateur', { nom: 'Casier', type: 'texte' }));
    await synced(this.app, this.open.partenaire, {
      Syndicats: [
        { IdentifiantExterne: 'SYN-1', Nom: 'S', Employeurs: [{ IdentifiantExterne: 'EMP-1', Nom: 'E' }] },
      ],
      Employes: [this.one.employe, this.other.employe],
      ObjetsConsentement: [{ IdExterne: 'INFO', Nom: 'Infolettre' }],
    });
    for (const who of [this.one, this.other]) await this.renamed(who);
    for (const who of [this.one, this.other]) await this.sign(who);
    for (const who of [this.one, this.other])
      await this.done(
        this.partner('POST', '/b2b/v2/plan', { Employes: [{ ...who.employe, Ville: 'Laval' }] }),
      );
    await this.refuseInTask();
    await this.confuse();
    return this.vote();
  }

  /** Gives a person another identifier, and then the first one again. */
  private async renamed({ idExterne }: Somebody): Promise<void> {
    const autre = `${idExterne}-autre`;
    for (const [ancien, nouveau] of [
      [idExterne, autre],
      [autre, idExterne],
    ] as const)
      await this.done(
        this.partner('POST', `/b2b/v2/employe/${encodeURIComponent(ancien)}/nouvel-identifiant`, {
          idExterne: nouveau,
        }),
      );
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
    await this.app.database.query(
      `INSERT INTO tache (tenant_id, type, etat, total, simulation, date_fin, resultat)
       VALUES ($1, 'sync', 'Reussie', 1, false, now(), $2)`,
      [this.open.tenantId, JSON.stringify({ Employes: { AddCount: 0, UpdateCount: 0, Erreurs: [erreur] } })],
    );
    const others = [{ IdUnique: 'E-404', Message: 'is required' }, erreur, { ...erreur, IdUnique: 'E-405' }];
    await this.app.database.query(
      `INSERT INTO tache_morceau (tenant_id, tache_id, place, liste, octets)
       SELECT tenant_id, id_unique, 0, 'Employes', convert_to($2, 'UTF8') FROM tache WHERE tenant_id = $1 AND resultat IS NOT NULL`,
      [this.open.tenantId, others.map((one) => JSON.stringify(one)).join()],
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
    await this.app.database.query(
      'UPDATE demande_adhesion SET employe_id_externe_envoye = $1 WHERE id_unique = $2',
      [named, json.demandeId],
    );
    const path = '/b2b/v2/objet-consentement';
    const key = { 'Idempotency-Key': `import ${encodeURIComponent(named)}` };
    await this.done(
      this.app.send(this.open.partenaire, 'POST', path, { idExterne: randomUUID(), nom: 'X' }, key),
    );
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
    // On a roll no more.
    const former = await campaigns.votant(this.draft, { Prenom, Nom, EmployeIdExterne: this.one.idExterne });
    await campaigns.sent('DELETE', `/${this.draft}/votants/${former}`);
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
      stored[table] = (await this.app.database.query(text, [this.open.tenantId])).rows;
    }
    const stats = (await this.votes.campaigns.sent('GET', `/${id}/stats`)).json as unknown;
    const ofUnion = (await this.votes.campaigns.sent('GET', `/${id}/stats?syndicatIdExterne=SYN-1`))
      .json as unknown;
    return { ...stored, stats, ofUnion };
  }
}
