-- Returns the calls of an agent that have not ended, newest first: those that wait, run or are held.
CREATE OR REPLACE FUNCTION kernel.open_calls_of_agent(p_tenant text, p_agent text, p_rows integer) RETURNS SETOF kernel.operation
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
      WHERE a.tenant_id = p_tenant AND a.state = 'pending' AND o.agent_id = p_agent AND o.state = 'held') x
    ORDER BY x.created_at DESC, x.operation_id DESC LIMIT p_rows;
END $$;
GRANT EXECUTE ON FUNCTION kernel.open_calls_of_agent(text, text, integer) TO writ_kernel;
