-- Removes those of the contents that are still untouched: nobody put them, or was told that they are there, since
-- `since`, nor within the last two hours. `touched_at` lags by up to an hour, so it must be an hour older than that.
-- Returns hash and size of each that it removed. The kernel's garbage collection calls it, for contents that nothing
-- names; it has recorded them before.
--
-- `hashes`: see blobs.get, as for the lookup of each hash by itself. Rows are locked in their order, see blobs.touch.
-- The condition is checked again on the row as it is then, because somebody may have touched it while this waited.
--
-- The policy blob_take has the same limit, three hours in all, so that a wrong `since` takes nothing that is newer.
CREATE OR REPLACE FUNCTION blobs.take(tenant text, since timestamptz, hashes bytea) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY DELETE FROM blobs.blob AS b
    WHERE b.ctid = ANY (ARRAY(
      SELECT f.place FROM generate_series(1, octet_length(hashes), 32) AS at
      CROSS JOIN LATERAL (SELECT o.ctid AS place FROM blobs.blob AS o
        WHERE o.tenant_id = tenant AND o.sha256 = substring(hashes FROM at FOR 32) AND o.touched_at < least(since, now() - interval '2 hours') - interval '1 hour'
        LIMIT 1 FOR UPDATE) AS f))
      AND b.touched_at < least(since, now() - interval '2 hours') - interval '1 hour'
    RETURNING b.sha256, b.size;
END $$;
GRANT EXECUTE ON FUNCTION blobs.take(text, timestamp with time zone, bytea) TO writ_kernel;
