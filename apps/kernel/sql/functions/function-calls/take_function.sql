-- Takes a waiting call for a process of the tenant: it goes from `admitted` to `dispatched`, with a new attempt and a
-- permit that only p_key may redeem (ADR 0136).
--
-- p_operation null: the next call of lane `function` whose tool matches one of p_tools, patterns as kernel.tools_like
-- takes them. p_operation: that call of lane `caller`, where p_key proposed it; p_tools is then ignored. p_ttl_ms: the
-- life of the permit.
--
-- Returns {operation_id, tenant_id, attempt, tool_id, action_digest, traceparent, issued_at, expires_at}; null where no
-- such call waits, a freeze covers it, or it has waited too long (kernel.waits_until).
--
-- Of several calls the one with the lowest rank goes first, as in kernel.dispatch_by_class. They are of one tenant, so
-- no other tenant's calls wait for this one, and they don't count against the tenant's cap: no executor of ours runs
-- them.
--
-- Locks: the call; rows that others have locked are skipped, so that workers may take calls at once.
CREATE OR REPLACE FUNCTION kernel.take_function(
  p_tenant text, p_tools text[], p_operation text, p_key text, p_ttl_ms bigint
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t     bigint := now_ms();
  taken jsonb;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  WITH next AS (
    SELECT o.operation_id FROM operation o
    WHERE o.tenant_id = p_tenant AND o.state = 'admitted'
      -- Outside of the next condition, so that the index operation_waiting is used whatever the plan.
      AND o.lane = CASE WHEN p_operation IS NULL THEN 'function' ELSE 'caller' END
      AND CASE WHEN p_operation IS NULL
        THEN EXISTS (
          SELECT 1 FROM unnest(p_tools) AS p(pattern)
          WHERE p.pattern = '*' OR p.pattern = o.tool_id OR (right(p.pattern, 2) = '.*' AND starts_with(o.tool_id, left(p.pattern, -1))))
        ELSE o.operation_id = p_operation AND o.proposed_by = p_key END
      AND kernel.waits_until(o.deadline, o.created_at) > t
      AND freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NULL
    ORDER BY o.created_at + CASE o.scheduling_class WHEN 'background' THEN 30000 WHEN 'maintenance' THEN 300000 ELSE 0 END, o.operation_id
    LIMIT 1 FOR UPDATE SKIP LOCKED)
  UPDATE operation o SET state = 'dispatched', attempt = o.attempt + 1, permit_until = t + p_ttl_ms,
    executor_id = p_key, nonce = NULL, lease_until = NULL, updated_at = t
    FROM next WHERE o.operation_id = next.operation_id
    RETURNING jsonb_build_object('operation_id', o.operation_id, 'tenant_id', o.tenant_id, 'attempt', o.attempt, 'tool_id', o.tool_id,
      'action_digest', o.action_digest, 'traceparent', o.traceparent, 'issued_at', t, 'expires_at', t + p_ttl_ms) INTO taken;
  RETURN taken;
END $$;
GRANT EXECUTE ON FUNCTION kernel.take_function(text, text[], text, text, bigint) TO writ_kernel;
