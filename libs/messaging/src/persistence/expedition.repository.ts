import { LONGEST_TRIED } from '../domain/retry-delays';
import { Injectable } from '@nestjs/common';
import { REGLAGES } from '#clients/relations';
import { Transactions } from '#platform/database/transactions';
import { comparableForms } from '#platform/input/email-address';
import type { EtatDestinataire } from '../domain/courriel.types';
import { permitted, presentAddress } from './adresse.sql';

/**
 * Lease of recipients, in seconds. If a worker does not renew it, the worker has died: another worker sends to recipients
 * that waited, and recipients whose message may have been ended become `Incertain`.
 */
export const LEASE_S = 30;

/** Interval, in seconds, at which an email with leased recipients is read again, because leases may end. */
const LOOK_S = 5;

/** Time after which an email of a suspended client is read again, in seconds. */
const SUSPENDED_S = 300;

/** Ends recipients of an email: in doubt if a message to them may have been ended, refused otherwise. */
const ENDED = `
  UPDATE courriel_destinataire SET etat = CASE etat WHEN 'EnCours' THEN 'Incertain' ELSE 'Refuse' END,
    echeance = NULL, date = clock_timestamp()
  WHERE tenant_id = $1 AND courriel_id = $2`;

/** An email as it is sent. */
export interface Email {
  readonly id: string;
  readonly sujet: string;
  readonly corpsHtml: string;
  readonly dateCreation: Date;
  /** Name of the client; null until a process of this release has written its settings. */
  readonly nom: string | null;
  readonly environnement: string | null;
  /** Address for Reply-To. */
  readonly adresseDeReponse: string | null;
}

/** A recipient that a worker has leased. */
export interface LeasedDestinataire {
  readonly id: string;
  /** Failed attempts. */
  readonly essais: number;
  /** Null if the person has no usable address, or was deleted. */
  readonly adresse: string | null;
  /** Whether the data space may send to the address. */
  readonly permis: boolean;
}

/** Recipients that one job of an email has leased. */
export interface Slice {
  readonly email: Email;
  /** Generation of the next job (column `tour`): a job of an earlier generation does nothing. */
  readonly generation: number;
  readonly leased: readonly LeasedDestinataire[];
  /** Due time of the next job; undefined once no recipient is left. */
  readonly next: Date | undefined;
}

/** Result for a leased recipient. */
export interface Conclusion {
  readonly id: string;
  readonly etat: Extract<
    EtatDestinataire,
    'EnAttente' | 'Envoye' | 'Refuse' | 'Incertain' | 'SansAdresse' | 'Retenu'
  >;
  /** The attempt that passed the pre-send check, or may have passed it (column `porteur`). */
  readonly attemptId: string | null;
  readonly code: number | null;
  /** Seconds until the recipient may be leased again; set with `EnAttente`. */
  readonly delayS: number | null;
  /** Whether it counts as an attempt that failed. */
  readonly failed: boolean;
}

