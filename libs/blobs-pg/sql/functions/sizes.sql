-- Returns hash and size of those contents that are there, and touches them: whoever is told that a content is there
-- names it next, so garbage collection must not take it meanwhile (put, then named).
--
-- `hashes`: see blobs.get, as for the lookup of each hash by itself. Callers need not sort them: where two wait for
-- each other in a circle, PostgreSQL ends one with deadlock_detected (40P01), and its caller runs it again.
CREATE OR REPLACE FUNCTION blobs.sizes(tenant text, hashes bytea) RETURNS TABLE (sha256 bytea, size bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  PERFORM blobs.touch(tenant, hashes);
  RETURN QUERY SELECT f.sha256, f.size
    FROM generate_series(1, octet_length(hashes), 32) AS at
    CROSS JOIN LATERAL (SELECT b.sha256, b.size FROM blobs.blob AS b
      WHERE b.tenant_id = tenant AND b.sha256 = substring(hashes FROM at FOR 32) LIMIT 1) AS f;
END $$;
GRANT EXECUTE ON FUNCTION blobs.sizes(text, bytea) TO writ_executor, writ_kernel, writ_orchestrator;
