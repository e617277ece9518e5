import { Injectable } from '@nestjs/common';
import { jsonMembers, jsonScalars } from '#platform/database/json-items';
import { raisonOf } from './statut.sql';

/** The last email to a voter: ids of recipients are in the order of their creation. */
@Injectable()
export class VoterEmailsQuery {
  /**
   * Returns the SQL of a voter's members about the last email, for `VoterEmails`. A tenant without emails to voters needs one index
   * look-up for a whole list. One subquery returns all members, because PostgreSQL plans each subquery again for many lists.
   */
  membersOf(votant: string): string {
    const members = jsonScalars({
      EtatCourriel: 'd.etat',
      StatutCourriel: 'd.statut',
      RaisonCourriel: raisonOf('d.statut'),
    });
    return `CASE WHEN (
        SELECT true FROM courriel_destinataire d WHERE d.tenant_id = $1 AND d.votant_id IS NOT NULL LIMIT 1
      ) THEN (SELECT ${jsonMembers(members)} FROM courriel_destinataire d
        WHERE d.tenant_id = $1 AND d.campagne_id = ${votant}.campagne_id AND d.votant_id = ${votant}.id_unique
        ORDER BY d.id_unique DESC LIMIT 1) END`;
  }
}
