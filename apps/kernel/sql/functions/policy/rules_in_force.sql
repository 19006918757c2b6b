-- Returns the rules that a call is judged under: {policy, labels, history, settings}.
--   policy: hash of the active policy set; null for the default set
--   labels: labels of the session and of the workspace
--   history: counts of the session's calls by need; null where p_needs is no array
--   settings: the tenant's settings of calls, as kernel.tenant.call_settings has them
-- p_session: the session's id, or the token's id for a call without one. p_needs: as kernel.session_history reads it.
-- Decisions keep this value, and kernel.assert_rules and kernel.finish compare it when they write.
CREATE OR REPLACE FUNCTION kernel.rules_in_force(p_tenant text, p_session text, p_workspace text, p_needs jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN jsonb_build_object(
    'policy', (SELECT a.policy_hash FROM policy_activation a WHERE a.tenant_id = p_tenant ORDER BY a.seq DESC LIMIT 1),
    'labels', labels_on(p_tenant, p_session, p_workspace),
    'history', CASE WHEN jsonb_typeof(p_needs) = 'array' THEN session_history(p_tenant, p_session, p_needs) END,
    'settings', (SELECT n.call_settings FROM tenant n WHERE n.tenant_id = p_tenant));
END $$;
GRANT EXECUTE ON FUNCTION kernel.rules_in_force(text, text, text, jsonb) TO writ_kernel;
