-- Finds the API key of a hash (SHA-256 of the key's text). Returns one row, or none where no such key exists or it was
-- revoked; the caller then refuses the request. Every request calls it. `tools` is null for every role but `worker`.
--
-- It runs as the owner, because the tenant of a key is unknown until the key is found. It is the only query on keys
-- without a tenant. The policy api_key_of_hash lets it see only the row whose hash is in writ.key_hash, and it clears
-- that setting afterwards. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.authenticate_key(hash bytea)
RETURNS TABLE (api_key_id text, tenant_id text, role text, agent_id text, principal text, tools text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.key_hash', encode(hash, 'hex'), true);
  RETURN QUERY SELECT k.api_key_id, k.tenant_id, k.role, k.agent_id, k.principal, CASE WHEN k.role = 'worker' THEN k.tools END
    FROM orchestrator.api_key AS k WHERE k.key_hash = hash AND k.revoked_at IS NULL;
  PERFORM set_config('writ.key_hash', '', true);
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.authenticate_key(bytea) TO writ_orchestrator;
