-- Gives an executor an MCP server that is due: {tenant_id, resource_id, claim}, or null where none is. Tenants take turns,
-- each with the server that has been due longest: first the tenant whose last listing is longest ago. A tenant has p_each
-- servers listed at a time. So slow, failing or many servers of one tenant keep no other tenant waiting.
--
-- Only servers of p_transports: an executor without containers runs no program.
-- No server of a closed tenant is listed.
--
-- Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.claim_mcp_server_of(p_executor text, p_lease_ms integer, p_each integer, p_transports text[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t       bigint;
  tenants text[];
  next    text;
  row     mcp_server;
BEGIN
  -- Claims wait for each other: one that isn't committed is not seen, and its tenant would get one too many.
  PERFORM pg_advisory_xact_lock(hashtextextended('writ.mcp_claims', 0));
  t := now_ms();
  -- Everyone waits for this lock, so the work is bounded by the servers that are due.
  WITH full_tenant AS MATERIALIZED (
    SELECT o.tenant_id FROM mcp_server o WHERE o.claim_until >= t GROUP BY o.tenant_id HAVING count(*) >= p_each
  ), waiting AS MATERIALIZED (
    SELECT s.tenant_id, min(s.due_at) AS due_at FROM mcp_server s
    WHERE s.due_at <= t AND coalesce(s.claim_until, 0) < t AND s.transport = ANY (p_transports)
      AND s.tenant_id NOT IN (SELECT f.tenant_id FROM full_tenant f)
      AND EXISTS (SELECT FROM tenant n WHERE n.tenant_id = s.tenant_id AND n.closed_at IS NULL)
    GROUP BY s.tenant_id
  )
  SELECT array_agg(w.tenant_id ORDER BY (
    SELECT max(greatest(l.checked_at, l.claim_until)) FROM mcp_server l WHERE l.tenant_id = w.tenant_id
  ) NULLS FIRST, w.due_at, w.tenant_id) INTO tenants FROM waiting w;
  FOREACH next IN ARRAY coalesce(tenants, '{}') LOOP
    SELECT * INTO row FROM mcp_server s WHERE s.tenant_id = next AND s.due_at <= t AND coalesce(s.claim_until, 0) < t
      AND s.transport = ANY (p_transports)
    ORDER BY s.due_at, s.resource_id LIMIT 1 FOR UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
  END LOOP;
  IF row.resource_id IS NULL THEN RETURN NULL; END IF;
  UPDATE mcp_server s SET executor_id = p_executor, claim = s.claim + 1, claim_until = t + p_lease_ms
    WHERE s.resource_id = row.resource_id RETURNING * INTO row;
  RETURN jsonb_build_object('tenant_id', row.tenant_id, 'resource_id', row.resource_id, 'claim', row.claim);
END $$;
GRANT EXECUTE ON FUNCTION kernel.claim_mcp_server_of(text, integer, integer, text[]) TO writ_kernel_worker;
