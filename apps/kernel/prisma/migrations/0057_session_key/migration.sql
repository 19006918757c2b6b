-- Which session a call counts for: its own, else that of its token (design.md §7). A column, since under row-level security an index answers for an expression only where all of it is leakproof, and
-- coalesce isn't taken for that: what a session did was looked for in the calls of its whole tenant.
ALTER TABLE kernel.operation ADD COLUMN session_key text NOT NULL GENERATED ALWAYS AS (coalesce(session_id, capability_token_id)) STORED;

DROP INDEX kernel.operation_history, kernel.operation_destructive, kernel.operation_failed;
CREATE INDEX operation_history ON kernel.operation (tenant_id, session_key, tool_id, created_at);
CREATE INDEX operation_destructive ON kernel.operation (tenant_id, session_key, created_at) WHERE kernel.is_destructive(risk_basis);
-- In the order in which failures are looked at, so that no other index in that order, as that of all calls of the tenant, looks as good.
CREATE INDEX operation_failed ON kernel.operation (tenant_id, session_key, created_at, operation_id)
  WHERE lane IS NOT NULL AND (state IN ('rolled_back', 'ambiguous') OR (state IN ('committed', 'no_op') AND fault_code IS NOT NULL));

-- As in 0007 and 0054, by the column.
CREATE OR REPLACE FUNCTION kernel.session_history(p_tenant text, p_session text, p_needs jsonb, p_at bigint DEFAULT NULL) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_object_agg(n.id, (
        SELECT count(*) FROM (
          SELECT 1 FROM operation o
          WHERE o.tenant_id = p_tenant AND o.session_key = p_session AND o.tool_id = ANY (n.tools || tools_like(p_tenant, n.patterns))
            AND o.created_at >= coalesce(coalesce(p_at, now_ms()) - n.window_ms, 0) AND (p_at IS NULL OR o.created_at < p_at) AND (n.task_classes IS NULL OR o.task_class = ANY (n.task_classes))
            AND o.lane IS NOT NULL AND o.state NOT IN ('proposed', 'held', 'refused')
            AND (n.outcome = 'admitted' OR (o.state IN ('committed', 'no_op') AND o.fault_code IS NULL))
          LIMIT n.most) AS counted)), '{}')
    FROM jsonb_to_recordset(p_needs) AS n(id text, tools text[], patterns text[], task_classes text[], outcome text, window_ms bigint, most bigint));
END $$;

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
      -- The names of tools lead into the index, leaf by leaf.
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
