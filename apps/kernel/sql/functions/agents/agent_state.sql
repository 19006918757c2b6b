-- Returns what another agent may see of an agent: {agent_id, name, state, freezes, sessions, operations,
-- more_operations}, as `AgentState` of libs/contract describes it.
-- p_by: the agent that asks; its own freezes are `you`, and no key of a person is in the answer.
-- p_operations, p_others: how many calls, and how many freezes and sessions, the answer has.
-- Called by the kernel when it redeems a call about an agent.
CREATE OR REPLACE FUNCTION kernel.agent_state(p_tenant text, p_agent text, p_by text, p_operations integer, p_others integer)
RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_freezes jsonb;
  v_sessions jsonb;
  v_operations jsonb;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT coalesce(jsonb_agg(jsonb_build_object(
    'freeze_id', f.freeze_id, 'scope', f.scope, 'reason', f.reason, 'created_at', f.created_at, 'expires_at', f.expires_at,
    'placed_by', CASE WHEN f.placed_by = p_by THEN 'you' WHEN f.placed_by LIKE 'agt\_%' THEN 'another_agent'
      WHEN f.placed_by = 'platform' THEN 'platform' ELSE 'person' END)
    ORDER BY f.created_at DESC, f.freeze_id), '[]') INTO v_freezes
  FROM (
    SELECT * FROM kernel.freeze x
    WHERE x.tenant_id IN (p_tenant, '*') AND x.lifted_at IS NULL AND coalesce(x.expires_at > now_ms(), true)
      AND (x.scope IN ('tenant', 'all') OR (x.scope = 'agent' AND x.subject = p_agent))
    -- The asking agent's own freeze is always among them: it is what it can lift.
    ORDER BY x.placed_by <> p_by, x.created_at DESC LIMIT p_others) f;
  SELECT coalesce(jsonb_agg(s.session_id ORDER BY s.last DESC), '[]') INTO v_sessions
  FROM (
    SELECT r.session_id, max(r.created_at) AS last
    FROM (
      SELECT o.session_id, o.created_at FROM operation o WHERE o.tenant_id = p_tenant AND o.agent_id = p_agent
      ORDER BY o.created_at DESC LIMIT 200) r
    WHERE r.session_id IS NOT NULL GROUP BY r.session_id ORDER BY last DESC LIMIT p_others) s;
  SELECT coalesce(jsonb_agg(jsonb_build_object(
    'operation_id', c.operation_id, 'tool_id', c.tool_id, 'state', c.state, 'session_id', c.session_id,
    'created_at', c.created_at, 'cancel_requested', c.cancel_requested)
    ORDER BY c.ordinality), '[]') INTO v_operations
  FROM open_calls_of_agent(p_tenant, p_agent, false, p_operations + 1) WITH ORDINALITY c;
  RETURN (
    SELECT jsonb_build_object(
      'agent_id', a.agent_id, 'name', a.name, 'state', CASE WHEN v_freezes = '[]' THEN 'active' ELSE 'frozen' END,
      'freezes', v_freezes, 'sessions', v_sessions,
      'operations', CASE WHEN jsonb_array_length(v_operations) > p_operations THEN v_operations - -1 ELSE v_operations END,
      'more_operations', jsonb_array_length(v_operations) > p_operations)
    FROM agent a WHERE a.tenant_id = p_tenant AND a.agent_id = p_agent);
END $$;
GRANT EXECUTE ON FUNCTION kernel.agent_state(text, text, text, integer, integer) TO writ_kernel;
