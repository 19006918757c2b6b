-- Returns the newest value of a name for a call: {approval_id, sealed} for a session value, or {version, sealed} for a
-- tenant's secret; sealed as base64. Null where there is none.
-- Values of the agent's session come first. A value for one use then belongs to the call: the same call may read it
-- again, another does not get it. Only with p_secret is a tenant's secret looked for.
-- Lock: the session value's row.
CREATE OR REPLACE FUNCTION kernel.take_value(
  p_tenant text, p_agent text, p_session text, p_name text, p_secret boolean, p_operation text
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v session_value;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO v FROM session_value x WHERE x.tenant_id = p_tenant AND x.agent_id = p_agent AND x.session_id = p_session AND x.name = p_name
    AND x.secret = p_secret AND (x.taken_by IS NULL OR x.taken_by = p_operation) AND x.expires_at > now_ms()
    ORDER BY (x.taken_by IS NOT NULL) DESC, x.created_at DESC LIMIT 1 FOR UPDATE;
  IF FOUND THEN
    IF v.scope = 'once' AND v.taken_by IS NULL THEN UPDATE session_value x SET taken_by = p_operation WHERE x.approval_id = v.approval_id; END IF;
    RETURN jsonb_build_object('approval_id', v.approval_id, 'sealed', encode(v.sealed, 'base64'));
  END IF;
  IF NOT p_secret THEN RETURN NULL; END IF;
  RETURN (SELECT jsonb_build_object('version', s.version, 'sealed', encode(s.sealed, 'base64')) FROM secret s
    WHERE s.tenant_id = p_tenant AND s.name = p_name ORDER BY s.version DESC LIMIT 1);
END $$;
GRANT EXECUTE ON FUNCTION kernel.take_value(text, text, text, text, boolean, text) TO writ_kernel;
