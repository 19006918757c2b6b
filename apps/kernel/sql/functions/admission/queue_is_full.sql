-- Returns whether p_calls more calls of the tenant don't all fit into its queue of calls that wait for an executor
-- (`tenant.waiting_max`).
--
-- Calls that are decided at the same moment don't see each other. So the queue may exceed its bound by the number of
-- calls that are decided at once.
CREATE OR REPLACE FUNCTION kernel.queue_is_full(p_tenant text, p_calls integer DEFAULT 1) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
DECLARE v_max integer;
BEGIN
  SELECT n.waiting_max INTO v_max FROM tenant n WHERE n.tenant_id = p_tenant;
  -- Counts only as far as needed, with the index `operation_waiting`; naming all lanes lets the planner use it.
  PERFORM 1 FROM operation w WHERE w.state = 'admitted' AND w.lane IN ('inline', 'sandboxed', 'broker') AND w.tenant_id = p_tenant OFFSET greatest(v_max - p_calls, 0) LIMIT 1;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.queue_is_full(text, integer) TO writ_kernel;
