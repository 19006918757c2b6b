-- Takes back a permit that could not be published: the preview waits again.
-- Returns false where the attempt has moved on. Runs as the worker role.
CREATE OR REPLACE FUNCTION kernel.undispatch_preview(p_operation text, p_attempt integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  UPDATE preview SET state = 'waiting', permit_until = NULL, updated_at = now_ms() WHERE operation_id = p_operation AND attempt = p_attempt AND state = 'dispatched';
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.undispatch_preview(text, integer) TO writ_kernel_worker;
