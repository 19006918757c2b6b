-- Returns the verdict that a head has moved, with the present one: {verdict: again, head: {snapshot_id, seq}}.
-- Used by kernel.finish.
CREATE OR REPLACE FUNCTION kernel.moved_head(p_workspace text) RETURNS jsonb
LANGUAGE sql VOLATILE SET search_path = kernel, pg_temp AS $$
  SELECT jsonb_build_object('verdict', 'again', 'head', jsonb_build_object('snapshot_id', w.head_snapshot_id, 'seq', w.head_seq))
  FROM workspace w WHERE w.workspace_id = p_workspace
$$;
GRANT EXECUTE ON FUNCTION kernel.moved_head(text) TO writ_kernel;
