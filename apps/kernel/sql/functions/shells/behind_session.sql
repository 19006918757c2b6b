-- Returns whether a call was decided on a snapshot that is older than the newest one which a call of its session made.
-- Calls of a session are those of the same tool, token, and session or container.
--
-- A snapshot that the workspace had several times counts where it came last: a call that runs on it runs on all that
-- was committed until then.
CREATE OR REPLACE FUNCTION kernel.behind_session(o kernel.operation) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
DECLARE base bigint := (SELECT coalesce(max(b.seq), -1) FROM snapshot b WHERE b.workspace_id = o.workspace_id AND b.snapshot_id = o.state_snapshot_id);
BEGIN
  RETURN EXISTS (
    SELECT FROM snapshot n JOIN operation p ON p.operation_id = n.operation_id
    WHERE n.workspace_id = o.workspace_id AND n.seq > base
      AND p.tool_id = o.tool_id AND p.capability_token_id = o.capability_token_id AND shell_key(p) = shell_key(o));
END $$;
GRANT EXECUTE ON FUNCTION kernel.behind_session(kernel.operation) TO writ_kernel;
