-- Returns how many calls of a session match each of the counts that a policy needs, by the id of the need: {id: count}.
--
-- p_needs: [{id, tools, patterns, task_classes, outcome, window_ms, most}]:
--   tools, patterns  ids of tools, and patterns that are matched against the tenant's own tools (kernel.tools_like)
--   task_classes     only calls of these; null for all
--   outcome          `admitted` for all calls that were let run; any other value for those that ended successfully
--   window_ms        how far back calls count; null for all
--   most             how far is counted: the policy needs no more
-- p_at: counts the session as it was at that time, in milliseconds; null for now.
--
-- Only calls that were let run count. Held and refused calls weren't, and dry runs have no lane.
CREATE OR REPLACE FUNCTION kernel.session_history(
  p_tenant text, p_session text, p_needs jsonb, p_at bigint DEFAULT NULL
) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
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
GRANT EXECUTE ON FUNCTION kernel.session_history(text, text, jsonb, bigint) TO writ_kernel;
