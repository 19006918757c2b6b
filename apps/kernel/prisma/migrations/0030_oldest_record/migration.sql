-- The oldest record that waits for the log is read in the order of its index. Nearly every row of the outbox is gone within a second, so that what the planner knows of the table is never true: asked for as a
-- minimum, the oldest came from a bitmap of all rows since the last vacuum, and an admission cost the more the busier its tenant was. A scan in order marks the entries that are gone and steps over them next time.
-- Nothing else is changed in these two functions.
CREATE OR REPLACE FUNCTION kernel.facts(
  p_tenant text, p_operation text, p_agent text, p_tool text, p_key text, p_token text, p_workspace text, p_rows_max integer, p_session text, p_needs jsonb, p_past jsonb
) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp SET enable_bitmapscan = off AS $$
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
    'outbox_oldest', v_oldest,
    -- Records that are on their way within a second needn't be counted: that many can't gather in it.
    'outbox_rows', CASE WHEN v_oldest < now_ms() - 1000 THEN (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT p_rows_max + 1) x) ELSE 0 END);
END $$;

CREATE OR REPLACE FUNCTION kernel.assert_remembered(o kernel.operation, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp SET enable_bitmapscan = off AS $$
DECLARE t bigint := now_ms();
BEGIN
  IF t - (p->>'now')::bigint NOT BETWEEN -50 AND 1000 THEN PERFORM decide_again('time'); END IF;
  IF p->'room' IS DISTINCT FROM 'null' THEN
    IF (SELECT x.created_at FROM outbox x ORDER BY x.created_at LIMIT 1) < t - 1000 THEN PERFORM decide_again('outbox'); END IF;
    IF queue_is_full(o.tenant_id, (p->>'room')::integer) THEN PERFORM decide_again('queue'); END IF;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM workspace w WHERE w.workspace_id = o.workspace_id AND w.head_snapshot_id = p->>'head') THEN PERFORM decide_again('workspace'); END IF;
  IF p->'past' <> 'null' AND session_past(o.tenant_id, p->>'session', o.operation_id, p#>'{past,asked}') IS DISTINCT FROM p#>'{past,seen}' THEN PERFORM decide_again('past'); END IF;
END $$;

-- A vacuum of what is small and changes wholly by the second takes milliseconds, and waits for no share of it.
ALTER TABLE kernel.outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
