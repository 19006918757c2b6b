-- Returns the snapshot that was the head at a moment (milliseconds); null before the workspace existed or before the
-- history that is kept.
-- Binary search over seq, by primary key: an index by time would cost each commit. Snapshots follow each other in time,
-- except that two commits of the same moment may differ by milliseconds.
CREATE OR REPLACE FUNCTION kernel.snapshot_at(p_workspace text, p_at bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
DECLARE v_low bigint := -1; v_high bigint; v_middle bigint; v_at bigint;
BEGIN
  SELECT w.head_seq + 1 INTO v_high FROM workspace w WHERE w.workspace_id = p_workspace;
  WHILE v_high - v_low > 1 LOOP
    v_middle := (v_low + v_high) / 2;
    SELECT s.created_at INTO v_at FROM snapshot s WHERE s.workspace_id = p_workspace AND s.seq = v_middle;
    -- A seq without a row is older than the history that is kept.
    IF v_at IS NULL OR v_at <= p_at THEN v_low := v_middle; ELSE v_high := v_middle; END IF;
  END LOOP;
  RETURN (SELECT s.snapshot_id FROM snapshot s WHERE s.workspace_id = p_workspace AND s.seq = v_low AND s.created_at <= p_at);
END $$;
GRANT EXECUTE ON FUNCTION kernel.snapshot_at(text, bigint) TO writ_kernel;
