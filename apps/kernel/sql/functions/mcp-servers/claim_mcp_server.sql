-- Gives an executor the MCP server that has been due longest: {tenant_id, resource_id, claim}, or null where none is. A
-- tenant has p_each servers listed at a time, so that slow servers of one tenant keep no other tenant waiting.
--
-- Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.claim_mcp_server(p_executor text, p_lease_ms integer, p_each integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t   bigint;
  row mcp_server;
BEGIN
  -- Claims wait for each other: one that isn't committed is not seen, and its tenant would get one too many.
  PERFORM pg_advisory_xact_lock(hashtextextended('writ.mcp_claims', 0));
  t := now_ms();
  SELECT * INTO row FROM mcp_server s
  WHERE s.due_at <= t AND coalesce(s.claim_until, 0) < t
    AND (SELECT count(*) FROM mcp_server o WHERE o.tenant_id = s.tenant_id AND o.claim_until >= t) < p_each
  ORDER BY s.due_at, s.resource_id LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE mcp_server s SET executor_id = p_executor, claim = s.claim + 1, claim_until = t + p_lease_ms
    WHERE s.resource_id = row.resource_id RETURNING * INTO row;
  RETURN jsonb_build_object('tenant_id', row.tenant_id, 'resource_id', row.resource_id, 'claim', row.claim);
END $$;
GRANT EXECUTE ON FUNCTION kernel.claim_mcp_server(text, integer, integer) TO writ_kernel_worker;
