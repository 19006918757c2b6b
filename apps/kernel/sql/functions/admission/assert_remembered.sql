-- Asserts that cached facts are still what kernel.facts_of_call would return now. It covers only the facts that nothing else in
-- an admission asserts: the time, the outbox, the room in the queue, the workspace's head and the session's past.
--
-- o: the operation that is being written. p holds:
--   now      the time that the call was decided at. It may be one second old, as long as a call may wait for a
--            connection.
--   head     the workspace's head
--   session  the session that the call counts for
--   past     {asked, seen}: what kernel.session_past was asked and what it returned; null where nothing was asked
--   room     the number of calls that the caller admits on this one look at outbox and queue; null for no look. The
--            look costs most of this function, so one look serves several calls. All of them are interactive as `o` is,
--            or none is.
--
-- Raises WR001 `time`, `outbox`, `queue`, `workspace` or `past`. The caller then reads the facts and decides again.
-- `outbox` means that a record waits for more than a second, and `queue` that not all of `room` calls fit. With facts
-- that are read, the backlog is counted and the room is that for one call.
--
-- Bitmap scans are off, so that the oldest record is read in the order of its index (see kernel.facts_of_call).
CREATE OR REPLACE FUNCTION kernel.assert_remembered(o kernel.operation, p jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp SET enable_bitmapscan = off AS $$
DECLARE t bigint := now_ms();
BEGIN
  IF t - (p->>'now')::bigint NOT BETWEEN -50 AND 1000 THEN PERFORM decide_again('time'); END IF;
  IF p->'room' IS DISTINCT FROM 'null' THEN
    IF (SELECT x.created_at FROM outbox x ORDER BY x.created_at LIMIT 1) < t - 1000 THEN PERFORM decide_again('outbox'); END IF;
    IF (CASE WHEN o.scheduling_class = 'interactive' THEN queue_is_full(o.tenant_id, (p->>'room')::integer)
      ELSE background_queue_is_full(o.tenant_id, (p->>'room')::integer) END) THEN PERFORM decide_again('queue'); END IF;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM workspace w WHERE w.workspace_id = o.workspace_id AND w.head_snapshot_id = p->>'head') THEN PERFORM decide_again('workspace'); END IF;
  IF p->'past' <> 'null' AND session_past(o.tenant_id, p->>'session', o.operation_id, p#>'{past,asked}') IS DISTINCT FROM p#>'{past,seen}' THEN PERFORM decide_again('past'); END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_remembered(kernel.operation, jsonb) TO writ_kernel;
