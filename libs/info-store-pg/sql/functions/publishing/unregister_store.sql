-- Removes a store with all of its documents, by one row: info_store.sweep takes the others. Returns whether there was
-- one. Sets the tenant, and runs with the rights of its caller, also in an open transaction.
CREATE OR REPLACE FUNCTION info_store.unregister_store(tenant text, store text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  UPDATE info_store.store AS s SET removed_at = now() WHERE s.tenant_id = tenant AND s.store_id = store AND s.removed_at IS NULL;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION info_store.unregister_store(text, text) TO writ_kernel;
