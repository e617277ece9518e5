import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import type { EtatDestinataire } from '../domain/courriel.types';
import { presentAddress } from './adresse.sql';

/**
 * For so long recipients stay with who has taken them up, unless it says that they are still at work. Who stops saying so
 * has died: what waited is taken up by another, and what had been let through is in doubt.
 */
export const HOLD_S = 30;

/** Interval, in seconds, at which an email with leased recipients is read again, because leases may end. */
const LOOK_S = 5;

/** A letter older than this is given up for those whom it has not reached. */
const LONGEST_TRIED = '3 days';

/** Sender of an email. */
export interface Sender {
  /** Name of the client; null until a process of this release has written its settings. */
  readonly nom: string | null;
  readonly environnement: string | null;
  /** Address for Reply-To. */
  readonly adresseDeReponse: string | null;
}

/** A letter as it is sent. */
export interface Letter extends Sender {
  readonly id: string;
  readonly sujet: string;
  readonly corpsHtml: string;
  readonly dateCreation: Date;
}

/** A recipient that a worker has taken up. */
export interface HeldDestinataire {
  readonly id: string;
  /** Attempts that have failed. */
  readonly essais: number;
  /** Null where nothing can be written to any more. */
  readonly adresse: string | null;
}

/** Recipients that one job of an email has leased. */
export interface Turn {
  readonly letter: Letter;
  /** Names the job of the next turn. */
  readonly tour: number;
  readonly held: readonly HeldDestinataire[];
  /** Due time of the next job; undefined once no recipient is left. */
  readonly next: Date | undefined;
}

/** Result for a leased recipient. */
export interface Conclusion {
  readonly id: string;
  readonly etat: Extract<EtatDestinataire, 'EnAttente' | 'Envoye' | 'Refuse' | 'Incertain' | 'SansAdresse'>;
  /** The attempt, if it was let through or may have been. */
  readonly porteur: string | null;
  readonly code: number | null;
  /** Seconds until the recipient may be leased again; set with `EnAttente`. */
  readonly delayS: number | null;
  /** Whether it counts as an attempt that failed. */
  readonly failed: boolean;
}

