-- Claims due deliveries of all tenants. Returns only ids, with the claim; the caller then opens each delivery within
-- its tenant. It runs as the owner, because it reads rows of all tenants.
--
-- p_rows: how many at most. p_tenant_max: how many of one tenant may be in progress, over all replicas, so that
-- webhooks that hang do not delay other tenants. p_claim_ms: how long the claims last.
--
-- A delivery is due when it is pending, its next_at has passed, no claim on it is valid, and its webhook is active.
-- `claim` is the time at which the claim ends. It also fences: a replica that returns later can record nothing. A
-- delivery that another claim has locked is skipped. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.claim_deliveries(p_rows integer, p_tenant_max integer, p_claim_ms bigint)
RETURNS TABLE (tenant_id text, delivery_id text, claim bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH busy AS (SELECT d.tenant_id, count(*) AS n FROM delivery d WHERE d.state = 'pending' AND d.claimed_until >= t GROUP BY d.tenant_id),
    due AS (
      SELECT d.delivery_id, d.tenant_id, d.next_at, row_number() OVER (PARTITION BY d.tenant_id ORDER BY d.next_at, d.delivery_id) AS place
      FROM delivery d JOIN webhook w ON w.webhook_id = d.webhook_id
      WHERE d.state = 'pending' AND d.next_at <= t AND d.claimed_until < t AND w.state = 'active'),
    fair AS (
      SELECT due.delivery_id FROM due LEFT JOIN busy ON busy.tenant_id = due.tenant_id
      WHERE due.place <= p_tenant_max - coalesce(busy.n, 0) ORDER BY due.place, due.next_at LIMIT p_rows),
    held AS (
      SELECT d.delivery_id FROM delivery d WHERE d.delivery_id IN (SELECT f.delivery_id FROM fair f) AND d.state = 'pending' AND d.claimed_until < t
      FOR UPDATE SKIP LOCKED)
    UPDATE delivery d SET claimed_until = t + p_claim_ms FROM held WHERE d.delivery_id = held.delivery_id
    RETURNING d.tenant_id, d.delivery_id, d.claimed_until;
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.claim_deliveries(integer, integer, bigint) TO writ_orchestrator;
