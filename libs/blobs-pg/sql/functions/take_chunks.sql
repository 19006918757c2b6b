-- Removes up to `most` chunks that no content names: those of contents that were taken, and those of uploads that broke
-- off. Only chunks go that nobody put since `since`, nor within the last two hours; `touched_at` lags by up to an hour, so
-- it must be an hour older than that. Returns how many went. The
-- kernel's garbage collection calls it until fewer than `most` go.
CREATE OR REPLACE FUNCTION blobs.take_chunks(tenant text, since timestamptz, most integer) RETURNS TABLE (chunks bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY WITH taken AS (
    DELETE FROM blobs.chunk AS c USING (
        SELECT o.upload, o.n FROM blobs.chunk AS o
        WHERE o.tenant_id = tenant AND o.touched_at < least(since, now() - interval '2 hours') - interval '1 hour'
          AND NOT EXISTS (SELECT 1 FROM blobs.blob AS b WHERE b.tenant_id = tenant AND b.upload = o.upload)
        ORDER BY o.upload, o.n LIMIT most FOR UPDATE OF o) AS old
      WHERE c.tenant_id = tenant AND c.upload = old.upload AND c.n = old.n AND c.touched_at < least(since, now() - interval '2 hours') - interval '1 hour'
      RETURNING 1)
    SELECT count(*) FROM taken;
END $$;
GRANT EXECUTE ON FUNCTION blobs.take_chunks(text, timestamp with time zone, integer) TO writ_kernel;
