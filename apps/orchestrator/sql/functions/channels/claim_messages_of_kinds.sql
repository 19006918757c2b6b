-- Claims due messages of all tenants in channels of some kinds. Returns only ids, with the claim; the caller then opens
-- each message within its tenant. It runs as the owner, because it reads rows of all tenants.
--
-- p_kinds: the kinds of channels that the caller can send to. p_rows: how many at most. p_tenant_max: how many of one
-- tenant may be in progress, over all replicas, so that a provider that hangs does not delay other tenants. p_claim_ms:
-- how long the claims last.
--
-- A message is due when it is pending, its next_at has passed, no claim on it is valid, and its channel is active.
-- `claim` is the time at which the claim ends. It also fences: a replica that returns later can record nothing. A
-- message that another claim has locked is skipped. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.claim_messages_of_kinds(p_kinds text[], p_rows integer, p_tenant_max integer, p_claim_ms bigint)
RETURNS TABLE (tenant_id text, channel_id text, approval_id text, claim bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH busy AS (SELECT m.tenant_id, count(*) AS n FROM channel_message m WHERE m.state = 'pending' AND m.claimed_until >= t GROUP BY m.tenant_id),
    due AS (
      SELECT m.channel_id, m.approval_id, m.tenant_id, m.next_at, row_number() OVER (PARTITION BY m.tenant_id ORDER BY m.next_at, m.approval_id, m.channel_id) AS place
      FROM channel_message m JOIN channel c ON c.channel_id = m.channel_id
      WHERE m.state = 'pending' AND m.next_at <= t AND m.claimed_until < t AND c.state = 'active' AND c.kind = ANY (p_kinds)),
    fair AS (
      SELECT due.channel_id, due.approval_id FROM due LEFT JOIN busy ON busy.tenant_id = due.tenant_id
      WHERE due.place <= p_tenant_max - coalesce(busy.n, 0) ORDER BY due.place, due.next_at LIMIT p_rows),
    held AS (
      SELECT m.channel_id, m.approval_id FROM channel_message m
      WHERE (m.channel_id, m.approval_id) IN (SELECT f.channel_id, f.approval_id FROM fair f) AND m.state = 'pending' AND m.claimed_until < t
      FOR UPDATE SKIP LOCKED)
    UPDATE channel_message m SET claimed_until = t + p_claim_ms FROM held
    WHERE m.channel_id = held.channel_id AND m.approval_id = held.approval_id
    RETURNING m.tenant_id, m.channel_id, m.approval_id, m.claimed_until;
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.claim_messages_of_kinds(text[], integer, integer, bigint) TO writ_orchestrator;
