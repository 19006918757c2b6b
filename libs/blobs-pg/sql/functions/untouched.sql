-- Returns up to `most` contents of a tenant that nobody put, or was told are there, since `since`: `touched_at`, which
-- lags by up to an hour, is an hour older. They come in the order of their
-- hashes, from the one after `past`; empty bytes begin with the first. The kernel's garbage collection reads its
-- candidates with it, page by page.
CREATE OR REPLACE FUNCTION blobs.untouched(tenant text, since timestamptz, past bytea, most integer) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT b.sha256, b.size FROM blobs.blob AS b WHERE b.tenant_id = tenant AND b.sha256 > past AND b.touched_at < since - interval '1 hour' ORDER BY b.sha256 LIMIT most;
END $$;
GRANT EXECUTE ON FUNCTION blobs.untouched(text, timestamp with time zone, bytea, integer) TO writ_kernel;
