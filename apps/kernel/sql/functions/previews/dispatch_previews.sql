-- Dispatches waiting previews of a lane to executors. Tenants take turns, and each tenant's oldest preview goes first.
-- Calls take precedence: a preview is dispatched only while fewer than p_outstanding calls and previews of the lane are
-- dispatched. The kernel passes its free slots here, and twice as many to kernel.dispatch_by_class. A tenant's `cap`
-- bounds its calls and previews together here, while kernel.dispatch_by_class counts calls only.
-- p_ttl_ms: how long the permits are valid.
--
-- Returns {calls, more, issued_at, expires_at}. calls: [{operation_id, tenant_id, attempt, tool_id, action_digest,
-- image_digest, traceparent}]. more: whether previews of the lane still wait. Where none waits, both times are 0.
-- Runs as the worker role. Lock: the advisory lock of the lane, which kernel.dispatch_by_class takes too, since both
-- count what is dispatched. Rows that another transaction has locked are skipped.
CREATE OR REPLACE FUNCTION kernel.dispatch_previews(p_lane text, p_outstanding integer, p_ttl_ms bigint) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t     bigint;
  room  integer;
  calls jsonb;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM preview w WHERE w.state = 'waiting' AND w.lane = p_lane) THEN RETURN '{"calls":[],"more":false,"issued_at":0,"expires_at":0}'; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('writ.dispatch.' || p_lane));
  t := now_ms();
  room := p_outstanding - (SELECT count(*) FROM operation o WHERE o.state = 'dispatched' AND o.lane = p_lane)
    - (SELECT count(*) FROM preview w WHERE w.state = 'dispatched' AND w.lane = p_lane);
  WITH RECURSIVE waits AS (
    (SELECT w.tenant_id FROM preview w WHERE w.state = 'waiting' AND w.lane = p_lane ORDER BY w.tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT w.tenant_id FROM preview w WHERE w.state = 'waiting' AND w.lane = p_lane AND w.tenant_id > s.tenant_id ORDER BY w.tenant_id LIMIT 1)
    FROM waits s WHERE s.tenant_id IS NOT NULL),
  turns AS (
    SELECT x.operation_id, x.created_at, x.nth FROM waits s JOIN tenant n ON n.tenant_id = s.tenant_id CROSS JOIN LATERAL (
      SELECT w.operation_id, w.created_at, row_number() OVER (ORDER BY w.created_at, w.operation_id) AS nth
      FROM preview w JOIN operation c ON c.operation_id = w.operation_id
      WHERE w.state = 'waiting' AND w.lane = p_lane AND w.tenant_id = s.tenant_id AND freeze_on(c.tenant_id, c.agent_id, c.tool_id, c.capability_token_id) IS NULL
      ORDER BY w.created_at, w.operation_id
      LIMIT greatest(0, least(room, n.cap
        - (SELECT count(*) FROM operation b WHERE b.tenant_id = s.tenant_id AND b.state IN ('dispatched', 'performing'))
        - (SELECT count(*) FROM preview b WHERE b.tenant_id = s.tenant_id AND b.state IN ('dispatched', 'performing'))))) x),
  next AS (
    SELECT v.operation_id FROM preview v JOIN turns USING (operation_id) ORDER BY turns.nth, turns.created_at LIMIT greatest(0, room) FOR UPDATE OF v SKIP LOCKED),
  sent AS (
    UPDATE preview v SET state = 'dispatched', attempt = v.attempt + 1, permit_until = t + p_ttl_ms,
           executor_id = NULL, nonce = NULL, lease_until = NULL, started_at = NULL, updated_at = t
    FROM next, operation o WHERE v.operation_id = next.operation_id AND o.operation_id = v.operation_id
    RETURNING v.operation_id, v.tenant_id, v.attempt, o.tool_id, v.action_digest, v.image_digest, o.traceparent)
  SELECT coalesce(jsonb_agg(to_jsonb(sent)), '[]') INTO calls FROM sent;
  RETURN jsonb_build_object('calls', calls, 'issued_at', t, 'expires_at', t + p_ttl_ms,
    'more', EXISTS (SELECT 1 FROM preview w WHERE w.state = 'waiting' AND w.lane = p_lane));
END $$;
GRANT EXECUTE ON FUNCTION kernel.dispatch_previews(text, integer, bigint) TO writ_kernel_worker;
