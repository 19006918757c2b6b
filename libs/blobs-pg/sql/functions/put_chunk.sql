-- Puts chunk number `at` of an upload, from 0: `body` has 1 byte to 1 MiB. A chunk that is there is touched instead; if
-- a sweep takes it meanwhile, it is put anew. When it returns, the chunk is there. Returns nothing.
--
-- The upload is the hash of the content where that is known, so that a put of the same bytes continues one that broke
-- off. Otherwise it is 32 random bytes. Raises check_violation (23514) for other lengths; for the caller that is a bug.
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
GRANT EXECUTE ON FUNCTION blobs.put_chunk(text, bytea, integer, bytea) TO writ_executor, writ_kernel, writ_orchestrator;
