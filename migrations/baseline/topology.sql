-- The closure of a data space against writes while it moves (docs/adr/0039).
CREATE TABLE espace_ferme (
  tenant_id uuid PRIMARY KEY,
  jusqua timestamptz NOT NULL
);
COMMENT ON TABLE espace_ferme IS 'Data spaces that this cell refuses to write until a moment; for ever once they have left it';
-- A read of it costs 2 µs, one of the table 30 µs, and writes of a cell that no space has left need only this one. It has no
-- snapshot: a transaction that got its lock sees a closure that was made before the mover released or lost its own.
CREATE SEQUENCE espace_ferme_existe;
COMMENT ON SEQUENCE espace_ferme_existe IS 'Has a value as soon as espace_ferme has had a row';
CREATE POLICY espace_ferme_administration ON espace_ferme FOR SELECT TO mandat_access
  USING (true);

-- The position of the log after the last write of each space, for reads from standbys (docs/adr/0040). Unlogged: a position
-- is of no use after a crash, and storing it must not wait for the disk.
CREATE UNLOGGED TABLE derniere_ecriture (
  espace uuid PRIMARY KEY,
  position pg_lsn NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON derniere_ecriture TO mandat_access;
GRANT SELECT ON espace_ferme TO mandat_app, mandat_access;
GRANT SELECT ON SEQUENCE espace_ferme_existe TO mandat_app, mandat_access;
