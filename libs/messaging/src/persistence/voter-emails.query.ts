import { Injectable } from '@nestjs/common';
import { raisonOf } from './statut.sql';

/** The last email to a voter: ids of recipients are in the order of their creation. */
@Injectable()
export class VoterEmailsQuery {
  /** @returns SQL of the properties of a voter about it, for `VoterEmails` */
  columnsOf(votant: string) {
    // A tenant without emails to voters pays one look into the index for the whole list.
    const last = (column: string): string => `CASE WHEN (
        SELECT true FROM courriel_destinataire d WHERE d.tenant_id = $1 AND d.votant_id IS NOT NULL LIMIT 1
      ) THEN (SELECT ${column} FROM courriel_destinataire d
        WHERE d.tenant_id = $1 AND d.campagne_id = ${votant}.campagne_id AND d.votant_id = ${votant}.id_unique
        ORDER BY d.id_unique DESC LIMIT 1) END`;
    return {
      EtatCourriel: last('d.etat'),
      StatutCourriel: last('d.statut'),
      RaisonCourriel: last(raisonOf('d.statut')),
    };
  }
}
