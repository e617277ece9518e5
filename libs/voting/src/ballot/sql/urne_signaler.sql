-- Notes whether the log of receipts differs from a signed checkpoint, as an anomaly of the box. Returns whether that is
-- new. The service computes the log (ReceiptLog). The anomaly hides the result and prevents the sealing.
CREATE OR REPLACE FUNCTION urne_signaler(campagne uuid, differe boolean)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  UPDATE campagne c
  SET urne_anomalies = CASE WHEN $2 THEN coalesce(c.urne_anomalies, '{}') || '{engagements}'
    ELSE nullif(array_remove(c.urne_anomalies, 'engagements'), '{}') END
  WHERE c.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND c.id_unique = $1
    AND NOT c.urne_scellee AND (coalesce(c.urne_anomalies, '{}') @> '{engagements}') <> $2;
  RETURN FOUND;
END
$$;
