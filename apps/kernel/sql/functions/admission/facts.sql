-- Returns what kernel.facts_of_call does, to kernels of the version before: `claim` has no `same_subject`, and it is of a
-- call of the same tool. Such a kernel can't admit a call whose key another tool has, since kernel.admit claims it once
-- for all tools (ADR 0153).
CREATE OR REPLACE FUNCTION kernel.facts(
  p_tenant text, p_operation text, p_agent text, p_tool text, p_key text, p_token text, p_workspace text,
  p_rows_max integer, p_session text, p_needs jsonb, p_past jsonb, p_proposed_by text
) RETURNS jsonb LANGUAGE plpgsql
SET search_path = kernel, pg_temp SET enable_bitmapscan = off AS $$
DECLARE
  v_chain text[];
  v_oldest bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT x.created_at INTO v_oldest FROM outbox x ORDER BY x.created_at LIMIT 1;
  SELECT t.chain INTO v_chain FROM token t WHERE t.capability_token_id = p_token;
  RETURN jsonb_build_object(
    'now', now_ms(),
    'existing', (SELECT to_jsonb(o) FROM operation o WHERE o.operation_id = p_operation),
    'claim', (
      SELECT jsonb_build_object('fingerprint', encode(i.args_fingerprint, 'hex'), 'capability_token_id', i.capability_token_id, 'operation', to_jsonb(o))
      FROM idempotency i JOIN operation o ON o.operation_id = i.operation_id
      WHERE i.tenant_id = p_tenant AND i.agent_id = p_agent AND i.tool_id = p_tool AND i.idempotency_key = p_key),
    'chain', coalesce((
      SELECT jsonb_agg(to_jsonb(t) || jsonb_build_object('budgets', (
          SELECT coalesce(jsonb_object_agg(b.dimension, jsonb_build_object('reserved', b.reserved, 'used', b.used)), '{}')
          FROM budget b WHERE b.capability_token_id = t.capability_token_id))
        ORDER BY array_position(v_chain, t.capability_token_id) DESC)
      FROM token t WHERE t.capability_token_id = ANY (v_chain)), '[]'),
    'agent', EXISTS (SELECT 1 FROM agent a WHERE a.agent_id = p_agent),
    'head', (SELECT w.head_snapshot_id FROM workspace w WHERE w.workspace_id = p_workspace),
    'frozen', freeze_on(p_tenant, p_agent, p_tool, p_token),
    'rules', rules_in_force(p_tenant, p_session, p_workspace, p_needs),
    'past', CASE WHEN jsonb_typeof(p_past) = 'object' THEN session_past(p_tenant, p_session, p_operation, p_past) END,
    'queue_full', queue_is_full(p_tenant),
    'background_queue_full', background_queue_is_full(p_tenant),
    'outbox_oldest', v_oldest,
    -- Records that are on their way within a second needn't be counted: that many can't gather in it.
    'outbox_rows', CASE WHEN v_oldest < now_ms() - 1000 THEN (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT p_rows_max + 1) x) ELSE 0 END,
    'key_revoked', EXISTS (SELECT FROM revoked_key r WHERE r.tenant_id = p_tenant AND r.api_key_id = p_proposed_by));
END $$;
GRANT EXECUTE ON FUNCTION kernel.facts(text, text, text, text, text, text, text, integer, text, jsonb, jsonb, text)
  TO writ_kernel;
