-- Returns those of p_names, as an array, that a person gave to the agent's session as secrets, and that the call
-- p_operation has taken or may still take. A tenant's secrets don't count: what was given is a grant by itself, and they need that of a token.
CREATE OR REPLACE FUNCTION kernel.secrets_given(p_tenant text, p_agent text, p_session text, p_names text[], p_operation text)
RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_agg(n.name), '[]') FROM unnest(p_names) AS n(name) WHERE EXISTS (
    SELECT 1 FROM session_value v WHERE v.tenant_id = p_tenant AND v.agent_id = p_agent AND v.session_id = p_session AND v.name = n.name
      AND v.secret AND (v.taken_by IS NULL OR v.taken_by = p_operation) AND v.expires_at > now_ms()));
END $$;
GRANT EXECUTE ON FUNCTION kernel.secrets_given(text, text, text, text[], text) TO writ_kernel;
