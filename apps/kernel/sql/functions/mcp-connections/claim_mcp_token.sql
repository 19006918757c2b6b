-- Gives an executor the work of a connection that is due: {tenant_id, connection_id, claim, lost}, or null where none is.
-- `lost` says whether the claim before ran out.
-- Tenants take turns: first the tenant whose work an executor took longest ago. A tenant has p_each under way at a time,
-- with what fenced executors may still be at, and none where p_without names it: that one has its share of this executor.
-- So a slow authorization server of one tenant keeps no other tenant waiting. Within a tenant, revocations are last.
--
-- INVARIANT (single flight): one executor has the work of a connection at a time. A claim that ran out counts as a try
-- that failed, since its executor was lost or its report was.
--
-- Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.claim_mcp_token(
  p_executor text, p_lease_ms integer, p_each integer, p_without text[]
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t       bigint;
  tenants text[];
  next    text;
  found_  text;
  n       integer;
  lost    boolean;
BEGIN
  -- Claims wait for each other: one that isn't committed is not seen, and its tenant would get one too many.
  PERFORM pg_advisory_xact_lock(hashtextextended('writ.mcp_tokens', 0));
  t := now_ms();
  -- Everyone waits for this lock, so the statement reads the work that is due, and no other rows.
  WITH busy AS MATERIALIZED (
    SELECT c.tenant_id FROM mcp_connection c WHERE c.claim_until >= t
    UNION ALL
    SELECT c.tenant_id FROM mcp_connection c WHERE c.fenced_until >= t
  ), full_tenant AS MATERIALIZED (
    SELECT b.tenant_id FROM busy b GROUP BY b.tenant_id HAVING count(*) >= p_each
  ), waiting AS MATERIALIZED (
    SELECT c.tenant_id, min(c.due_at) AS due_at FROM mcp_connection c
    WHERE c.work IS NOT NULL AND c.due_at <= t AND coalesce(c.claim_until, 0) < t
      AND c.tenant_id NOT IN (SELECT f.tenant_id FROM full_tenant f) AND c.tenant_id <> ALL (p_without)
    GROUP BY c.tenant_id
  )
  SELECT array_agg(w.tenant_id ORDER BY (
    SELECT max(l.claimed_at) FROM mcp_connection l WHERE l.tenant_id = w.tenant_id
  ) NULLS FIRST, w.due_at, w.tenant_id) INTO tenants FROM waiting w;
  FOREACH next IN ARRAY coalesce(tenants, '{}') LOOP
    SELECT c.connection_id, c.claim_until IS NOT NULL INTO found_, lost FROM mcp_connection c
    WHERE c.tenant_id = next AND c.work IS NOT NULL AND c.due_at <= t AND coalesce(c.claim_until, 0) < t
    ORDER BY c.work = 'revoke', c.due_at, c.connection_id LIMIT 1 FOR UPDATE SKIP LOCKED;
    EXIT WHEN FOUND;
  END LOOP;
  IF found_ IS NULL THEN RETURN NULL; END IF;
  UPDATE mcp_connection c SET executor_id = p_executor, claim = c.claim + 1, claim_until = t + p_lease_ms,
      claimed_at = t, failures = c.failures + lost::integer
    WHERE c.connection_id = found_ RETURNING c.claim INTO n;
  RETURN jsonb_build_object('tenant_id', next, 'connection_id', found_, 'claim', n,
    'lost', lost);
END $$;
GRANT EXECUTE ON FUNCTION kernel.claim_mcp_token(text, integer, integer, text[]) TO writ_kernel_worker;
