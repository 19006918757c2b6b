-- Deletes up to p_rows connections that are over: a consent that nobody gave in time, an hour after that, and what failed
-- or ended, after a week. What is still to be revoked stays. Returns how many. Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.sweep_mcp_connections(p_rows integer) RETURNS integer
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t bigint := now_ms();
  n integer;
BEGIN
  WITH over AS (
    SELECT c.connection_id FROM mcp_connection c
    WHERE (c.state IN ('asked', 'confirmed') AND coalesce(c.ended_at, c.expires_at) < t - 3600000)
      OR (c.state IN ('failed', 'ended') AND c.work IS NULL AND coalesce(c.ended_at, c.expires_at) < t - 604800000)
    LIMIT p_rows)
  DELETE FROM mcp_connection c USING over WHERE c.connection_id = over.connection_id;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
GRANT EXECUTE ON FUNCTION kernel.sweep_mcp_connections(integer) TO writ_kernel_worker;
