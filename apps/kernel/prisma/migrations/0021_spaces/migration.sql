-- What a history tells of each of its states, and which state stood at a moment.

ALTER TABLE kernel.snapshot
  -- how it became the head; what a call committed is told by its operation_id
  ADD COLUMN kind    text NOT NULL DEFAULT 'committed' CHECK (kind IN ('created', 'committed', 'changed', 'restored', 'imported')),
  -- the API key of whoever made it; null for a call's, whose operation names the agent
  ADD COLUMN made_by text;

-- The state that was the head at that moment (milliseconds), null before there was a workspace. Halves the history instead of reading it, and needs no index that
-- each commit would pay for: states follow each other in time, but for the milliseconds that two commits of one moment took.
CREATE FUNCTION kernel.snapshot_at(p_workspace text, p_at bigint) RETURNS text LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
DECLARE v_low bigint := -1; v_high bigint; v_middle bigint; v_at bigint;
BEGIN
  SELECT w.head_seq + 1 INTO v_high FROM workspace w WHERE w.workspace_id = p_workspace;
  WHILE v_high - v_low > 1 LOOP
    v_middle := (v_low + v_high) / 2;
    SELECT s.created_at INTO v_at FROM snapshot s WHERE s.workspace_id = p_workspace AND s.seq = v_middle;
    -- A state that isn't in the table is older than the history that is kept.
    IF v_at IS NULL OR v_at <= p_at THEN v_low := v_middle; ELSE v_high := v_middle; END IF;
  END LOOP;
  RETURN (SELECT s.snapshot_id FROM snapshot s WHERE s.workspace_id = p_workspace AND s.seq = v_low AND s.created_at <= p_at);
END $$;
GRANT EXECUTE ON FUNCTION kernel.snapshot_at(text, bigint) TO writ_kernel;
