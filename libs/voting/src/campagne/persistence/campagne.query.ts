import { Injectable } from '@nestjs/common';
import { type FetchPage, JsonItems, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { noCampagne } from './campagne.repository';
import { ETAT, folded, hasOpened, NOW, RESULTATS_VISIBLES } from './campagne.sql';

/** Filters of the list of campaigns; those given hold together (docs/contract.md, "Campaigns"). */
export interface CampagneFilter {
  etat?: string | null;
  /** Part of the title, without regard to case. */
  titre?: string | null;
  /** Inclusive lower bound of the opening. */
  ouvertureApres?: Date | null;
  /** Inclusive upper bound of the closing. */
  fermetureAvant?: Date | null;
}

/** A campaign whose vote is or was open, and its number of voters who have voted. */
export interface OpenCampagne {
  readonly campagne: string;
  readonly votes: number;
}

const LISTED = {
  id: 'id_unique',
  titre: 'titre',
  slug: 'slug',
  ouvertureDuVoteUtc: wireTimestamp('ouverture_du_vote_utc'),
  fermetureDuVoteUtc: wireTimestamp('fermeture_du_vote_utc'),
  etat: ETAT,
  estPublie: '(publiee AND NOT archivee)',
  estArchive: 'archivee',
  nombreVotants: 'nombre_votants',
  nombreQuestions:
    '(SELECT count(*)::int FROM question q WHERE q.tenant_id = $1 AND q.campagne_id = campagne.id_unique)',
  dateCreationUtc: wireTimestamp('date_creation'),
  dateModificationUtc: wireTimestamp('date_modification'),
};

/** A digest that the ballot box shows of a seed. */
const digest = (column: string): string =>
  `(SELECT encode(u.${column}, 'hex') FROM urne u WHERE u.tenant_id = $1 AND u.campagne_id = campagne.id_unique)`;

/**
 * Conditions of the partial indexes for states, which are computed. They are literals, because PostgreSQL uses the indexes only
 * then. The state of ended campaigns has no index, because most campaigns of a tenant have ended.
 */
const WITH_INDEX: readonly (readonly [etat: string, condition: string])[] = [
  ['Brouillon', 'NOT publiee AND NOT archivee'],
  ['Planifie', 'publiee AND NOT urne_close'],
  ['VoteOuvert', 'publiee AND NOT urne_close'],
  ['Archive', 'archivee'],
];

/** Campaigns as JSON text, with their states at this moment. */
@Injectable()
export class CampagneQuery {
  private readonly listed: JsonItems;
  private readonly whole: JsonItems;

  constructor(private readonly transactions: Transactions) {
    const source = { table: 'campagne', key: 'id_unique' };
    this.listed = new JsonItems(transactions, { ...source, name: 'campagne_listed', columns: LISTED });
    this.whole = new JsonItems(transactions, {
      ...source,
      name: 'campagne_whole',
      columns: {
        ...LISTED,
        textePageAccueil: 'texte_page_accueil',
        libelleAbstention: 'libelle_abstention',
        ordreReponsesAleatoire: 'ordre_reponses_aleatoire',
        resultatsVisibles: RESULTATS_VISIBLES,
        seuilAnonymat: 'seuil_anonymat',
        raisonSeuilAnonymat: 'raison_seuil_anonymat',
        raisonConstat: 'urne_constat',
        empreinteGraineDepartage: digest('empreinte_graine'),
        empreinteGrainePartenaire: digest('empreinte_graine_partenaire'),
        graineDepartage: `(SELECT encode(graine, 'hex') FROM urne_graines(campagne.id_unique))`,
        grainePartenaire: `(SELECT encode(graine_partenaire, 'base64') FROM urne_graines(campagne.id_unique))`,
      },
    });
  }

  /** Returns the campaign with the fields that lists leave out. @throws DomainError `Campagne.NotFound` */
  async one(tenantId: string, id: string): Promise<string> {
    const item = await this.whole.one(tenantId, id);
    if (item === undefined) throw noCampagne();
    return item;
  }

  /** Whether a vote is open, opens within five minutes, or has a ballot box that is not sealed: its data space stays. */
  async hasVote(tenantId: string): Promise<boolean> {
    const [row] = await this.transactions.query<{ has: boolean }>(
      { tenantId },
      {
        name: 'campagne_has_vote',
        text: `SELECT EXISTS (SELECT FROM campagne WHERE tenant_id = $1 AND NOT urne_scellee
                 AND ${hasOpened(`${NOW} + interval '5 minutes'`)}) AS has`,
        values: [tenantId],
      },
    );
    return row!.has;
  }

  /** Returns the campaign with the fields of lists. */
  listedOne(tenantId: string, id: string): Promise<string | undefined> {
    return this.listed.one(tenantId, id);
  }

  list(tenantId: string, filter: CampagneFilter): FetchPage {
    return this.listed.pages(tenantId, [
      { sql: `${ETAT} = ?`, value: filter.etat, scanned: true },
      ...WITH_INDEX.map(([etat, condition]) => ({
        sql: `${condition} AND ?`,
        value: filter.etat === etat ? true : null,
      })),
      // No pattern: every character is itself.
      {
        sql: `position(${folded('?::text')} IN titre_compare) > 0`,
        value: filter.titre,
        scanned: true,
      },
      { sql: 'ouverture_du_vote_utc >= ?', value: filter.ouvertureApres, fewBy: 'ouverture_du_vote_utc' },
      { sql: 'fermeture_du_vote_utc <= ?', value: filter.fermetureAvant, fewBy: 'fermeture_du_vote_utc' },
    ]);
  }

  async openSince(tenantId: string, moment: Date): Promise<OpenCampagne[]> {
    return this.transactions.query<OpenCampagne>(
      { tenantId },
      {
        text: `SELECT id_unique AS campagne, (SELECT count(*)::int FROM votant v
                 WHERE v.tenant_id = $1 AND v.campagne_id = campagne.id_unique AND v.a_vote) AS votes
               FROM campagne WHERE tenant_id = $1 AND ${hasOpened()} AND NOT urne_close AND fermeture_du_vote_utc > $2
               ORDER BY id_unique`,
        values: [tenantId, moment],
      },
    );
  }
}
