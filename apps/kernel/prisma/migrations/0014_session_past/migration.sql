-- What risk is told of a session's past beside its labels: how often it was held or refused for what it would destroy, and how many of its calls failed
-- just before. Both are read from its operations, as kernel.session_history reads what policy sets ask for.

-- The rules of the risk table that hold or refuse a call for what it destroys; a spec compares.
CREATE FUNCTION kernel.is_destructive(p_basis text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_basis && ARRAY[
    'delete.root', 'delete.home', 'delete.workspace', 'delete.outside', 'delete.workspace_files', 'delete.git', 'delete.tree', 'delete.many', 'delete.unknown',
    'delete.scratch_tree', 'write.emptied', 'loss.work', 'loss.history', 'loss.shared_history', 'loss.database', 'loss.infrastructure', 'loss.remote'];
$$;

-- Only such calls are in it: it costs the others nothing.
CREATE INDEX operation_destructive ON kernel.operation (tenant_id, (coalesce(session_id, capability_token_id)), created_at) WHERE kernel.is_destructive(risk_basis);

-- Calls that ran and ended without success: few, and a session without any is most sessions.
CREATE INDEX operation_failed ON kernel.operation (tenant_id, (coalesce(session_id, capability_token_id)), created_at)
  WHERE lane IS NOT NULL AND (state IN ('rolled_back', 'ambiguous') OR (state IN ('committed', 'no_op') AND fault_code IS NOT NULL));

-- Counts {destructive_calls, failures_in_a_row} before the call p_operation, each no further than p asks: {window_ms, destructive_max, failures_max, tools}; with p_at as it was then.
-- Destructive: decided so, whatever came of it, dry runs left out. Failures: calls that ran and ended without success, since the newest that succeeded.
CREATE FUNCTION kernel.session_past(p_tenant text, p_session text, p_operation text, p jsonb, p_at bigint DEFAULT NULL) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
DECLARE
  v_since bigint := coalesce(p_at, now_ms()) - (p ->> 'window_ms')::bigint;
  v_failures_max integer := (p ->> 'failures_max')::integer;
  v_destructive bigint;
  v_failures bigint := 0;
BEGIN
  SELECT count(*) INTO v_destructive FROM (
    SELECT 1 FROM operation o
    WHERE o.tenant_id = p_tenant AND coalesce(o.session_id, o.capability_token_id) = p_session AND is_destructive(o.risk_basis)
      AND o.created_at >= v_since AND (p_at IS NULL OR o.created_at < p_at) AND o.operation_id <> p_operation AND NOT (o.state = 'no_op' AND o.lane IS NULL)
    LIMIT (p ->> 'destructive_max')::integer) AS counted;
  IF v_failures_max > 0 AND EXISTS (
    SELECT 1 FROM operation o
    WHERE o.tenant_id = p_tenant AND coalesce(o.session_id, o.capability_token_id) = p_session AND o.created_at >= v_since
      AND o.lane IS NOT NULL AND (o.state IN ('rolled_back', 'ambiguous') OR (o.state IN ('committed', 'no_op') AND o.fault_code IS NOT NULL))) THEN
    SELECT count(*) FILTER (WHERE n.good = 0) INTO v_failures FROM (
      SELECT sum(CASE WHEN e.state IN ('committed', 'no_op') AND e.fault_code IS NULL THEN 1 ELSE 0 END) OVER (ORDER BY e.created_at DESC, e.operation_id DESC) AS good
      FROM (SELECT jsonb_array_elements_text(p -> 'tools') UNION ALL SELECT x.tool_id FROM tool x WHERE x.tenant_id = p_tenant) AS t(tool_id) CROSS JOIN LATERAL (
        SELECT o.state, o.fault_code, o.created_at, o.operation_id FROM operation o
        WHERE o.tenant_id = p_tenant AND coalesce(o.session_id, o.capability_token_id) = p_session AND o.tool_id = t.tool_id
          AND o.created_at >= v_since AND (p_at IS NULL OR o.created_at < p_at) AND o.lane IS NOT NULL AND o.state IN ('committed', 'no_op', 'rolled_back', 'ambiguous')
        ORDER BY o.created_at DESC, o.operation_id DESC LIMIT v_failures_max) AS e
      ORDER BY e.created_at DESC, e.operation_id DESC LIMIT v_failures_max) AS n;
  END IF;
  RETURN jsonb_build_object('destructive_calls', v_destructive, 'failures_in_a_row', v_failures);
END $$;

GRANT EXECUTE ON FUNCTION kernel.is_destructive TO writ_kernel, writ_kernel_worker;
GRANT EXECUTE ON FUNCTION kernel.session_past TO writ_kernel;
