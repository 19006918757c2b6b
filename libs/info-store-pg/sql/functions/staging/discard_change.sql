-- Discards a change, so that nobody can publish it: info_store.sweep takes its rows. A published one stays. Returns
-- nothing. Executor and kernel call it, also in an open transaction. Sets the tenant, and runs with the rights of its
-- caller.
CREATE OR REPLACE FUNCTION info_store.discard_change(tenant text, change text) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  UPDATE info_store.change AS c SET is_discarded = true
    WHERE c.tenant_id = tenant AND c.change_id = change AND c.published_version IS NULL AND NOT c.is_discarded;
END $$;
GRANT EXECUTE ON FUNCTION info_store.discard_change(text, text) TO writ_executor, writ_kernel;
