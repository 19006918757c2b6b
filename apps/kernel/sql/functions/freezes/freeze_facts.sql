-- Returns what placing a freeze is decided on: {now, standing, there}. `standing` is the freeze in force on exactly
-- this scope and subject, or null. `there` is false where the scope is `agent` and the tenant has no such agent.
CREATE OR REPLACE FUNCTION kernel.freeze_facts(p_tenant text, p_scope text, p_subject text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE f kernel.freeze;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  f := standing_freeze(p_tenant, p_scope, p_subject);
  RETURN jsonb_build_object('now', now_ms(), 'standing', CASE WHEN f.freeze_id IS NOT NULL THEN to_jsonb(f) END,
    'there', p_scope <> 'agent' OR EXISTS (SELECT 1 FROM agent a WHERE a.agent_id = p_subject));
END $$;
GRANT EXECUTE ON FUNCTION kernel.freeze_facts(text, text, text) TO writ_kernel;
