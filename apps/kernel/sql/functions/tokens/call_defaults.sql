-- Returns under which token and in which workspace a call may be made that names none:
--   claim       {capability_token_id, workspace_id} of the call that has the idempotency key, or null
--   tokens      [{capability_token_id, workspace_id}] that calls of clients may use now, newest first: the agent's, and
--               for a credential that was exchanged the token that it is bound to
--   workspaces  [ids] of the tenant, newest first
-- Of the latter two at most p_most. p_tool and p_idempotency_key are null where the call has no key. The claim is found
-- as kernel.facts_of_call finds it. It locks nothing: the call is decided on its own facts.
CREATE OR REPLACE FUNCTION kernel.call_defaults(
  p_tenant text, p_api_key text, p_agent text, p_tool text, p_idempotency_key text, p_most integer
) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_now bigint := now_ms();
  v_bound text;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT b.capability_token_id INTO v_bound FROM bound_key b WHERE b.tenant_id = p_tenant AND b.api_key_id = p_api_key;
  RETURN jsonb_build_object(
    'claim', (
      SELECT jsonb_build_object('capability_token_id', i.capability_token_id, 'workspace_id', o.workspace_id)
      FROM (
        SELECT 1 AS place, t.* FROM idempotency t
        WHERE t.tenant_id = p_tenant AND t.agent_id = p_agent AND t.tool_id = p_tool AND t.idempotency_key = p_idempotency_key
        UNION ALL
        SELECT 2, t.* FROM idempotency t
        WHERE t.tenant_id = p_tenant AND t.agent_id = p_agent AND t.idempotency_key = p_idempotency_key AND NOT t.tool_scoped
      ) i JOIN operation o ON o.operation_id = i.operation_id
      ORDER BY i.place LIMIT 1),
    'tokens', (
      SELECT coalesce(jsonb_agg(x ORDER BY x.created_at DESC, x.capability_token_id DESC), '[]')
      FROM (
        SELECT t.capability_token_id, t.workspace_id, t.created_at FROM token t
        WHERE t.tenant_id = p_tenant AND t.agent_id = p_agent AND t.revoked_at IS NULL
          AND (t.grant_json ->> 'expires_at')::bigint > v_now AND (t.grant_json ->> 'not_before')::bigint <= v_now
          AND t.session_approval IS NULL AND t.spawned_by IS NULL AND t.job IS NULL
          AND CASE WHEN v_bound IS NULL THEN NOT t.exchanged ELSE t.capability_token_id = v_bound END
          AND NOT EXISTS (SELECT FROM token a WHERE a.capability_token_id = ANY (t.chain) AND a.revoked_at IS NOT NULL)
        ORDER BY t.created_at DESC, t.capability_token_id DESC LIMIT p_most) x),
    'workspaces', (
      SELECT coalesce(jsonb_agg(x.workspace_id ORDER BY x.created_at DESC, x.workspace_id DESC), '[]')
      FROM (
        SELECT w.workspace_id, w.created_at FROM workspace w WHERE w.tenant_id = p_tenant
        ORDER BY w.created_at DESC, w.workspace_id DESC LIMIT p_most) x));
END $$;
GRANT EXECUTE ON FUNCTION kernel.call_defaults(text, text, text, text, text, integer) TO writ_kernel;
