-- Dispatches waiting calls of a lane, shared fairly between tenants (round-robin), and within a tenant by scheduling
-- class and age (ADR 0113). Called as the worker's role. Each call gets a new attempt and a permit that is valid for
-- p_ttl_ms.
--
-- p_outstanding: how many calls of the lane may be dispatched and not redeemed, over all replicas. p_after, p_left:
-- `place` and `left` of the last pass; the pass begins with the tenant after p_after, or with p_after itself where
-- p_left is above 0. p_most: how many calls of the lane a tenant of weight 1 may have under way beside others; null for
-- no such bound. p_alone: the tenant that alone has used the lane lately, or null; p_most doesn't bound it.
-- p_background: how many calls of the lane that aren't interactive may be under way, over all tenants; null for no such
-- bound.
--
-- Returns {calls, more, place, left, issued_at, expires_at}:
--   calls  [{operation_id, tenant_id, attempt, tool_id, action_digest, image_digest, traceparent,
--          scheduling_class}]
--   more   whether calls may still wait that could be dispatched later
--   place  the last tenant that was served
--   left   what is left of its turn
--
-- A tenant's turn is `weight` calls. It doubles with each round, so that few visits serve a tenant that waits alone. A
-- tenant never has more than `cap` calls dispatched or performing; those that its own processes run don't count.
-- A call that has waited too long (kernel.waits_until)
-- is left to the sweeper, and one that a freeze covers isn't dispatched.
--
-- Of a tenant's calls, the one with the lowest rank goes first: its time of arrival, plus 30 s for `background` and
-- 300 s for `maintenance` (`AGES_AFTER_MS` in libs/fairness). So a background call that has waited for 30 s ranks like
-- an interactive one that arrives now, and before all that arrive later. While p_background calls are under way, only
-- interactive ones are dispatched.
--
-- Whether a tenant is alone comes from the caller. The database can't derive it from the calls that were dispatched
-- lately: a tenant whose calls run for long has none of these and still uses the lane.
--
-- Locks: the lane's advisory lock until COMMIT, then the calls; rows that others have locked are skipped. All bounds
-- are counts, and one transaction doesn't see what another adds. So only one transaction at a time dispatches in a
-- lane.
--
-- The caller doesn't wait for the COMMIT to reach the disk. A call whose dispatch is lost is `admitted` again, so its
-- permit can't be redeemed.
CREATE OR REPLACE FUNCTION kernel.dispatch_by_class(
  p_lane text, p_outstanding integer, p_ttl_ms bigint, p_after text, p_left integer, p_most integer, p_alone text,
  p_background integer
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t        bigint;
  room     integer;
  -- How many calls that aren't interactive may still be dispatched.
  behind   integer := 1000000;
  place    text := p_after;
  turn     integer := p_left;
  resumes  boolean := p_left > 0;
  waiting  text;
  share    integer;
  weighs   integer;
  takes    integer;
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
  IF p_background IS NOT NULL THEN
    SELECT p_background - count(*) INTO behind FROM operation b
      WHERE b.state IN ('dispatched', 'performing') AND b.lane = p_lane AND b.scheduling_class <> 'interactive';
  END IF;
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
      -- A pass may begin in the middle of the tenants, so no round is complete when it wraps for the first time.
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
      INTO turn, share FROM tenant n LEFT JOIN operation b ON b.tenant_id = n.tenant_id AND b.state IN ('dispatched', 'performing') AND b.lane NOT IN ('function', 'caller')
      WHERE n.tenant_id = place GROUP BY n.tenant_id, n.weight, n.cap;
    resumes := false;
    weighs := least(turn, room);
    more := more OR share < weighs;
    takes := greatest(0, least(weighs, share));
    -- Each class is read in the order of the index, as far as it can be needed, and the classes are merged by rank.
    WITH waits AS (
      SELECT w.operation_id, c.class, w.created_at + c.ages_after AS rank
      FROM (VALUES ('interactive', 0::bigint, takes), ('background', 30000, least(takes, behind)), ('maintenance', 300000, least(takes, behind)))
        AS c(class, ages_after, most)
      CROSS JOIN LATERAL (
        SELECT w.operation_id, w.created_at FROM operation w
        WHERE w.state = 'admitted' AND w.lane = p_lane AND w.tenant_id = place AND w.scheduling_class = c.class AND kernel.waits_until(w.deadline, w.created_at) > t
          AND freeze_on(w.tenant_id, w.agent_id, w.tool_id, w.capability_token_id) IS NULL
        ORDER BY w.created_at, w.operation_id LIMIT greatest(0, c.most) FOR UPDATE SKIP LOCKED) w),
    ranked AS (
      SELECT w.operation_id, w.rank, w.class = 'interactive' OR count(*) FILTER (WHERE w.class <> 'interactive') OVER (ORDER BY w.rank, w.operation_id) <= behind AS fits
      FROM waits w),
    next AS (SELECT r.operation_id FROM ranked r WHERE r.fits ORDER BY r.rank, r.operation_id LIMIT takes),
    sent AS (
      UPDATE operation o SET state = 'dispatched', attempt = o.attempt + 1, permit_until = t + p_ttl_ms,
             executor_id = NULL, nonce = NULL, lease_until = NULL, updated_at = t
      FROM next WHERE o.operation_id = next.operation_id
      RETURNING o.operation_id, o.tenant_id, o.attempt, o.tool_id, o.action_digest, o.image_digest, o.traceparent, o.scheduling_class)
    SELECT coalesce(jsonb_agg(to_jsonb(sent)), '[]'), behind - count(*) FILTER (WHERE sent.scheduling_class <> 'interactive') INTO taken, behind FROM sent;
    calls := calls || taken;
    room := room - jsonb_array_length(taken);
    -- A turn ends when none of the tenant's calls wait any more: the rest of a turn isn't saved.
    turn := CASE WHEN jsonb_array_length(taken) < takes THEN 0 ELSE turn - jsonb_array_length(taken) END;
    progress := progress OR taken <> '[]';
    -- Other transactions have locked the rows for a moment, or interactive calls have the room that is left.
    more := more OR (taken = '[]' AND share > 0);
  END LOOP;
  RETURN jsonb_build_object('calls', calls, 'more', more, 'place', place, 'left', turn, 'issued_at', t, 'expires_at', t + p_ttl_ms);
END $$;
GRANT EXECUTE ON FUNCTION kernel.dispatch_by_class(text, integer, bigint, text, integer, integer, text, integer)
  TO writ_kernel_worker;
