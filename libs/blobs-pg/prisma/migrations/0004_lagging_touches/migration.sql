-- A put, and the answer that a content is there, renew touched_at only where it is more than an hour old. So what was spoken of an hour and a minute ago looked two hours
-- old, and was taken before the two hours had passed within which it may be named. What is taken is an hour older now than the time that was asked for.
DROP POLICY blob_take ON blobs.blob;
CREATE POLICY blob_take ON blobs.blob FOR DELETE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true) AND touched_at < now() - interval '3 hours');
DROP POLICY chunk_take ON blobs.chunk;
CREATE POLICY chunk_take ON blobs.chunk FOR DELETE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true) AND touched_at < now() - interval '3 hours');
CREATE OR REPLACE FUNCTION blobs.untouched(tenant text, since timestamptz, past bytea, most integer) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT b.sha256, b.size FROM blobs.blob AS b WHERE b.tenant_id = tenant AND b.sha256 > past AND b.touched_at < since - interval '1 hour' ORDER BY b.sha256 LIMIT most;
END $$;
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
