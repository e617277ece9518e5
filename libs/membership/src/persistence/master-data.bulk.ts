import { Injectable } from '@nestjs/common';
import { BulkResult, BulkUpsert } from '#platform/bulk/bulk-upsert';
import { Transactions } from '#platform/database/transactions';
import { EMPLOYE_FIELDS } from '../domain/employe.fields';
import { EMPLOYEUR_FIELDS } from '../domain/employeur.fields';
import { withBoundedUnions } from './bounded-unions';
import { writeEmployeurV1 } from './emploi.sql';
import { notOurs } from './own-rows.sql';
import { fr } from '#platform/errors/text';
import { NAMES_NO } from '../domain/membership.errors';

/** Locks employers before employees, as the deletion of an employer does, because they could otherwise deadlock. */
const unknownEmployers = (stage: string): string => `
  SELECT s.n, s.identifiant_externe_employeur AS reference FROM ${stage} s
  WHERE s.identifiant_externe_employeur IS NOT NULL AND NOT EXISTS (
    SELECT FROM (
      SELECT e.id_externe FROM employeur e
      WHERE e.tenant_id = $1 AND e.id_externe IN (SELECT identifiant_externe_employeur FROM ${stage})
      ORDER BY e.id_externe FOR KEY SHARE
    ) locked WHERE locked.id_externe = s.identifiant_externe_employeur
  )`;

export const EMPLOYEURS_V1 = new BulkUpsert('employeur', EMPLOYEUR_FIELDS, { list: 'employeurs' });
export const EMPLOYES_V1 = new BulkUpsert('employe', EMPLOYE_FIELDS, {
  list: 'employes',
  references: {
    select: unknownEmployers,
    fault: (reference) => ({
      en: `identifiantExterneEmployeur ${NAMES_NO.employeur.en}: ${reference}`,
      fr: fr`identifiantExterneEmployeur ${NAMES_NO.employeur.fr} : ${reference}`,
    }),
  },
  overrides: {
    identifiant_externe_employeur: (sent) => `CASE WHEN t.a_emplois THEN NULL ELSE ${sent} END`,
  },
  then: (stage, has) =>
    writeEmployeurV1(
      `SELECT s.id_externe, s.identifiant_externe_employeur AS employeur FROM ${stage} s
       WHERE ${has('identifiantExterneEmployeur')}`,
      `e.${notOurs(stage)}`,
    ),
});

/** Upserts of many employers or employees as V1 writes them, in the ambient transaction. */
@Injectable()
export class MasterDataBulk {
  constructor(private readonly transactions: Transactions) {}

  upsertEmployeurs(tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    return withBoundedUnions(() => EMPLOYEURS_V1.run(this.transactions.client(), tenantId, records));
  }

  upsertEmployes(tenantId: string, records: Iterable<unknown>): Promise<BulkResult> {
    return EMPLOYES_V1.run(this.transactions.client(), tenantId, records);
  }
}
