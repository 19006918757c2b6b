-- Reads one chunk: number `at` of an upload, from 0. Returns no row where it is not there; the caller then takes the
-- content for corrupt. It runs with the rights of its caller.
CREATE OR REPLACE FUNCTION blobs.get_chunk(tenant text, of_upload bytea, at integer) RETURNS TABLE (bytes bytea) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT c.bytes FROM blobs.chunk AS c WHERE c.tenant_id = tenant AND c.upload = of_upload AND c.n = at;
END $$;
GRANT EXECUTE ON FUNCTION blobs.get_chunk(text, bytea, integer) TO writ_executor, writ_kernel, writ_orchestrator;
