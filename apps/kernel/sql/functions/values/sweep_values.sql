-- Deletes up to p_rows session values that have expired, or whose one call has ended. Returns how many.
-- Runs as the worker role, which may read only the columns that this needs.
CREATE OR REPLACE FUNCTION kernel.sweep_values(p_rows integer) RETURNS integer
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE n integer;
BEGIN
  WITH over AS (
    SELECT v.approval_id FROM session_value v LEFT JOIN operation o ON o.operation_id = v.taken_by
    WHERE v.expires_at <= now_ms() OR o.state IN ('refused', 'committed', 'rolled_back', 'no_op', 'ambiguous') LIMIT p_rows)
  DELETE FROM session_value v USING over WHERE v.approval_id = over.approval_id;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
GRANT EXECUTE ON FUNCTION kernel.sweep_values(integer) TO writ_kernel_worker;
