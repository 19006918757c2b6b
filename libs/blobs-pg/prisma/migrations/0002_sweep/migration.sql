-- What nothing names goes, but never what somebody has just put or was just told is there: both write the time, and what is taken was not written for two hours at the least.
-- INVARIANT (put, then named): between the put of a content, or the answer that it is there, and the transaction that names it lies less than that.

ALTER TABLE blobs.blob  ADD COLUMN touched_at timestamptz(3) NOT NULL DEFAULT now();
ALTER TABLE blobs.chunk ADD COLUMN touched_at timestamptz(3) NOT NULL DEFAULT now();
-- Which chunks belong to a blob; few blobs have any.
CREATE INDEX blob_by_upload ON blobs.blob (tenant_id, upload) WHERE upload IS NOT NULL;

-- Whoever puts may say that it was now, and nothing else.
CREATE POLICY blob_touch ON blobs.blob FOR UPDATE
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true) AND touched_at >= now() - interval '1 second');
CREATE POLICY chunk_touch ON blobs.chunk FOR UPDATE
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true) AND touched_at >= now() - interval '1 second');
CREATE POLICY blob_take ON blobs.blob FOR DELETE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true) AND touched_at < now() - interval '2 hours');
CREATE POLICY chunk_take ON blobs.chunk FOR DELETE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true) AND touched_at < now() - interval '2 hours');
GRANT UPDATE (touched_at) ON blobs.blob, blobs.chunk TO writ_orchestrator, writ_executor, writ_kernel;
GRANT DELETE ON blobs.blob, blobs.chunk TO writ_kernel;

-- Writes the time of those that have an old one, in the order of their hashes as everybody does. A sweep that has one of them waits, or has gone before.
CREATE FUNCTION blobs.touch(tenant text, hashes bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE blobs.blob AS b SET touched_at = now()
  FROM (SELECT o.sha256 FROM generate_series(1, octet_length(hashes), 32) AS at
        JOIN blobs.blob AS o ON o.tenant_id = tenant AND o.sha256 = substring(hashes FROM at FOR 32)
        WHERE o.touched_at < now() - interval '1 hour' ORDER BY o.sha256 FOR UPDATE OF o) AS old
  WHERE b.tenant_id = tenant AND b.sha256 = old.sha256;
END $$;

CREATE OR REPLACE FUNCTION blobs.put(tenant text, hashes bytea, sizes integer[], body bytea) RETURNS void LANGUAGE plpgsql AS $$
DECLARE new_rows integer; there integer;
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  LOOP
    INSERT INTO blobs.blob (tenant_id, sha256, size, bytes)
    SELECT tenant, substring(hashes FROM part.n * 32 - 31 FOR 32), part.size, substring(body FROM part.ends - part.size + 1 FOR part.size)
    FROM (SELECT n::integer, size, (sum(size) OVER (ORDER BY n))::integer AS ends FROM unnest(sizes) WITH ORDINALITY AS each (size, n)) AS part
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS new_rows = ROW_COUNT;
    EXIT WHEN new_rows = cardinality(sizes);
    -- Some were there. They are put as if they were new: a sweep that took one meanwhile makes it so.
    PERFORM blobs.touch(tenant, hashes);
    SELECT count(*) INTO there FROM generate_series(1, octet_length(hashes), 32) AS at JOIN blobs.blob AS b ON b.tenant_id = tenant AND b.sha256 = substring(hashes FROM at FOR 32);
    EXIT WHEN there = cardinality(sizes);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION blobs.put_chunk(tenant text, of_upload bytea, at integer, body bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  LOOP
    INSERT INTO blobs.chunk (tenant_id, upload, n, bytes) VALUES (tenant, of_upload, at, body) ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
    UPDATE blobs.chunk AS c SET touched_at = now() WHERE c.tenant_id = tenant AND c.upload = of_upload AND c.n = at;
    EXIT WHEN FOUND;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION blobs.put_chunked(tenant text, hash bytea, length bigint, of_upload bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  LOOP
    INSERT INTO blobs.blob (tenant_id, sha256, size, upload) VALUES (tenant, hash, length, of_upload) ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
    UPDATE blobs.blob AS b SET touched_at = now() WHERE b.tenant_id = tenant AND b.sha256 = hash;
    EXIT WHEN FOUND;
  END LOOP;
END $$;

-- Who is told that a content is there names it next.
CREATE OR REPLACE FUNCTION blobs.sizes(tenant text, hashes bytea) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  PERFORM blobs.touch(tenant, hashes);
  RETURN QUERY SELECT b.sha256, b.size
    FROM generate_series(1, octet_length(hashes), 32) AS at
    JOIN blobs.blob AS b ON b.tenant_id = tenant AND b.sha256 = substring(hashes FROM at FOR 32);
END $$;

-- Contents that were not touched since, by hash after `past`.
CREATE FUNCTION blobs.untouched(tenant text, since timestamptz, past bytea, most integer) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT b.sha256, b.size FROM blobs.blob AS b WHERE b.tenant_id = tenant AND b.sha256 > past AND b.touched_at < since ORDER BY b.sha256 LIMIT most;
END $$;

-- Takes those of the contents that are untouched still, and tells which.
CREATE FUNCTION blobs.take(tenant text, since timestamptz, hashes bytea) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY DELETE FROM blobs.blob AS b USING (
      SELECT o.sha256 FROM generate_series(1, octet_length(hashes), 32) AS at
      JOIN blobs.blob AS o ON o.tenant_id = tenant AND o.sha256 = substring(hashes FROM at FOR 32)
      WHERE o.touched_at < least(since, now() - interval '2 hours') ORDER BY o.sha256 FOR UPDATE OF o) AS old
    WHERE b.tenant_id = tenant AND b.sha256 = old.sha256 AND b.touched_at < least(since, now() - interval '2 hours')
    RETURNING b.sha256, b.size;
END $$;

-- Takes chunks that no blob names: of blobs that were taken, and of uploads that broke off.
CREATE FUNCTION blobs.take_chunks(tenant text, since timestamptz, most integer) RETURNS TABLE (chunks bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY WITH taken AS (
    DELETE FROM blobs.chunk AS c USING (
        SELECT o.upload, o.n FROM blobs.chunk AS o
        WHERE o.tenant_id = tenant AND o.touched_at < least(since, now() - interval '2 hours')
          AND NOT EXISTS (SELECT 1 FROM blobs.blob AS b WHERE b.tenant_id = tenant AND b.upload = o.upload)
        ORDER BY o.upload, o.n LIMIT most FOR UPDATE OF o) AS old
      WHERE c.tenant_id = tenant AND c.upload = old.upload AND c.n = old.n AND c.touched_at < least(since, now() - interval '2 hours')
      RETURNING 1)
    SELECT count(*) FROM taken;
END $$;

REVOKE ALL ON FUNCTION blobs.touch, blobs.untouched, blobs.take, blobs.take_chunks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION blobs.touch TO writ_orchestrator, writ_executor, writ_kernel;
GRANT EXECUTE ON FUNCTION blobs.untouched, blobs.take, blobs.take_chunks TO writ_kernel;
