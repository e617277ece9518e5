/**
 * SQL after `FROM votant v`: the reasons that the roll keeps for a voter, whatever has changed in the master data since, as rows `p`. Those
 * with `compte` hold. A list never changes, so its criteria, and what it wrote into the voter's row, are what it found.
 */
export const ENROLMENT_MOTIFS = `
  LEFT JOIN liste_electorale l ON l.tenant_id = v.tenant_id AND l.campagne_id = v.campagne_id AND l.id_unique = v.liste_electorale_id
  CROSS JOIN LATERAL (VALUES
    (1, 'InscritManuellement', NULL, v.liste_electorale_id IS NULL, NULL, NULL),
    (2, 'AdhesionActive', 'SyndicatsIdExternes', l.syndicats IS NOT NULL, v.syndicat_id_externe, v.adhesion_debut),
    (3, 'EmploiActif', 'EmployeursIdentifiantsExternes', l.employeurs IS NOT NULL, v.employeur_identifiant_externe, v.emploi_debut),
    (4, 'EmployeNomme', 'EmployesIdExternes', l.employes IS NOT NULL, NULL, NULL),
    -- Without a named union or employer, the list looked for any of them.
    (5, CASE WHEN v.syndicat_id_externe IS NOT NULL THEN 'AdhesionActive' WHEN v.employeur_identifiant_externe IS NOT NULL THEN 'EmploiActif'
      ELSE 'SansEmploi' END, 'EmployesIdExternes', l.id_unique IS NOT NULL AND l.syndicats IS NULL AND l.employeurs IS NULL,
      coalesce(v.syndicat_id_externe, v.employeur_identifiant_externe),
      CASE WHEN v.syndicat_id_externe IS NOT NULL THEN v.adhesion_debut ELSE v.emploi_debut END),
    (6, 'DroitRetire', NULL, NOT v.a_droit_de_vote, NULL, NULL)
  ) p (place, code, champ, compte, reference, depuis)`;