/** Recipients on their way: taken up, let through, concluded. Only the clock of the database counts. */
@Injectable()
export class ExpeditionRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Takes the turn of a letter and takes up recipients that are due, in the ambient transaction; undefined if somebody
   * else has taken it, or the letter is gone.
   *
   * @param tour of the job
   * @param limit recipients at most
   */
  async begin(tenantId: string, id: string, tour: number, limit: number): Promise<Turn | undefined> {
    const client = this.transactions.client();
    const { rows: letters } = await client.query<Letter & { tour: number; isOver: boolean }>(
      `UPDATE courriel c SET tour = tour + 1 FROM reglage r
       WHERE c.tenant_id = $1 AND c.id_unique = $2 AND c.tour = $3 AND r.tenant_id = $1
       RETURNING c.id_unique AS id, c.sujet, c.corps_html AS "corpsHtml", c.date_creation AS "dateCreation", c.tour,
         r.nom, r.environnement, r.adresse_de_reponse AS "adresseDeReponse",
         c.date_creation < now() - interval '${LONGEST_TRIED}' AS "isOver"`,
      [tenantId, id, tour],
    );
    const [letter] = letters;
    if (!letter) return undefined;
    await client.query(
      `UPDATE courriel_destinataire SET etat = CASE etat WHEN 'EnCours' THEN 'Incertain' ELSE 'Refuse' END,
         echeance = NULL, date = clock_timestamp()
       WHERE tenant_id = $1 AND courriel_id = $2 AND echeance <= now() AND (etat = 'EnCours' OR $3)`,
      [tenantId, id, letter.isOver],
    );
    const { rows: held } = await client.query<HeldDestinataire>(
      `WITH due AS (
         SELECT id_unique FROM courriel_destinataire
         WHERE tenant_id = $1 AND courriel_id = $2 AND etat = 'EnAttente' AND echeance <= now()
         ORDER BY echeance, id_unique LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
       )
       UPDATE courriel_destinataire d SET echeance = clock_timestamp() + interval '${HOLD_S} seconds' FROM due
       WHERE d.tenant_id = $1 AND d.id_unique = due.id_unique
       RETURNING d.id_unique AS id, d.essais, ${presentAddress('d')} AS adresse`,
      [tenantId, id, limit],
    );
    const { rows: next } = await client.query<{ echeance: Date }>(
      `SELECT CASE WHEN echeance > clock_timestamp() + interval '${HOLD_S} seconds' THEN echeance
         ELSE least(echeance, clock_timestamp() + interval '${LOOK_S} seconds') END AS echeance
       FROM courriel_destinataire
       WHERE tenant_id = $1 AND courriel_id = $2 AND echeance IS NOT NULL
       ORDER BY courriel_destinataire.echeance LIMIT 1`,
      [tenantId, id],
    );
    return { letter, tour: letter.tour, held, next: next[0]?.echeance };
  }

  /**
   * Lets an attempt through to the end of its message, in a transaction of its own: of all attempts, by however many
   * workers, one at a time, and none once one of them has succeeded or is in doubt.
   *
   * @param adresse that the message goes to: if it is no longer the person's, or the person is gone, nobody is let through
   * @param porteur names the attempt
   */
  async letThrough(tenantId: string, id: string, adresse: string, porteur: string): Promise<boolean> {
    const rows = await this.transactions.query(
      { tenantId },
      {
        name: 'courriel_let_through',
        text: `UPDATE courriel_destinataire d SET etat = 'EnCours', porteur = $4, date = clock_timestamp(),
                 echeance = clock_timestamp() + interval '${HOLD_S} seconds'
               WHERE d.tenant_id = $1 AND d.id_unique = $2 AND d.etat = 'EnAttente' AND ${presentAddress('d')} = $3
               RETURNING 1`,
        values: [tenantId, id, adresse, porteur],
      },
    );
    return rows.length === 1;
  }

  /**
   * Writes what became of recipients. An attempt that was let through concludes only what is still its own; that it
   * succeeded, or was refused, also counts where it was in doubt by then. Safe to repeat.
   */
  async conclude(tenantId: string, conclusions: readonly Conclusion[]): Promise<void> {
    const column = <K extends keyof Conclusion>(key: K): Conclusion[K][] =>
      conclusions.map((one) => one[key]);
    await this.transactions.query(
      { tenantId },
      {
        name: 'courriel_conclude',
        text: `UPDATE courriel_destinataire d SET etat = o.etat, date = clock_timestamp(),
                 code_smtp = CASE WHEN o.etat = 'EnAttente' THEN coalesce(o.code, d.code_smtp) ELSE o.code END,
                 essais = d.essais + o.failed::int,
                 echeance = CASE WHEN o.etat = 'EnAttente' THEN clock_timestamp() + o.delay * interval '1 second' END
               FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::int[], $6::int[], $7::boolean[])
                 AS o (id, etat, porteur, code, delay, failed)
               WHERE d.tenant_id = $1 AND d.id_unique = o.id AND CASE
                 WHEN o.porteur IS NULL THEN d.etat = 'EnAttente'
                 ELSE d.porteur = o.porteur AND (d.etat = 'EnCours' OR (d.etat = 'Incertain' AND o.etat <> 'EnAttente')) END`,
        values: [
          tenantId,
          column('id'),
          column('etat'),
          column('porteur'),
          column('code'),
          column('delayS'),
          column('failed'),
        ],
      },
    );
  }

  /** Renews the leases of recipients. */
  async keep(tenantId: string, ids: readonly string[]): Promise<void> {
    await this.transactions.query(
      { tenantId },
      {
        name: 'courriel_keep',
        text: `UPDATE courriel_destinataire d SET echeance = clock_timestamp() + interval '${HOLD_S} seconds'
               FROM unnest($2::uuid[]) AS held (id)
               WHERE d.tenant_id = $1 AND d.id_unique = held.id
                 AND d.echeance < clock_timestamp() + interval '${HOLD_S - 5} seconds'`,
        values: [tenantId, ids],
      },
    );
  }
}
