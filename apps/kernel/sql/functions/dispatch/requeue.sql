-- Puts calls of all tenants back into their queues, p_rows of each kind at most:
--   - dispatched calls whose permit was not redeemed in time;
--   - running calls whose lease has run out, where no external effect has begun, no cancellation was requested, no
--     freeze covers them, and they have lost fewer than p_leases_max leases with this one.
-- Returns how many came back, by lane and by whether an executor was lost. Called as the worker's role.
--
-- Locks: the calls; rows that others have locked are skipped, so replicas may sweep at once.
CREATE OR REPLACE FUNCTION kernel.requeue(p_leases_max integer, p_rows integer)
RETURNS TABLE (lane text, lost boolean, count bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH unredeemed AS (
      SELECT o.operation_id FROM operation o
      WHERE o.state = 'dispatched' AND o.permit_until < t ORDER BY o.permit_until LIMIT p_rows FOR UPDATE SKIP LOCKED),
    unspoken AS (
      SELECT o.operation_id FROM operation o
      WHERE o.state = 'performing' AND o.lease_until < t AND NOT o.effect_started AND NOT o.cancel_requested AND o.leases_lost + 1 < p_leases_max
        AND freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NULL
      ORDER BY o.lease_until LIMIT p_rows FOR UPDATE SKIP LOCKED),
    stale AS (SELECT u.operation_id, false AS lost FROM unredeemed u UNION ALL SELECT u.operation_id, true FROM unspoken u),
    back AS (
      UPDATE operation o SET state = 'admitted', leases_lost = o.leases_lost + s.lost::integer, executor_id = NULL, nonce = NULL,
             permit_until = NULL, lease_until = NULL, updated_at = t
      FROM stale s WHERE o.operation_id = s.operation_id RETURNING o.lane, s.lost)
    SELECT b.lane, b.lost, count(*) FROM back b GROUP BY b.lane, b.lost;
END $$;
GRANT EXECUTE ON FUNCTION kernel.requeue(integer, integer) TO writ_kernel_worker;
