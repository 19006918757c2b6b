-- Puts contents of up to 1 MiB each. When it returns, all of them are there and touched. Returns nothing.
--
-- `hashes` has 32 bytes for each, `sizes` their lengths, and `body` the contents end to end, all in the same order.
-- Callers MUST sort by hash and name each hash once. Then two who put the same contents wait for each other instead of
-- deadlocking.
--
-- Contents that were there are touched as if they were new. A sweep may take one of them meanwhile: then there are
-- fewer than were put, and it begins again.
--
-- Raises check_violation (23514, blob_matches_hash) where bytes are not those of their hash; for the caller that is a
-- bug.
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
GRANT EXECUTE ON FUNCTION blobs.put(text, bytea, integer[], bytea) TO writ_executor, writ_kernel, writ_orchestrator;
