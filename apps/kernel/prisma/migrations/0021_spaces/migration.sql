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

-- When the tenant's contents were last looked through for what nothing names.
ALTER TABLE kernel.tenant ADD COLUMN collected_at bigint;
CREATE INDEX tenant_by_collection ON kernel.tenant ((coalesce(collected_at, created_at)));
GRANT SELECT (created_at, collected_at), UPDATE (collected_at) ON kernel.tenant TO writ_kernel_worker;

-- The tenant whose turn it is, null where nobody's is: {tenant_id, now}. Run as the worker; one replica gets it in p_every milliseconds.
CREATE FUNCTION kernel.take_collection(p_every bigint) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v_tenant text;
BEGIN
  UPDATE tenant n SET collected_at = now_ms() WHERE n.tenant_id = (
    SELECT d.tenant_id FROM tenant d WHERE coalesce(d.collected_at, d.created_at) < now_ms() - p_every
    ORDER BY coalesce(d.collected_at, d.created_at) LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING n.tenant_id INTO v_tenant;
  RETURN CASE WHEN v_tenant IS NULL THEN NULL ELSE jsonb_build_object('tenant_id', v_tenant, 'now', now_ms()) END;
END $$;
GRANT EXECUTE ON FUNCTION kernel.take_collection(bigint) TO writ_kernel_worker;
