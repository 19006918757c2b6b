-- Requeues previews whose executor did not respond in time: permits that were not redeemed, and leases that ran out
-- while further attempts are allowed (p_leases_max). Returns how many, by lane.
-- Runs as the worker role. Rows that another transaction has locked are skipped.
CREATE OR REPLACE FUNCTION kernel.requeue_previews(p_leases_max integer, p_rows integer)
RETURNS TABLE (lane text, count bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH stale AS (
      SELECT v.operation_id, v.state = 'performing' AS lost FROM preview v
      WHERE (v.state = 'dispatched' AND v.permit_until < t) OR (v.state = 'performing' AND v.lease_until < t AND v.leases_lost + 1 < p_leases_max)
      ORDER BY v.updated_at LIMIT p_rows FOR UPDATE SKIP LOCKED),
    back AS (
      UPDATE preview v SET state = 'waiting', leases_lost = v.leases_lost + s.lost::integer, executor_id = NULL, nonce = NULL,
             permit_until = NULL, lease_until = NULL, started_at = NULL, updated_at = t
      FROM stale s WHERE v.operation_id = s.operation_id RETURNING v.lane)
    SELECT b.lane, count(*) FROM back b GROUP BY b.lane;
END $$;
GRANT EXECUTE ON FUNCTION kernel.requeue_previews(integer, integer) TO writ_kernel_worker;
