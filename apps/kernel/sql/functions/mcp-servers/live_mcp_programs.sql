-- Returns which of a tenant's processes of MCP servers that are programs may wait for another call, by the calls that
-- they served last. Called by kernels for the executor that has them.
--
-- p_first, p_last: of each process, the calls that it served first and last, in the same order.
--
-- A process may wait where a call like its last one could still be redeemed and would find the same server:
--   - the executor ran that call;
--   - no token of its chain is revoked or expired, its API key isn't revoked, and no freeze covers it;
--   - the server is there, and its agent is granted it;
--   - neither the server nor anything of the tenant's calls changed so since the first call that the process may have
--     what it must not have: other settings of the server, or an erasure that somebody asked for. The deletion of a
--     session (conversation) erases no call, so it doesn't count;
--   - no call of its executor, token and server since then is erased, by whomever: a call of which only hashes stay is
--     erased a minute after its end, and a process lives longer.
CREATE OR REPLACE FUNCTION kernel.live_mcp_programs(p_tenant text, p_executor text, p_first text[], p_last text[])
RETURNS text[]
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT coalesce(array_agg(o.operation_id), '{}')
    FROM unnest(p_first, p_last) AS x(first, last)
    JOIN operation o ON o.operation_id = x.last
    JOIN operation b ON b.operation_id = x.first
    JOIN resource r ON r.resource_id = o.resource_ids[1]
    WHERE o.executor_id = p_executor AND o.tenant_id = p_tenant AND b.tenant_id = p_tenant
      AND chain_fault(o.capability_token_id, t) IS NULL
      AND NOT EXISTS (SELECT FROM revoked_key k WHERE k.tenant_id = p_tenant AND k.api_key_id = o.proposed_by)
      AND freeze_on(p_tenant, o.agent_id, o.tool_id, o.capability_token_id) IS NULL
      AND r.removed_at IS NULL AND r.updated_at <= b.created_at
      AND (SELECT f.clearance IS NOT NULL FROM resources_for(p_tenant, o.agent_id,
             jsonb_build_array(jsonb_build_object('kind', r.kind, 'ref', r.resource_id, 'right', 'use'))) f)
      AND NOT EXISTS (SELECT FROM erasure e WHERE e.tenant_id = p_tenant AND e.requested_by <> 'kernel'
             AND e.selector <> 'conversation' AND e.created_at >= b.created_at)
      AND NOT EXISTS (SELECT FROM operation e WHERE e.tenant_id = p_tenant AND e.agent_id = o.agent_id
             AND e.created_at >= b.created_at AND e.erased IS NOT NULL AND e.executor_id = p_executor
             AND e.capability_token_id = o.capability_token_id AND e.resource_ids[1] = r.resource_id));
END $$;
GRANT EXECUTE ON FUNCTION kernel.live_mcp_programs(text, text, text[], text[]) TO writ_kernel;
