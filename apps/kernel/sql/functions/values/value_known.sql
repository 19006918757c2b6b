-- Returns whether a value is available to a call, so that no person has to give it: it was given to the agent's
-- session or, with p_secret, it is a tenant's secret. A value that a call has taken for its one use is not available.
CREATE OR REPLACE FUNCTION kernel.value_known(
  p_tenant text, p_agent text, p_session text, p_name text, p_secret boolean
) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN EXISTS (SELECT 1 FROM session_value v WHERE v.tenant_id = p_tenant AND v.agent_id = p_agent AND v.session_id = p_session AND v.name = p_name
      AND v.secret = p_secret AND v.taken_by IS NULL AND v.expires_at > now_ms())
    OR p_secret AND EXISTS (SELECT 1 FROM secret s WHERE s.tenant_id = p_tenant AND s.name = p_name);
END $$;
GRANT EXECUTE ON FUNCTION kernel.value_known(text, text, text, text, boolean) TO writ_kernel;
