import { Injectable } from '@nestjs/common';
import { EMPLOYES } from '#membership/relations';
import { LargeItems } from '#platform/database/large-items';
import { JsonItems, type Page, type Position, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { VOTANTS } from '#voting/relations';
import { raisonOf } from './statut.sql';
import { COMPTES, type EtatDestinataire } from '../domain/courriel.types';

/** Counts of all states, including those with 0 recipients. */
const ETATS = Object.entries(COMPTES)
  .map(([etat, name]) => `coalesce(sum(g.count) FILTER (WHERE g.etat = '${etat}'), 0) AS "${name}"`)
  .join(', ');

/** Emails and their recipients as JSON text. */
@Injectable()
export class CourrielQuery {
  /** Reading one counts its recipients, who may be 100,000. */
  private readonly courriels: LargeItems;
  private readonly destinataires: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.courriels = new LargeItems(transactions, {
      name: 'courriel',
      table: 'courriel',
      key: 'id_unique',
      columns: {
        id: 'id_unique',
        sujet: 'sujet',
        dateCreation: wireTimestamp('date_creation'),
        nombreDestinataires: 'nombre_destinataires',
        etats: `(SELECT row_to_json(o) FROM (SELECT ${ETATS} FROM (
          SELECT d.etat, count(*) AS count FROM courriel_destinataire d
          WHERE d.tenant_id = $1 AND d.courriel_id = courriel.id_unique GROUP BY d.etat
        ) g) o)`,
      },
    });
    this.destinataires = new JsonItems(transactions, {
      name: 'courriel_destinataire',
      table: 'courriel_destinataire',
      key: 'id_unique',
      order: { by: 'ordre', isNumber: true },
      columns: {
        idExterne: `coalesce(
          (SELECT e.id_externe FROM ${EMPLOYES} e WHERE e.tenant_id = $1 AND e.id_unique = courriel_destinataire.employe_id),
          (SELECT v.employe_id_externe FROM ${VOTANTS} v
           WHERE v.tenant_id = $1 AND v.campagne_id = courriel_destinataire.campagne_id
             AND v.id_unique = courriel_destinataire.votant_id))`,
        votantId: 'votant_id',
        etat: 'etat',
        codeSmtp: 'code_smtp',
        statut: 'statut',
        raison: raisonOf('statut'),
        date: wireTimestamp('date'),
      },
    });
  }

  one(tenantId: string, id: string): Promise<string | undefined> {
    return this.courriels.one(tenantId, id);
  }

  /** Returns whether the recipients are voters or employees; undefined if there is no such email. */
  async audience(tenantId: string, id: string): Promise<'votants' | 'employes' | undefined> {
    const rows = await this.transactions.query<{ audience: 'votants' | 'employes' }>(
      { tenantId },
      {
        name: 'courriel_audience',
        text: `SELECT CASE WHEN cible IS NULL THEN 'employes' ELSE 'votants' END AS audience
               FROM courriel WHERE tenant_id = $1 AND id_unique = $2`,
        values: [tenantId, id],
      },
    );
    return rows[0]?.audience;
  }

  page(
    tenantId: string,
    courrielId: string,
    etat: EtatDestinataire | null | undefined,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.destinataires.page(tenantId, after, limit, [
      { sql: 'courriel_id = ?', value: courrielId },
      { sql: 'etat = ?', value: etat },
    ]);
  }
}
