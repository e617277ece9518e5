-- Tables whose writes are changes: what they are on the wire, and the columns that identify a row. Triggers write the feed
-- (docs/adr/0034), so no way of writing can leave it out. One statement that writes any number of rows adds their changes in one.
DO $$
DECLARE
  un record;
BEGIN
  FOR un IN SELECT * FROM (VALUES
    ('employe', $k$'Employe', 'id_externe'$k$),
    ('employeur', $k$'Employeur', 'id_externe'$k$),
    ('syndicat', $k$'Syndicat', 'id_externe'$k$),
    ('objet_consentement', $k$'ObjetConsentement', 'id_externe'$k$),
    ('emploi', $k$'Emploi', 'identifiant_externe', 'id_externe_employe'$k$),
    ('membership', $k$'Adhesion', 'syndicat_id_externe', 'id_externe_employe'$k$)
  ) written (nom, cles), (VALUES
    ('insert', 'NEW TABLE AS lignes'), ('update', 'OLD TABLE AS avant NEW TABLE AS lignes'), ('delete', 'OLD TABLE AS lignes')
  ) operations (operation, transition) LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER %s ON %I REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION changement_noter(%s)',
      'changement_' || un.operation, un.operation, un.nom, un.transition, un.cles);
  END LOOP;
END $$;
SELECT changement_mois();
