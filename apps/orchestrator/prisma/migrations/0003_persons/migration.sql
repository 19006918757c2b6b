-- The person behind a key, as approvals count people: all keys with one name are one person. Fixed when the key is made, as everything but its end is.

ALTER TABLE orchestrator.api_key ADD COLUMN principal text COLLATE "C" CHECK (principal <> '');

DROP FUNCTION orchestrator.authenticate(bytea);
-- The key of that hash, unless it was revoked: the only question about keys that no tenant asks.
CREATE FUNCTION orchestrator.authenticate(hash bytea)
RETURNS TABLE (api_key_id text, tenant_id text, role text, agent_id text, principal text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.key_hash', encode(hash, 'hex'), true);
  RETURN QUERY SELECT k.api_key_id, k.tenant_id, k.role, k.agent_id, k.principal
    FROM orchestrator.api_key AS k WHERE k.key_hash = hash AND k.revoked_at IS NULL;
  PERFORM set_config('writ.key_hash', '', true);
END $$;

REVOKE ALL ON FUNCTION orchestrator.authenticate(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.authenticate(bytea) TO writ_orchestrator;
