-- As in 0014, looking at the calls that failed and not at the newest of every tool: mostly there are few, and one success since the newest ends the row. A session in which a single call had failed asked
-- thirty times into the index at each of its calls from then on.

CREATE OR REPLACE FUNCTION kernel.session_past(p_tenant text, p_session text, p_operation text, p jsonb, p_at bigint DEFAULT NULL) RETURNS jsonb
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
    WHERE o.tenant_id = p_tenant AND coalesce(o.session_id, o.capability_token_id) = p_session AND is_destructive(o.risk_basis)
      AND o.created_at >= v_since AND (p_at IS NULL OR o.created_at < p_at) AND o.operation_id <> p_operation AND NOT (o.state = 'no_op' AND o.lane IS NULL)
    LIMIT (p ->> 'destructive_max')::integer) AS counted;
  IF v_failures_max > 0 THEN
    FOR failed IN
      SELECT o.created_at, o.operation_id, o.tool_id FROM operation o
      WHERE o.tenant_id = p_tenant AND coalesce(o.session_id, o.capability_token_id) = p_session AND o.created_at >= v_since AND (p_at IS NULL OR o.created_at < p_at)
        AND o.lane IS NOT NULL AND (o.state IN ('rolled_back', 'ambiguous') OR (o.state IN ('committed', 'no_op') AND o.fault_code IS NOT NULL))
      ORDER BY o.created_at DESC, o.operation_id DESC
    LOOP
      IF v_tools IS NULL THEN v_tools := ARRAY(SELECT jsonb_array_elements_text(p -> 'tools')) || ARRAY(SELECT x.tool_id FROM tool x WHERE x.tenant_id = p_tenant); END IF;
      CONTINUE WHEN failed.tool_id <> ALL (v_tools);
      -- The names of tools lead into the index, leaf by leaf.
      EXIT WHEN EXISTS (
        SELECT 1 FROM operation o
        WHERE o.tenant_id = p_tenant AND coalesce(o.session_id, o.capability_token_id) = p_session AND o.tool_id = ANY (v_tools)
          AND o.created_at >= failed.created_at AND (o.created_at, o.operation_id) > (failed.created_at, failed.operation_id) AND (p_at IS NULL OR o.created_at < p_at)
          AND o.lane IS NOT NULL AND o.state IN ('committed', 'no_op') AND o.fault_code IS NULL);
      v_failures := v_failures + 1;
      EXIT WHEN v_failures >= v_failures_max;
    END LOOP;
  END IF;
  RETURN jsonb_build_object('destructive_calls', v_destructive, 'failures_in_a_row', v_failures);
END $$;
