-- Registers an empty store. It is fine if one of that id exists with the same definition; with another one it raises
-- info_store_differs (WR034). model, dims: both null for a store without vectors. Where the database has an index for
-- vectors of that length, the store uses it. Sets the tenant, and runs with the
-- rights of its caller, also in an open transaction.
CREATE OR REPLACE FUNCTION info_store.register_store(tenant text, store text, lang text, model text, dims integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  INSERT INTO info_store.store (tenant_id, store_id, language, model, dimensions, is_indexed)
    VALUES (tenant, store, lang, register_store.model, dims, coalesce(to_regclass('info_store.chunk_vector_' || dims) IS NOT NULL, false))
    ON CONFLICT (tenant_id, store_id) WHERE removed_at IS NULL DO NOTHING;
  IF FOUND THEN RETURN; END IF;
  PERFORM FROM info_store.store AS s WHERE s.tenant_id = tenant AND s.store_id = store AND s.removed_at IS NULL
    AND s.language = lang AND s.model IS NOT DISTINCT FROM register_store.model AND s.dimensions IS NOT DISTINCT FROM dims;
  IF NOT FOUND THEN RAISE EXCEPTION 'the store has another definition' USING ERRCODE = 'WR034'; END IF;
END $$;
GRANT EXECUTE ON FUNCTION info_store.register_store(text, text, text, text, integer) TO writ_kernel;
