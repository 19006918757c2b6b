-- As kernel.claim_notices, but only notices about calls: for orchestrators that read no others, and for kernels of the
-- version before.
-- Claims up to p_rows unclaimed notices, oldest first, for p_claim_ms milliseconds, and returns their rows.
-- Delivery is at least once: a notice that is not dropped (kernel.drop_notices) within that time is delivered again.
-- Runs as the worker role. Replicas do not wait for each other: rows that another one locks are skipped.
CREATE OR REPLACE FUNCTION kernel.take_notices(p_claim_ms bigint, p_rows integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t     bigint := now_ms();
  taken jsonb;
BEGIN
  WITH due AS (
    SELECT n.notice_id FROM notice n WHERE n.claimed_until < t AND n.mcp_server IS NULL ORDER BY n.created_at, n.notice_id LIMIT p_rows FOR UPDATE SKIP LOCKED),
  claimed AS (UPDATE notice n SET claimed_until = t + p_claim_ms FROM due WHERE n.notice_id = due.notice_id RETURNING n.*)
  SELECT coalesce(jsonb_agg(to_jsonb(c) - '{claimed_until,mcp_server}'::text[] ORDER BY c.created_at, c.notice_id), '[]') INTO taken FROM claimed c;
  RETURN taken;
END $$;
GRANT EXECUTE ON FUNCTION kernel.take_notices(bigint, integer) TO writ_kernel_worker;
