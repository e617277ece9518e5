import { CAMPAGNE } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import { REGLAGES } from '#clients/relations';
import type { Prelude } from '#platform/database/entered-query';
import type { FetchPage } from '#platform/database/json-items';
import { UNIQUE_VIOLATION, violates } from '#platform/errors/sql-errors';
import type { TouchedIds } from '#platform/database/touched-ids';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import type { Piece } from '#platform/database/work-notes';
import { DomainError } from '#platform/errors/domain-error';
import { Campagne } from '../domain/campagne.entity';
import type { Circumstances, ExcesChiffrement } from '../domain/campagne.transitions';
import { excesChiffrement, folded, hasEnded, hasOpened, poidsIdentifiants } from './campagne.sql';
import { dueByClock } from './due-campagnes.sql';
import { fr, type Text } from '#platform/errors/text';

/** A campaign that a transaction holds, and the moment after it got hold of it. */
export interface LockedCampagne {
  readonly campagne: Campagne;
  readonly at: Date;
}

/** Next step of a campaign: the events and the closing of its dates, the sealing of its box, or its bundle. */
export interface DueStep {
  readonly id: string;
  readonly etape: 'dates' | 'scellement' | 'dechiffrement' | 'dossier';
}

/**
 * Locks of a campaign until the transaction ends. `exclusive`: no other request changes its state, content, structure or
 * roll, or votes (transitions, changes, deletion). `structure`: one writer of questions and options at a time. `roll`:
 * writers of the roll, and votes, at the same time.
 */
const LOCKS = {
  exclusive: 'pessimistic_write',
  structure: 'for_no_key_update',
  roll: 'for_key_share',
} as const;

/** Seed of the hash, which separates this advisory lock from others. */
const CAMPAIGN_LOCK = 3;

function lockNameOf(tenantId: string, id: string): string {
  return `${tenantId} ${id}`;
}

/** The threshold that a publication would fix for a draft: its own, or that of its client. */
const SEUIL = `SELECT coalesce(c.seuil_anonymat, s.seuil_anonymat, 1) AS k
  FROM campagne c LEFT JOIN ${REGLAGES} s ON s.tenant_id = c.tenant_id WHERE c.tenant_id = $1 AND c.id_unique = $2 AND NOT c.publiee`;

/** SQL of a text by which options of a question are compared: without its case, and without any space, so `a b` equals `ab`. */
const compared = (text: string): string => `regexp_replace(${folded(text)}, '\\s+', '', 'g')`;

/** SQL condition: the vote of a row of `campagne` was opened. After its end the roll is read-only. */
const IS_OPENED = hasOpened('tenant_clock(clock_timestamp())');

/** Weights that a refusal names. */
const MOST_NAMED = 5;

/** Voters that a write of the roll has added, removed and changed. */
export interface RollChange {
  readonly ajoutes?: TouchedIds;
  readonly modifies?: TouchedIds;
  readonly retires?: TouchedIds;
  /** Properties that differ in at least one of those that were changed. */
  readonly champs?: readonly string[];
}