/** Recipients while they are sent to: leased, checked before the end of the message, concluded. Times are the database's. */
@Injectable()
export class ExpeditionRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Begins a generation of an email and leases recipients that are due, in the ambient transaction.
   *
   * @param generation of the job
   * @param limit maximum number of recipients
   * @returns undefined if another job began this generation, or the email was deleted
   */
  async begin(tenantId: string, id: string, generation: number, limit: number): Promise<Slice | undefined> {
    const client = this.transactions.client();
    const { rows: emails } = await client.query<
      Email & { next: number; isOver: boolean; suspended: Date | null }
    >(
      `UPDATE courriel c SET tour = tour + 1 FROM ${REGLAGES} r
       WHERE c.tenant_id = $1 AND c.id_unique = $2 AND c.tour = $3 AND r.tenant_id = $1
       RETURNING c.id_unique AS id, c.sujet, c.corps_html AS "corpsHtml", c.date_creation AS "dateCreation", c.tour AS next,
         r.nom, r.environnement, r.adresse_de_reponse AS "adresseDeReponse",
         greatest(c.date_creation, r.repris_le) < now() - interval '${LONGEST_TRIED}' AS "isOver",
         CASE WHEN r.suspendu THEN now() + interval '${SUSPENDED_S} seconds' END AS suspended`,
      [tenantId, id, generation],
    );
    const [email] = emails;
    if (!email) return undefined;
    if (email.suspended) return { email, generation: email.next, leased: [], next: email.suspended };
    await client.query(`${ENDED} AND echeance <= now() AND (etat = 'EnCours' OR $3)`, [
      tenantId,
      id,
      email.isOver,
    ]);
    const { rows: found } = await client.query<Omit<LeasedDestinataire, 'permis'>>(
      `WITH due AS (
         SELECT id_unique FROM courriel_destinataire
         WHERE tenant_id = $1 AND courriel_id = $2 AND etat = 'EnAttente' AND echeance <= now()
         ORDER BY echeance, id_unique LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
       )
       UPDATE courriel_destinataire d SET echeance = clock_timestamp() + interval '${LEASE_S} seconds' FROM due
       WHERE d.tenant_id = $1 AND d.id_unique = due.id_unique
       RETURNING d.id_unique AS id, d.essais, ${presentAddress('d')} AS adresse`,
      [tenantId, id, limit],
    );
    const leased = await this.withPermission(tenantId, found);
    const { rows: next } = await client.query<{ echeance: Date }>(
      `SELECT CASE WHEN echeance > clock_timestamp() + interval '${LEASE_S} seconds' THEN echeance
         ELSE least(echeance, clock_timestamp() + interval '${LOOK_S} seconds') END AS echeance
       FROM courriel_destinataire
       WHERE tenant_id = $1 AND courriel_id = $2 AND echeance IS NOT NULL
       ORDER BY courriel_destinataire.echeance LIMIT 1`,
      [tenantId, id],
    );
    return { email, generation: email.next, leased, next: next[0]?.echeance };
  }

  private async withPermission(
    tenantId: string,
    leased: readonly Omit<LeasedDestinataire, 'permis'>[],
  ): Promise<LeasedDestinataire[]> {
    const forms = leased.map(({ adresse }) => (adresse === null ? [] : comparableForms(adresse)));
    const { rows } = await this.transactions.client().query<{ permis: boolean }>(
      `SELECT ${permitted(`ARRAY[form.adresse, '@' || form.domaine, form.domaine]`)} AS permis
       FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS form (adresse, domaine, place) ORDER BY place`,
      [tenantId, forms.map(([adresse]) => adresse ?? null), forms.map(([, , domaine]) => domaine ?? null)],
    );
    return leased.map((one, place) => ({ ...one, permis: rows[place]!.permis }));
  }

  /**
   * The pre-send check: allows one attempt at a time, over all workers, to end its message, and none after an attempt has
   * succeeded or is in doubt. Commits at once.
   *
   * @param adresse address of the message; the check fails if the person has another one by now, or was deleted, or the data
   * space may no longer send to it
   */
  async letThrough(tenantId: string, id: string, adresse: string, attemptId: string): Promise<boolean> {
    const rows = await this.transactions.execute(
      { tenantId },
      {
        name: 'courriel_let_through',
        text: `UPDATE courriel_destinataire d SET etat = 'EnCours', porteur = $4, date = clock_timestamp(),
                 echeance = clock_timestamp() + interval '${LEASE_S} seconds'
               WHERE d.tenant_id = $1 AND d.id_unique = $2 AND d.etat = 'EnAttente' AND ${presentAddress('d')} = $3
                 AND ${permitted('$5::text[]')}
               RETURNING 1`,
        values: [tenantId, id, adresse, attemptId, comparableForms(adresse)],
      },
    );
    return rows.length === 1;
  }

  /**
   * Writes the results for recipients. An attempt that passed the pre-send check concludes a recipient only while the
   * recipient is marked with its ID. A success or refusal also replaces `Incertain`. Safe to repeat.
   */
  async conclude(tenantId: string, conclusions: readonly Conclusion[]): Promise<void> {
    const column = <K extends keyof Conclusion>(key: K): Conclusion[K][] =>
      conclusions.map((one) => one[key]);
    await this.transactions.execute(
      { tenantId },
      {
        name: 'courriel_conclude',
        text: `UPDATE courriel_destinataire d SET etat = o.etat, date = clock_timestamp(),
                 code_smtp = CASE WHEN o.etat = 'EnAttente' THEN coalesce(o.code, d.code_smtp) ELSE o.code END,
                 essais = d.essais + o.failed::int,
                 echeance = CASE WHEN o.etat = 'EnAttente' THEN clock_timestamp() + o.delay * interval '1 second' END
               FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::int[], $6::int[], $7::boolean[])
                 AS o (id, etat, attempt_id, code, delay, failed)
               WHERE d.tenant_id = $1 AND d.id_unique = o.id AND CASE
                 WHEN o.attempt_id IS NULL THEN d.etat = 'EnAttente'
                 ELSE d.porteur = o.attempt_id AND (d.etat = 'EnCours' OR (d.etat = 'Incertain' AND o.etat <> 'EnAttente')) END`,
        values: [
          tenantId,
          column('id'),
          column('etat'),
          column('attemptId'),
          column('code'),
          column('delayS'),
          column('failed'),
        ],
      },
    );
  }

  /** Ends an email that cannot be sent: all its recipients, and its generations. */
  async abandon(tenantId: string, id: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      const client = this.transactions.client();
      await client.query('UPDATE courriel SET tour = tour + 1 WHERE tenant_id = $1 AND id_unique = $2', [
        tenantId,
        id,
      ]);
      await client.query(`${ENDED} AND etat IN ('EnAttente', 'EnCours')`, [tenantId, id]);
    });
  }

  /** Renews the leases of recipients. */
  async keep(tenantId: string, ids: readonly string[]): Promise<void> {
    await this.transactions.execute(
      { tenantId },
      {
        name: 'courriel_keep',
        text: `UPDATE courriel_destinataire d SET echeance = clock_timestamp() + interval '${LEASE_S} seconds'
               FROM unnest($2::uuid[]) AS leased (id)
               WHERE d.tenant_id = $1 AND d.id_unique = leased.id
                 AND d.echeance < clock_timestamp() + interval '${LEASE_S - 5} seconds'`,
        values: [tenantId, ids],
      },
    );
  }
}
