-- Stores the value that a person gave, in the transaction that closes its approval (kernel.close_approval).
-- p: {secret: as kernel.put_secret reads it} for the tenant, or {session: {approval_id, agent_id, session_id, name,
-- secret, scope, sealed (base64), key_id, taken_by, expires_at}} for one use or one session.
-- taken_by: the call that a value for one use belongs to; null for a secret, which the first call that uses it takes.
-- Raises WR001 `secret`, by kernel.put_secret: the approval is decided again.
CREATE OR REPLACE FUNCTION kernel.put_value(p_tenant text, p jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF p ? 'secret' THEN PERFORM put_secret(p_tenant, p->'secret'); RETURN; END IF;
  INSERT INTO session_value (approval_id, tenant_id, agent_id, session_id, name, secret, scope, sealed, key_id, taken_by, expires_at)
  SELECT v.approval_id, p_tenant, v.agent_id, v.session_id, v.name, v.secret, v.scope, decode(v.sealed, 'base64'), v.key_id, v.taken_by, v.expires_at
  FROM jsonb_to_record(p->'session') AS v(approval_id text, agent_id text, session_id text, name text, secret boolean, scope text, sealed text, key_id text,
    taken_by text, expires_at bigint);
END $$;
GRANT EXECUTE ON FUNCTION kernel.put_value(text, jsonb) TO writ_kernel;
