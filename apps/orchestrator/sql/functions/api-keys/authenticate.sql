-- Finds the API key of a hash (SHA-256 of the key's text). Returns one row, or none where there is no such key or it
-- was revoked; the caller refuses the request then. Every request asks it.
--
-- It runs as the owner, because the tenant of a key is unknown until the key is found. It is the one question about
-- keys that no tenant asks. The policy api_key_of_hash shows it the row of the hash in writ.key_hash alone, and it
-- empties that setting again. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.authenticate(hash bytea)
RETURNS TABLE (api_key_id text, tenant_id text, role text, agent_id text, principal text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.key_hash', encode(hash, 'hex'), true);
  RETURN QUERY SELECT k.api_key_id, k.tenant_id, k.role, k.agent_id, k.principal
    FROM orchestrator.api_key AS k WHERE k.key_hash = hash AND k.revoked_at IS NULL;
  PERFORM set_config('writ.key_hash', '', true);
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.authenticate(bytea) TO writ_orchestrator;
