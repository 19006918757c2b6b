-- Reads contents of a tenant. Returns a row for each that is there: `bytes`, or `upload` for one in chunks, which
-- blobs.get_chunk reads. One that is not there has no row. The caller compares the bytes with the hash.
--
-- `hashes` has 32 bytes for each, end to end: an array of bytea would travel as text of twice the length. It sets the
-- tenant and reads in one round trip, with the rights of its caller. Raises no SQLSTATE of its own.
--
-- Each hash is asked for by itself, in a subquery with LIMIT 1. A lookup in the primary key is the only plan for that.
-- A new or a restored database has no statistics. There, the planner would read all contents of the tenant for each
-- list of hashes. It would keep that plan while the table grows (ADR 0083).
CREATE OR REPLACE FUNCTION blobs.get(tenant text, hashes bytea)
RETURNS TABLE (sha256 bytea, size bigint, bytes bytea, upload bytea) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT f.sha256, f.size, f.bytes, f.upload
    FROM generate_series(1, octet_length(hashes), 32) AS at
    CROSS JOIN LATERAL (SELECT b.sha256, b.size, b.bytes, b.upload FROM blobs.blob AS b
      WHERE b.tenant_id = tenant AND b.sha256 = substring(hashes FROM at FOR 32) LIMIT 1) AS f;
END $$;
GRANT EXECUTE ON FUNCTION blobs.get(text, bytea) TO writ_executor, writ_kernel, writ_orchestrator;
