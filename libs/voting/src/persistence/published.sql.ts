/** Voters, with the columns that statements of other contexts may name. */
export const VOTANTS = `(SELECT tenant_id, campagne_id, id_unique, courriel, employe_id_externe, a_droit_de_vote, a_vote
  FROM votant)`;
