-- For processes of the version before scopes of keys; others call orchestrator.authenticate_caller.
--
-- Finds the API key of a hash (SHA-256 of the key's text). Returns one row, or none where no such key exists, it was
-- revoked or it has expired; the caller then refuses the request. `tools` is null for every role but `worker`. These
-- processes know no scopes and no bound credentials, so this function returns no key that has either.
--
-- It runs as the owner, as orchestrator.authenticate_caller does. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.authenticate_key(hash bytea)
RETURNS TABLE (api_key_id text, tenant_id text, role text, agent_id text, principal text, tools text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT k.api_key_id, k.tenant_id, k.role, k.agent_id, k.principal, k.tools
    FROM orchestrator.authenticate_caller(hash) AS k WHERE k.scopes = '{}' AND k.bound_token IS NULL;
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.authenticate_key(bytea) TO writ_orchestrator;
