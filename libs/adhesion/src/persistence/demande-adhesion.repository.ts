import { Injectable } from '@nestjs/common';
import { PERSONNE_FIELDS } from '#membership/vocabulary';
import { type FetchPage, itemColumns, JsonItems, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import type { AsSigned } from '../domain/as-signed';
import type { StatutDemande } from '../domain/conciliation.fields';
import { DemandeAdhesion } from '../domain/demande-adhesion.entity';
import { LIST_STATE, syndicatNom } from '#membership/relations';
import { insertSigned } from './as-signed.sql';

/** Data of a request beside the signed data. */
export interface NewDemande {
  /** Given by the service if absent. */
  readonly id?: string | undefined;
  /** The identifier as sent. No employee has it. */
  readonly employeIdExterne: string | null;
  /** Custom values in V1's flat shape. */
  readonly valeursV1: readonly object[];
  readonly reponses: readonly { objetConsentementIdExterne: string; accepte: boolean }[];
}

/** Membership requests, waiting or decided. */
@Injectable()
export class DemandeAdhesionRepository {
  private readonly items: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'demande_adhesion_v2',
      table: 'demande_adhesion',
      state: LIST_STATE,
      key: 'id_unique',
      columns: {
        demandeId: 'id_unique',
        statut: 'statut',
        dateSignature: wireTimestamp('date_signature'),
        transactionId: 'transaction_id',
        aSignatureManuscripte: 'a_signature_manuscrite',
        syndicatIdExterne: 'syndicat_id_externe',
        syndicatNom: syndicatNom('demande_adhesion.syndicat_id_externe'),
        employeIdExterne: 'employe_id_externe_envoye',
        ...itemColumns(PERSONNE_FIELDS),
        valeursChampUtilisateur: 'valeurs_champ',
        dateCreation: wireTimestamp('date_creation'),
        dateDecision: wireTimestamp('date_decision'),
        raison: 'raison',
        idExterne: 'id_externe_employe',
        adhesionId: 'adhesion_id',
      },
    });
  }

  one(tenantId: string, id: string): Promise<string | undefined> {
    return this.items.one(tenantId, id);
  }

  list(tenantId: string, statut: StatutDemande): FetchPage {
    return this.items.pages(tenantId, [{ sql: 'statut = ?', value: statut }]);
  }

  /** Adds a request in the ambient transaction. Returns its id. */
  async insert(tenantId: string, signed: AsSigned, demande: NewDemande): Promise<string> {
    const { text, values } = insertSigned('demande_adhesion', signed, {
      tenant_id: tenantId,
      employe_id_externe_envoye: demande.employeIdExterne,
      valeurs_champ_v1: JSON.stringify(demande.valeursV1),
      ...(demande.id === undefined ? {} : { id_unique: demande.id }),
    });
    const client = this.transactions.client();
    const { rows } = await client.query<{ id: string }>(text, values);
    const { id } = rows[0]!;
    await client.query(
      `INSERT INTO consentement_demande (tenant_id, demande_id, id_externe_objet, accepte)
       SELECT $1::uuid, $2::uuid, sent.* FROM unnest($3::text[], $4::boolean[]) sent`,
      [
        tenantId,
        id,
        demande.reponses.map(({ objetConsentementIdExterne }) => objetConsentementIdExterne),
        demande.reponses.map(({ accepte }) => accepte),
      ],
    );
    return id;
  }

  /** The request, locked until the transaction ends. */
  lock(tenantId: string, idUnique: string): Promise<DemandeAdhesion | null> {
    return this.transactions
      .manager()
      .findOne(DemandeAdhesion, { where: { tenantId, idUnique }, lock: { mode: 'pessimistic_write' } });
  }

  /** Returns the answers to the form's consents. */
  async reponses(tenantId: string, id: string): Promise<NewDemande['reponses'][number][]> {
    const { rows } = await this.transactions.client().query<NewDemande['reponses'][number]>(
      `SELECT id_externe_objet AS "objetConsentementIdExterne", accepte FROM consentement_demande
       WHERE tenant_id = $1 AND demande_id = $2 ORDER BY id_externe_objet`,
      [tenantId, id],
    );
    return rows;
  }

  /** Writes the decision. */
  async decide(demande: DemandeAdhesion): Promise<void> {
    const { tenantId, idUnique, statut, raison, idExterneEmploye, adhesionId, dateDecision } = demande;
    await this.transactions
      .manager()
      .update(
        DemandeAdhesion,
        { tenantId, idUnique },
        { statut, raison, idExterneEmploye, adhesionId, dateDecision },
      );
  }
}
