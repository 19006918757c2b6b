-- Returns the calls of an agent that have not ended: first those that run, then those that wait for an executor, those
-- that were asked to stop, and those that are held for a person. Each kind comes newest first.
-- p_to_cancel: only those that a cancel ends or asks to stop, which are the first two kinds.
CREATE OR REPLACE FUNCTION kernel.open_calls_of_agent(p_tenant text, p_agent text, p_to_cancel boolean, p_rows integer)
RETURNS SETOF kernel.operation
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT x.* FROM (
      -- One branch for each partial index that has calls of these states.
      SELECT o.* FROM operation o
      WHERE o.tenant_id = p_tenant AND o.agent_id = p_agent AND o.state = 'admitted'
      UNION ALL
      SELECT o.* FROM operation o
      WHERE o.tenant_id = p_tenant AND o.agent_id = p_agent AND o.state IN ('dispatched', 'performing')
      UNION ALL
      SELECT o.* FROM approval a JOIN operation o ON o.operation_id = a.operation_id
      WHERE NOT p_to_cancel AND a.tenant_id = p_tenant AND a.state = 'pending' AND o.agent_id = p_agent AND o.state = 'held') x
    WHERE NOT (p_to_cancel AND x.cancel_requested)
    ORDER BY x.state = 'held', x.cancel_requested, x.state = 'admitted', x.created_at DESC, x.operation_id DESC LIMIT p_rows;
END $$;
GRANT EXECUTE ON FUNCTION kernel.open_calls_of_agent(text, text, boolean, integer) TO writ_kernel;
