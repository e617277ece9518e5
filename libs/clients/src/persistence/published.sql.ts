/** Clocks of rehearsals, of all data spaces: how far each is ahead (docs/adr/0058). */
export const HORLOGES = `(SELECT tenant_id, decalage FROM horloge_essai)`;

/** Settings of a tenant, with the columns that statements of other contexts may name. */
export const REGLAGES = `(SELECT tenant_id, nom, environnement, adresse_de_reponse, quota_courriels_par_jour, seuil_anonymat,
  resultats_vote_actif_visibles, courriels_essai, suspendu, repris_le, contact_technique, freins FROM reglage)`;
