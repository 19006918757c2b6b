-- Finds the API key of a hash (SHA-256 of the key's text). Returns one row, or none where no such key exists, it was
-- revoked, it has expired, or its member isn't active; the caller then refuses the request. Every request calls it.
--
-- `tools` is null for every role but `worker`. `is_former`: a rotation replaced this text. `expires_at` is the end of
-- what was presented: of the key, or of the former text where that comes first. A credential that was exchanged
-- (`bound_token`) isn't found once the key that it was exchanged for is revoked or has expired. One that was made before
-- the last rotation of that key isn't found once the secrets of before that rotation have ended.
--
-- It runs as the owner, because the tenant of a key is unknown until the key is found. It is the only query on keys
-- without a tenant. Policies let it see only the rows of the hash and of the id that it sets, and it clears both
-- afterwards. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.authenticate_caller(hash bytea)
RETURNS TABLE (api_key_id text, tenant_id text, role text, agent_id text, principal text, tools text[], scopes text[],
  expires_at bigint, is_former boolean, bound_token text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_key orchestrator.api_key;
  v_former orchestrator.former_secret;
  v_now bigint := orchestrator.now_ms();
  v_ended boolean; -- the credential's origin has ended
BEGIN
  PERFORM set_config('writ.key_hash', encode(hash, 'hex'), true);
  SELECT k.* INTO v_key FROM orchestrator.api_key AS k WHERE k.key_hash = hash;
  IF NOT FOUND THEN
    SELECT f.* INTO v_former FROM orchestrator.former_secret AS f
      WHERE f.secret_hash = hash AND f.ends_at > v_now;
    IF FOUND THEN
      PERFORM set_config('writ.key_ids', v_former.api_key_id, true);
      SELECT k.* INTO v_key FROM orchestrator.api_key AS k WHERE k.api_key_id = v_former.api_key_id;
      PERFORM set_config('writ.key_ids', '', true);
    END IF;
  END IF;
  PERFORM set_config('writ.key_hash', '', true);
  IF v_key.api_key_id IS NULL OR v_key.revoked_at IS NOT NULL OR v_key.expires_at <= v_now
    OR orchestrator.is_refused(v_key.member_id) THEN RETURN; END IF;
  IF v_key.bound_token IS NOT NULL THEN
    PERFORM set_config('writ.key_ids', v_key.created_by, true);
    PERFORM FROM orchestrator.api_key AS p WHERE p.api_key_id = v_key.created_by AND (p.revoked_at IS NOT NULL
      OR p.expires_at <= v_now OR (v_key.created_at <= p.rotated_at AND p.former_until <= v_now));
    v_ended := FOUND;
    PERFORM set_config('writ.key_ids', '', true);
    IF v_ended THEN RETURN; END IF;
  END IF;
  RETURN QUERY SELECT v_key.api_key_id, v_key.tenant_id, v_key.role, v_key.agent_id, v_key.principal,
    CASE WHEN v_key.role = 'worker' THEN v_key.tools END, v_key.scopes, least(v_key.expires_at, v_former.ends_at),
    v_former.api_key_id IS NOT NULL, v_key.bound_token;
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.authenticate_caller(bytea) TO writ_orchestrator;
