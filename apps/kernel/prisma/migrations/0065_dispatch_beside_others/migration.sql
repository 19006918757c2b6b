-- kernel.dispatch as before, but for who is alone in the lane. A tenant whose calls run for long is dispatched nothing meanwhile, so "lately dispatched" alone
-- forgot it, and then its waiting calls filled the lane before a tenant that had called all the time. Whether a tenant is alone is asked for each tenant now:
-- p_alone is the only one that the replica saw lately, or null: p_most doesn't bound it, and bounds everybody else. The six-argument function stays for the version before.
CREATE FUNCTION kernel.dispatch(p_lane text, p_outstanding integer, p_ttl_ms bigint, p_after text, p_left integer, p_most integer, p_alone text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t        bigint;
  room     integer;
  place    text := p_after;
  turn     integer := p_left;
  resumes  boolean := p_left > 0;
  waiting  text;
  share    integer;
  weighs   integer;
  taken    jsonb;
  calls    jsonb := '[]';
  more     boolean := false;
  round    bigint := 1;
  wrapped  boolean := false;
  progress boolean := false;
  -- Bounds one pass when thousands of tenants wait at their caps; the next pass goes on from there.
  visits   integer := 512;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('writ.dispatch.' || p_lane));
  t := now_ms();
  SELECT p_outstanding - count(*) INTO room FROM operation o WHERE o.state = 'dispatched' AND o.lane = p_lane;
  LOOP
    IF room <= 0 OR visits = 0 THEN
      more := true;
      EXIT;
    END IF;
    visits := visits - 1;
    SELECT w.tenant_id INTO waiting FROM operation w
      WHERE w.state = 'admitted' AND w.lane = p_lane AND w.tenant_id >= place AND (resumes OR w.tenant_id > place) AND kernel.waits_until(w.deadline, w.created_at) > t
      ORDER BY w.tenant_id LIMIT 1;
    IF NOT FOUND THEN
      EXIT WHEN wrapped AND NOT progress;
      -- A pass may begin in the middle, so the first time round is no whole one.
      IF wrapped THEN round := round * 2; END IF;
      wrapped := true; progress := false; place := ''; turn := 0; resumes := false;
      CONTINUE;
    END IF;
    resumes := resumes AND waiting = place;
    place := waiting;
    IF NOT resumes THEN turn := 0; END IF;
    CONTINUE WHEN stands_still(waiting);
    SELECT CASE WHEN resumes THEN turn ELSE least(n.weight * round, 1000000) END,
        least(n.cap - count(b.operation_id),
          CASE WHEN place = p_alone THEN NULL ELSE p_most * n.weight END
            - count(b.operation_id) FILTER (WHERE b.lane = p_lane))
      INTO turn, share FROM tenant n LEFT JOIN operation b ON b.tenant_id = n.tenant_id AND b.state IN ('dispatched', 'performing')
      WHERE n.tenant_id = place GROUP BY n.tenant_id, n.weight, n.cap;
    resumes := false;
    weighs := least(turn, room);
    more := more OR share < weighs;
    WITH next AS (
      SELECT w.operation_id FROM operation w
      WHERE w.state = 'admitted' AND w.lane = p_lane AND w.tenant_id = place AND kernel.waits_until(w.deadline, w.created_at) > t
        AND freeze_on(w.tenant_id, w.agent_id, w.tool_id, w.capability_token_id) IS NULL
      ORDER BY w.created_at, w.operation_id LIMIT greatest(0, least(weighs, share)) FOR UPDATE SKIP LOCKED),
    sent AS (
      UPDATE operation o SET state = 'dispatched', attempt = o.attempt + 1, permit_until = t + p_ttl_ms,
             executor_id = NULL, nonce = NULL, lease_until = NULL, updated_at = t
      FROM next WHERE o.operation_id = next.operation_id
      RETURNING o.operation_id, o.tenant_id, o.attempt, o.tool_id, o.action_digest, o.image_digest, o.traceparent)
    SELECT coalesce(jsonb_agg(to_jsonb(sent)), '[]') INTO taken FROM sent;
    calls := calls || taken;
    room := room - jsonb_array_length(taken);
    -- A turn ends with what waits: nothing is saved up.
    turn := CASE WHEN jsonb_array_length(taken) < least(weighs, share) THEN 0 ELSE turn - jsonb_array_length(taken) END;
    progress := progress OR taken <> '[]';
    -- Somebody else holds the row for a moment.
    more := more OR (taken = '[]' AND share > 0);
  END LOOP;
  RETURN jsonb_build_object('calls', calls, 'more', more, 'place', place, 'left', turn, 'issued_at', t, 'expires_at', t + p_ttl_ms);
END $$;

GRANT EXECUTE ON FUNCTION
  kernel.dispatch(text, integer, bigint, text, integer, integer, text) TO writ_kernel_worker;
