-- Requests the cancellation of a running call as kernel.request_cancel does, because p_by kills its container. Sets
-- `killed_by` unless a cancellation was requested before. Returns what kernel.request_cancel returns.
CREATE OR REPLACE FUNCTION kernel.kill_call(p_tenant text, p_operation text, p_by text, p_records jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE asked jsonb;
BEGIN
  asked := request_cancel(p_tenant, p_operation, p_records);
  IF (asked ->> 'recorded')::boolean THEN UPDATE operation o SET killed_by = p_by WHERE o.operation_id = p_operation; END IF;
  RETURN asked;
END $$;
GRANT EXECUTE ON FUNCTION kernel.kill_call(text, text, text, jsonb) TO writ_kernel;
