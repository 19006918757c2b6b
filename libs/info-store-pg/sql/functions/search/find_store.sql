-- Returns the store of that id and its figures, or no row. Everybody begins with it. It sets the tenant of the
-- transaction, and runs with the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.find_store(tenant text, store text)
RETURNS TABLE (store_key bigint, language text, model text, dimensions integer, is_indexed boolean, version bigint, documents bigint, chunks bigint)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT s.store_key, s.language, s.model, s.dimensions, s.is_indexed, s.version, s.documents, s.chunks
    FROM info_store.store AS s WHERE s.tenant_id = tenant AND s.store_id = store AND s.removed_at IS NULL;
END $$;
GRANT EXECUTE ON FUNCTION info_store.find_store(text, text) TO writ_executor, writ_kernel;
