-- Returns running calls that a freeze covers, of one tenant or (`*`) of all: the caller tells their executors to stop.
-- Called as the worker's role, after the COMMIT of the freeze, so that no redemption comes between.
CREATE OR REPLACE FUNCTION kernel.frozen_under_way(p_tenant text)
RETURNS TABLE (tenant_id text, operation_id text, attempt integer)
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT o.tenant_id, o.operation_id, o.attempt FROM operation o
  WHERE o.state = 'performing' AND p_tenant IN (o.tenant_id, '*') AND freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL
$$;
GRANT EXECUTE ON FUNCTION kernel.frozen_under_way(text) TO writ_kernel_worker;
