-- Returns what the end of a call is decided on, without locks; null where the tenant has no such operation.
--
-- Returns:
--   now, operation
--   tokens          the rows of the token's chain, root first
--   head            {snapshot_id, seq} of the workspace, or null
--   frozen          the freeze that covers the call, or null
--   args, args_ref  the sealed arguments (base64), or where they are stored
--   rules           as kernel.rules_in_force returns them, without a history
CREATE OR REPLACE FUNCTION kernel.attempt_facts(p_tenant text, p_operation text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  facts jsonb;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT jsonb_build_object(
    'now', now_ms(),
    'operation', to_jsonb(o),
    'tokens', (SELECT jsonb_agg(to_jsonb(k) ORDER BY array_position(l.chain, k.capability_token_id))
               FROM token l JOIN token k ON k.capability_token_id = ANY (l.chain) WHERE l.capability_token_id = o.capability_token_id),
    'head', (SELECT jsonb_build_object('snapshot_id', w.head_snapshot_id, 'seq', w.head_seq) FROM workspace w WHERE w.workspace_id = o.workspace_id),
    'frozen', freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id),
    'args', encode(y.args, 'base64'), 'args_ref', y.args_ref,
    'rules', rules_in_force(p_tenant, coalesce(o.session_id, o.capability_token_id), o.workspace_id, NULL))
  INTO facts FROM operation o JOIN payload y ON y.operation_id = o.operation_id WHERE o.operation_id = p_operation;
  RETURN facts;
END $$;
GRANT EXECUTE ON FUNCTION kernel.attempt_facts(text, text) TO writ_kernel;
