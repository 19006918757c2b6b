-- Adds calls to the sums of their days. p_calls: ids of calls of the tenant of the transaction that have ended.
CREATE OR REPLACE FUNCTION kernel.add_usage(p_calls text[]) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO usage_day AS u (tenant_id, day_at, agent_id, person, api_key_id, tool_id, outcome, calls)
  SELECT o.tenant_id, o.created_at - o.created_at % 86400000, o.agent_id, coalesce(o.proposers[1], o.proposed_by), origin_of_key(o.tenant_id, o.proposed_by), o.tool_id, o.state, count(*)
  FROM operation o WHERE o.operation_id = ANY (p_calls) GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (tenant_id, day_at, agent_id, person, api_key_id, tool_id, outcome) DO UPDATE SET calls = u.calls + excluded.calls;
END $$;
GRANT EXECUTE ON FUNCTION kernel.add_usage(text[]) TO writ_kernel;
