-- Returns what a change of an agent by another one is decided on: {freeze, calls}.
--   freeze  the freeze in force that the agent p_by placed on it, or null
--   calls   the rows of the first p_rows calls that a cancel ends or marks, those that run first; a held call waits for
--           a person, who decides
CREATE OR REPLACE FUNCTION kernel.agent_change_facts(p_tenant text, p_agent text, p_by text, p_rows integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN jsonb_build_object(
    'freeze', (
      SELECT to_jsonb(f) FROM kernel.freeze f
      WHERE f.tenant_id = p_tenant AND f.scope = 'agent' AND f.subject = p_agent AND f.placed_by = p_by
        AND f.lifted_at IS NULL AND coalesce(f.expires_at > now_ms(), true)
      ORDER BY f.created_at LIMIT 1),
    'calls', (
      SELECT coalesce(jsonb_agg(to_jsonb(o)), '[]') FROM open_calls_of_agent(p_tenant, p_agent, true, p_rows) o));
END $$;
GRANT EXECUTE ON FUNCTION kernel.agent_change_facts(text, text, text, integer) TO writ_kernel;
