-- Makes a content of chunks visible, after blobs.put_chunk has put all of them. Where the content is there, it is
-- touched instead, and the new chunks stay unnamed if they are of another upload. If a sweep takes it meanwhile, it is
-- put anew. When it returns, the content is there. Returns nothing. The database cannot compare chunks with the hash:
-- readers do.
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
GRANT EXECUTE ON FUNCTION blobs.put_chunked(text, bytea, bigint, bytea) TO writ_executor, writ_kernel, writ_orchestrator;
