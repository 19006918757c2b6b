-- Returns session grants that may approve a call which needs a person: tokens of the same agent and session that were
-- made from p_token, or p_token itself. They are neither revoked nor expired. An array, newest first, p_rows at most:
--   {capability_token_id, approval (the grant's `session_approval`), tools, args, args_ref}
-- `args` is the sealed arguments of the call that was approved, in base64; `args_ref` is where they are if stored by
-- reference.
--
-- The caller checks whether the call is like the approved one, and judges it under that token. kernel.admit then
-- asserts that no token of the chain has been revoked.
CREATE OR REPLACE FUNCTION kernel.session_approvals(
  p_tenant text, p_agent text, p_token text, p_session text, p_rows integer
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_agg(x.found), '[]') FROM (
    SELECT jsonb_build_object('capability_token_id', t.capability_token_id, 'approval', t.session_approval, 'tools', t.grant_json -> 'tools',
      'args', encode(y.args, 'base64'), 'args_ref', y.args_ref) AS found
    FROM token t LEFT JOIN payload y ON y.operation_id = t.session_approval ->> 'operation_id'
    WHERE t.session_approval ->> 'session_id' = p_session AND t.session_approval IS NOT NULL AND t.agent_id = p_agent
      AND (t.parent_id = p_token OR t.capability_token_id = p_token)
      AND t.revoked_at IS NULL AND (t.grant_json ->> 'expires_at')::bigint > now_ms()
    ORDER BY t.created_at DESC, t.capability_token_id DESC LIMIT p_rows) x);
END $$;
GRANT EXECUTE ON FUNCTION kernel.session_approvals(text, text, text, text, integer) TO writ_kernel;