/** Campaigns, in the ambient transaction. The clock is the tenant's, in the database: it is the same for all processes. */
@Injectable()
export class CampagneRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Returns the campaign at this moment, without a lock. @throws DomainError `Campagne.NotFound` */
  async look(tenantId: string, id: string): Promise<LockedCampagne> {
    const campagne = await this.transactions
      .manager()
      .findOne(Campagne, { where: { tenantId, idUnique: id } });
    if (!campagne) throw noCampagne();
    return { campagne, at: await this.now() };
  }

  /** Locks the campaign beside writers of its roll and voters. Returns undefined if it is locked or deleted. */
  async lockIfFree(tenantId: string, id: string): Promise<LockedCampagne | undefined> {
    const campagne = await this.transactions.manager().findOne(Campagne, {
      where: { tenantId, idUnique: id },
      lock: { mode: 'for_no_key_update', onLocked: 'skip_locked' },
    });
    return campagne ? { campagne, at: await this.now() } : undefined;
  }

  /** @throws DomainError `Campagne.NotFound` */
  async lock(tenantId: string, id: string, how: keyof typeof LOCKS): Promise<LockedCampagne> {
    if (how === 'exclusive') {
      // First the lock of roll writers, because they take long and voters must not wait for them.
      await this.lockRoll(tenantId, id);
      await this.lockAgainstVotes(tenantId, id);
    }
    const campagne = await this.transactions
      .manager()
      .findOne(Campagne, { where: { tenantId, idUnique: id }, lock: { mode: LOCKS[how] } });
    if (!campagne) throw noCampagne();
    return { campagne, at: await this.now() };
  }

  /** Waits for the lock of writers of a campaign's roll, which the ambient transaction keeps until its end. */
  async lockRoll(tenantId: string, id: string): Promise<void> {
    await this.transactions.lockByName(`roll ${tenantId} ${id}`);
  }

  /**
   * Takes the shared lock of the campaign for a vote: the state that the next statement reads stays true until its
   * transaction ends. Waits for locks for at most 5 s.
   */
  enterVote(tenantId: string, id: string): Prelude {
    return {
      name: 'campagne_lock_vote',
      text: `SELECT WHERE set_config('lock_timeout', '5s', true) IS NULL
        OR pg_advisory_xact_lock_shared(hashtextextended($1, ${CAMPAIGN_LOCK})) IS NULL`,
      values: [lockNameOf(tenantId, id)],
    };
  }

  /**
   * Takes the exclusive lock of the campaign, which PostgreSQL grants in order of arrival. With row locks only, a stream of
   * voters would keep an exclusive writer waiting forever.
   */
  private async lockAgainstVotes(tenantId: string, id: string): Promise<void> {
    await this.transactions.client().query({
      name: 'campagne_lock',
      text: `SELECT pg_advisory_xact_lock(hashtextextended($1, ${CAMPAIGN_LOCK}))`,
      values: [lockNameOf(tenantId, id)],
    });
  }

  /** Copies the questions of a campaign that was just published into the ballot box. The caller has the exclusive lock. */
  async prepareBox(tenantId: string, id: string): Promise<void> {
    await this.transactions.client().query('SELECT urne_preparer($1)', [id]);
    // Changes after the opening of an earlier publication do not count for this one.
    await this.transactions.client().query(
      `UPDATE campagne SET votants_ajoutes = 0, votants_retires = 0, votants_modifies = 0
       WHERE tenant_id = $1 AND id_unique = $2`,
      [tenantId, id],
    );
  }

  /** Deletes the copy from the ballot box after the publication was withdrawn. No ballot exists then. */
  async releaseBox(id: string): Promise<void> {
    await this.transactions.client().query('SELECT urne_liberer($1)', [id]);
  }

  /** Keeps the partner's seed of draws. @returns false where the campaign is not in Planifie */
  keepGraine(id: string, graine: Buffer): Promise<boolean> {
    return this.transactions.value('SELECT urne_deposer_graine($1, $2)', [id, graine]);
  }

  /** Sets the threshold of anonymity of an exclusively locked campaign. @returns false if it is not in Brouillon */
  setSeuilAnonymat(id: string, seuil: number, raison: string): Promise<boolean> {
    return this.transactions.value('SELECT urne_fixer_seuil($1, $2, $3)', [id, seuil, raison]);
  }

  /** Closes the ballot box of an exclusively locked campaign, if its vote has ended. */
  async closeBox(id: string): Promise<void> {
    await this.transactions.client().query('SELECT urne_fermer($1)', [id]);
  }

  /** @throws DomainError `Campagne.NotFound` */
  async assertExists(tenantId: string, id: string): Promise<void> {
    const rows = await this.transactions.query(
      { tenantId },
      {
        name: 'campagne_exists',
        text: 'SELECT FROM campagne WHERE tenant_id = $1 AND id_unique = $2',
        values: [tenantId, id],
      },
    );
    if (rows.length === 0) throw noCampagne();
  }

  /** Returns a list of a campaign. Reading it throws `Campagne.NotFound` if it is empty and there is no such campaign. */
  listOfKnown(tenantId: string, id: string, list: FetchPage): FetchPage {
    return async (after, limit) => {
      const page = await list(after, limit);
      if (page.items.length === 0) await this.assertExists(tenantId, id);
      return page;
    };
  }

  newId(): Promise<string> {
    return this.transactions.value('SELECT uuidv7()');
  }

  /** Returns the time of the tenant by a separate statement, so a transaction that waited for a lock uses the time after the wait. */
  async now(): Promise<Date> {
    const { rows } = await this.transactions.client().query<{ at: Date }>({
      name: 'campagne_now',
      text: `SELECT date_trunc('milliseconds', tenant_clock(clock_timestamp())) AS at`,
      values: [],
    });
    return rows[0]!.at;
  }

  /** Returns the number of campaigns of a data space that are published and whose ballot box is not closed. */
  countOpen(tenantId: string): Promise<number> {
    return this.transactions.value(
      'SELECT count(*)::int FROM campagne WHERE tenant_id = $1 AND publiee AND NOT urne_close',
      [tenantId],
    );
  }

  async circumstances({
    tenantId,
    idUnique,
    fermetureDuVoteUtc,
    nombreVotants,
  }: Campagne): Promise<Circumstances> {
    const { rows } = await this.transactions.client().query<Omit<Circumstances, 'nombreVotants'>>(
      `SELECT coalesce(json_agg(json_build_object('estPreferentiel', q.est_preferentiel, 'nombreElus', q.nombre_elus,
           'nombreOptions', o.options, 'maxReponses', least(q.max_reponses, o.options))), '[]') AS questions,
         coalesce(sum(octet_length(q.titre) + coalesce(octet_length(q.description), 0) + o.octets), 0)::float8 AS octets,
         coalesce(array_agg(q.titre ORDER BY q.ordre) FILTER (WHERE o.options < q.min_reponses), '{}') AS "questionsSansOptions",
         coalesce(json_agg(json_build_object('titre', q.titre, 'libelle', d.libelle) ORDER BY q.ordre)
           FILTER (WHERE d.libelle IS NOT NULL), '[]') AS "questionsAvecDoubles",
         (SELECT coalesce(array_agg(p.poids::text ORDER BY p.poids), '{}')
           FROM (${SEUIL}) k CROSS JOIN LATERAL (${poidsIdentifiants('k.k')} LIMIT ${MOST_NAMED}) p WHERE k.k > 1
         ) AS "poidsIdentifiants",
         urne_contient($2) AS "aDesVotes",
         (SELECT h.cle IS NOT NULL FROM chiffrement h WHERE h.tenant_id = $1 AND h.campagne_id = $2) AS "aUneCle",
         (${excesChiffrement(`(SELECT k.k FROM (${SEUIL}) k)`)}) AS "excesChiffrement"
       FROM question q CROSS JOIN LATERAL (
         SELECT count(*)::int AS options,
           coalesce(sum(octet_length(o.libelle) + coalesce(octet_length(o.description), 0)), 0) AS octets
         FROM option o WHERE o.tenant_id = $1 AND o.question_id = q.id_unique) o
       LEFT JOIN LATERAL (
         SELECT min(o.libelle) AS libelle FROM option o WHERE o.tenant_id = $1 AND o.question_id = q.id_unique
         GROUP BY ${compared('o.libelle')}, ${compared(`coalesce(o.description, '')`)}
         HAVING count(*) > 1 ORDER BY min(o.ordre) LIMIT 1
       ) d ON true
       WHERE q.tenant_id = $1 AND q.campagne_id = $2`,
      [tenantId, idUnique],
    );
    return { ...rows[0]!, fermetureDuVoteUtc, nombreVotants };
  }

  /** Returns which quantity of a published encrypted vote could be too large to decrypt; null otherwise. */
  async excesChiffrement({
    tenantId,
    idUnique,
    publiee,
    seuilAnonymat,
  }: Campagne): Promise<ExcesChiffrement | null> {
    if (!publiee) return null;
    return this.transactions.value(`SELECT (${excesChiffrement('$3::integer')})`, [
      tenantId,
      idUnique,
      seuilAnonymat ?? 1,
    ]);
  }

  /** Weights that single voters out, where the campaign guards them. */
  async poidsIdentifiants({ tenantId, idUnique, guardsWeights, seuilAnonymat }: Campagne): Promise<string[]> {
    if (!guardsWeights) return [];
    const { rows } = await this.transactions
      .client()
      .query<{ poids: string }>(poidsIdentifiants('$3'), [tenantId, idUnique, seuilAnonymat]);
    return rows.map(({ poids }) => poids);
  }

  /** @throws DomainError `Campagne.NomDejaUtilise`, `Campagne.SlugDejaUtilise` */
  async insert(campagne: Campagne): Promise<void> {
    await this.unlessTaken(campagne, () => this.transactions.manager().insert(Campagne, campagne));
  }

  /** @throws DomainError `Campagne.NomDejaUtilise`, `Campagne.SlugDejaUtilise` */
  async update(campagne: Campagne): Promise<void> {
    const { tenantId, idUnique } = campagne;
    await this.unlessTaken(campagne, () =>
      this.transactions.manager().update(Campagne, { tenantId, idUnique }, campagne),
    );
    await this.touch(tenantId, idUnique);
  }

  /** Marks openings and closings as published. This is not a change of the campaign. */
  async updateAnnounced({
    tenantId,
    idUnique,
    ouvertureAnnoncee,
    fermetureAnnoncee,
  }: Campagne): Promise<void> {
    await this.transactions
      .manager()
      .update(Campagne, { tenantId, idUnique }, { ouvertureAnnoncee, fermetureAnnoncee });
  }

  /** Notes a change. */
  async touch(tenantId: string, id: string): Promise<void> {
    await this.transactions
      .client()
      .query(
        'UPDATE campagne SET date_modification = clock_timestamp() WHERE tenant_id = $1 AND id_unique = $2',
        [tenantId, id],
      );
  }

  /**
   * Counts voters that were added and removed, and all changes of the roll that end after the opening. A writer of the roll
   * calls it last.
   */
  async countVotants(
    tenantId: string,
    id: string,
    { ajoutes, retires, modifies }: RollChange,
  ): Promise<void> {
    await this.transactions.client().query(
      `UPDATE campagne SET nombre_votants = nombre_votants + $3::int - $4::int,
         votants_ajoutes = votants_ajoutes + CASE WHEN ${IS_OPENED} THEN $3::int ELSE 0 END,
         votants_retires = votants_retires + CASE WHEN ${IS_OPENED} THEN $4::int ELSE 0 END,
         votants_modifies = votants_modifies + CASE WHEN ${IS_OPENED} THEN $5::int ELSE 0 END
       WHERE tenant_id = $1 AND id_unique = $2 AND ($3::int + $4::int > 0 OR $5::int > 0 AND ${IS_OPENED})`,
      [tenantId, id, ajoutes?.count ?? 0, retires?.count ?? 0, modifies?.count ?? 0],
    );
  }

  async delete({ tenantId, idUnique }: Campagne): Promise<void> {
    await this.transactions.manager().delete(Campagne, { tenantId, idUnique });
  }

  /** Returns the campaigns of all tenants with a due and unpublished opening or closing. @param except campaigns to pass over */
  due(except: readonly string[]): Promise<Piece[]> {
    const opening = dueByClock(
      (now) => `${hasOpened(now)} AND NOT ouverture_annoncee`,
      'ouverture_du_vote_utc',
    );
    const closing = dueByClock((now) => `${hasEnded(now)} AND NOT fermeture_annoncee`);
    return this.transactions.query(OWN_CELL, {
      name: 'campagne_due',
      text: `(${opening}) UNION (${closing})`,
      values: [except],
    });
  }

  /** Campaigns of all tenants whose vote the clock has ended, and whose ballot box is not closed. @param except to pass over */
  dueBoxes(except: readonly string[]): Promise<Piece[]> {
    return this.transactions.query(OWN_CELL, {
      name: 'campagne_urne_due',
      text: dueByClock((now) => `${hasEnded(now)} AND NOT urne_close`),
      values: [except],
    });
  }

  /** Campaigns of a data space for which its clock makes something due, in the order of its dates; the next step of each. */
  async dueOf(tenantId: string): Promise<DueStep[]> {
    const opening = `${hasOpened()} AND NOT ouverture_annoncee`;
    const closing = `${hasEnded()} AND NOT (fermeture_annoncee AND urne_close)`;
    return this.transactions.query(
      { tenantId },
      {
        name: 'campagne_etapes',
        text: `SELECT id_unique AS id, CASE WHEN ${opening} OR ${closing} THEN 'dates'
                   WHEN chiffrement_du THEN 'dechiffrement' WHEN urne_scellee THEN 'dossier' ELSE 'scellement' END AS etape
               FROM campagne WHERE tenant_id = $1
                 AND (${opening} OR ${closing} OR urne_close AND NOT urne_scellee AND urne_anomalies IS NULL
                   OR chiffrement_du OR dossier_du)
               ORDER BY CASE WHEN ${opening} THEN ouverture_du_vote_utc ELSE fermeture_du_vote_utc END, id_unique`,
        values: [tenantId],
      },
    );
  }

  /** The first opening or closing of a data space after a date. @param until the latest date */
  async nextDate(tenantId: string, after: Date, until: Date): Promise<Date | undefined> {
    const [row] = await this.transactions.query<{ date: Date | null }>(
      { tenantId },
      {
        name: 'campagne_date_suivante',
        text: `SELECT min(d.date) AS date FROM campagne, unnest(ARRAY[ouverture_du_vote_utc, fermeture_du_vote_utc]) d (date)
               WHERE tenant_id = $1 AND publiee AND NOT urne_close AND d.date > $2 AND d.date <= $3`,
        values: [tenantId, after, until],
      },
    );
    return row?.date ?? undefined;
  }

  /**
   * The title is answered before the slug, whichever of the two PostgreSQL found first (docs/contract.md, "Campaigns").
   */
  private async unlessTaken(
    { tenantId, idUnique, titre }: Campagne,
    write: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await this.transactions.savepoint(write);
    } catch (error) {
      const taken = ['campagne_titre_key', 'campagne_slug_key'].some((key) =>
        violates(error, UNIQUE_VIOLATION, key),
      );
      if (!taken) throw error;
      const { rowCount } = await this.transactions.client().query(
        `SELECT FROM campagne WHERE tenant_id = $1 AND id_unique <> $2
           AND titre_compare = ${folded('$3::text')}`,
        [tenantId, idUnique, titre],
      );
      throw rowCount
        ? new DomainError(CAMPAGNE.NomDejaUtilise, TITLE_TAKEN)
        : new DomainError(CAMPAGNE.SlugDejaUtilise, SLUG_TAKEN);
    }
  }
}

const TITLE_TAKEN: Text = {
  en: 'A campaign has this title already: choose another one.',
  fr: fr('Une campagne a déjà ce titre : choisissez-en un autre.'),
};
const SLUG_TAKEN: Text = {
  en: 'A campaign has the slug of this title already: choose a title that differs in more than accents, signs and letters that are transliterated alike.',
  fr: fr(
    'Une campagne a déjà le `slug` de ce titre : choisissez un titre qui diffère par plus que des accents, des signes et des lettres translittérées de la même façon.',
  ),
};

/** The error for an unknown campaign. */
export function noCampagne(): DomainError {
  return new DomainError(CAMPAGNE.NotFound);
}
