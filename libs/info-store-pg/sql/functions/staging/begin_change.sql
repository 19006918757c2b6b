-- Begins a change of a store. Callers stage its documents next, and seal it (info_store.stage_document,
-- info_store.stage_chunks, info_store.seal_change). store: its key, of info_store.find_store. change: 128 random bits.
-- digest: what info_store.publish compares. Sets the tenant, and runs with the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.begin_change(tenant text, store bigint, operation text, change text, digest bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  INSERT INTO info_store.change (tenant_id, change_id, store_key, operation_id, digest) VALUES (tenant, change, store, operation, digest);
END $$;
GRANT EXECUTE ON FUNCTION info_store.begin_change(text, bigint, text, text, bytea) TO writ_executor;
