-- Deletes up to p_rows references to full outputs that have expired, and returns how many. Runs as the worker role.
-- The blobs themselves go with the next garbage collection.
CREATE OR REPLACE FUNCTION kernel.sweep_outputs(p_rows integer) RETURNS integer
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE n integer;
BEGIN
  WITH over AS (SELECT k.operation_id FROM kept_output k WHERE k.expires_at <= now_ms() LIMIT p_rows)
  DELETE FROM kept_output k USING over WHERE k.operation_id = over.operation_id;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
GRANT EXECUTE ON FUNCTION kernel.sweep_outputs(integer) TO writ_kernel_worker;
