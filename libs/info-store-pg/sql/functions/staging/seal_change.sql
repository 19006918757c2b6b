-- Seals a change after its last row: it can be published now. Returns whether it was there and neither sealed nor
-- discarded. Sets the tenant, and runs with the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.seal_change(tenant text, change text) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  UPDATE info_store.change AS c SET sealed_at = now()
    WHERE c.tenant_id = tenant AND c.change_id = change AND c.sealed_at IS NULL AND NOT c.is_discarded;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION info_store.seal_change(text, text) TO writ_executor;
