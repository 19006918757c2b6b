-- Returns {destructive_calls, failures_in_a_row} of a session before the call p_operation, for the risk of that call.
--
-- p: {window_ms, destructive_max, failures_max, tools}: how far back calls count, how far each is counted, and the ids
-- of the tools whose calls can fail in a row; the tenant's own tools are added. p_at: counts the session as it was at
-- that time, in milliseconds; null for now.
--
-- Destructive calls are those whose decision has that risk (kernel.is_destructive), however they ended, except dry
-- runs. Failures are calls that ran and ended without success after the newest one that succeeded.
--
-- Failures are looked at one by one, newest first, since mostly there are few, and one success after a failure ends the
-- row.
--
-- The function has one plan for all parameters (force_generic_plan). Otherwise each connection plans it anew at every
-- call as long as plans for given parameters look cheaper, and planning takes a large part of an admission.
CREATE OR REPLACE FUNCTION kernel.session_past(
  p_tenant text, p_session text, p_operation text, p jsonb, p_at bigint DEFAULT NULL
) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_since bigint := coalesce(p_at, now_ms()) - (p ->> 'window_ms')::bigint;
  v_failures_max integer := (p ->> 'failures_max')::integer;
  v_destructive bigint;
  v_failures bigint := 0;
  v_tools text[];
  failed record;
BEGIN
  SELECT count(*) INTO v_destructive FROM (
    SELECT 1 FROM operation o
    WHERE o.tenant_id = p_tenant AND o.session_key = p_session AND is_destructive(o.risk_basis)
      AND o.created_at >= v_since AND (p_at IS NULL OR o.created_at < p_at) AND o.operation_id <> p_operation AND NOT (o.state = 'no_op' AND o.lane IS NULL)
    LIMIT (p ->> 'destructive_max')::integer) AS counted;
  IF v_failures_max > 0 THEN
    FOR failed IN
      SELECT o.created_at, o.operation_id, o.tool_id FROM operation o
      WHERE o.tenant_id = p_tenant AND o.session_key = p_session AND o.created_at >= v_since AND (p_at IS NULL OR o.created_at < p_at)
        AND o.lane IS NOT NULL AND (o.state IN ('rolled_back', 'ambiguous') OR (o.state IN ('committed', 'no_op') AND o.fault_code IS NOT NULL))
      ORDER BY o.created_at DESC, o.operation_id DESC
    LOOP
      IF v_tools IS NULL THEN v_tools := ARRAY(SELECT jsonb_array_elements_text(p -> 'tools')) || ARRAY(SELECT x.tool_id FROM tool x WHERE x.tenant_id = p_tenant); END IF;
      CONTINUE WHEN failed.tool_id <> ALL (v_tools);
      -- The ids of the tools let the index `operation_history` be used.
      EXIT WHEN EXISTS (
        SELECT 1 FROM operation o
        WHERE o.tenant_id = p_tenant AND o.session_key = p_session AND o.tool_id = ANY (v_tools)
          AND o.created_at >= failed.created_at AND (o.created_at, o.operation_id) > (failed.created_at, failed.operation_id) AND (p_at IS NULL OR o.created_at < p_at)
          AND o.lane IS NOT NULL AND o.state IN ('committed', 'no_op') AND o.fault_code IS NULL);
      v_failures := v_failures + 1;
      EXIT WHEN v_failures >= v_failures_max;
    END LOOP;
  END IF;
  RETURN jsonb_build_object('destructive_calls', v_destructive, 'failures_in_a_row', v_failures);
END $$;
GRANT EXECUTE ON FUNCTION kernel.session_past(text, text, text, jsonb, bigint) TO writ_kernel;
