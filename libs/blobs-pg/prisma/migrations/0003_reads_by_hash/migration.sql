-- Contents are found by their hashes, one by one. Without statistics, as on a new database or a restored one, the planner takes a
-- tenant for a few rows, reads all that it has for each list of hashes, and keeps that plan while the table grows (ADR 0083): laying
-- out 20,000 files read a hundred million rows. A subquery with a limit is asked for each hash by itself, whatever the statistics say.

CREATE OR REPLACE FUNCTION blobs.get(tenant text, hashes bytea)
RETURNS TABLE (sha256 bytea, size bigint, bytes bytea, upload bytea) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT f.sha256, f.size, f.bytes, f.upload
    FROM generate_series(1, octet_length(hashes), 32) AS at
    CROSS JOIN LATERAL (SELECT b.sha256, b.size, b.bytes, b.upload FROM blobs.blob AS b
      WHERE b.tenant_id = tenant AND b.sha256 = substring(hashes FROM at FOR 32) LIMIT 1) AS f;
END $$;

CREATE OR REPLACE FUNCTION blobs.sizes(tenant text, hashes bytea) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  PERFORM blobs.touch(tenant, hashes);
  RETURN QUERY SELECT f.sha256, f.size
    FROM generate_series(1, octet_length(hashes), 32) AS at
    CROSS JOIN LATERAL (SELECT b.sha256, b.size FROM blobs.blob AS b
      WHERE b.tenant_id = tenant AND b.sha256 = substring(hashes FROM at FOR 32) LIMIT 1) AS f;
END $$;

-- Rows are locked in the order of the hashes, which callers sort, and changed where they were found.
CREATE OR REPLACE FUNCTION blobs.touch(tenant text, hashes bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE blobs.blob AS b SET touched_at = now()
  WHERE b.ctid = ANY (ARRAY(
    SELECT f.place FROM generate_series(1, octet_length(hashes), 32) AS at
    CROSS JOIN LATERAL (SELECT o.ctid AS place FROM blobs.blob AS o
      WHERE o.tenant_id = tenant AND o.sha256 = substring(hashes FROM at FOR 32) AND o.touched_at < now() - interval '1 hour'
      LIMIT 1 FOR UPDATE) AS f));
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
    SELECT count(*) INTO there FROM generate_series(1, octet_length(hashes), 32) AS at
      CROSS JOIN LATERAL (SELECT 1 FROM blobs.blob AS b WHERE b.tenant_id = tenant AND b.sha256 = substring(hashes FROM at FOR 32) LIMIT 1) AS f;
    EXIT WHEN there = cardinality(sizes);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION blobs.take(tenant text, since timestamptz, hashes bytea) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY DELETE FROM blobs.blob AS b
    WHERE b.ctid = ANY (ARRAY(
      SELECT f.place FROM generate_series(1, octet_length(hashes), 32) AS at
      CROSS JOIN LATERAL (SELECT o.ctid AS place FROM blobs.blob AS o
        WHERE o.tenant_id = tenant AND o.sha256 = substring(hashes FROM at FOR 32) AND o.touched_at < least(since, now() - interval '2 hours')
        LIMIT 1 FOR UPDATE) AS f))
      AND b.touched_at < least(since, now() - interval '2 hours')
    RETURNING b.sha256, b.size;
END $$;
