-- Requests the cancellation of a running call. The caller tells the executor, and what the executor reports is rolled
-- back.
--
-- p_records: the record of the cancellation, as kernel.post_records takes it.
--
-- Returns {operation, recorded}. `recorded` is false where a cancellation was requested before; nothing was written
-- then. Returns null for a call that doesn't run.
CREATE OR REPLACE FUNCTION kernel.request_cancel(p_tenant text, p_operation text, p_records jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO v FROM operation o WHERE o.operation_id = p_operation AND o.state IN ('performing', 'performed') FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF v.cancel_requested THEN RETURN jsonb_build_object('operation', to_jsonb(v), 'recorded', false); END IF;
  UPDATE operation o SET cancel_requested = true, updated_at = now_ms() WHERE o.operation_id = p_operation RETURNING o.* INTO v;
  PERFORM post_records(p_tenant, p_records);
  RETURN jsonb_build_object('operation', to_jsonb(v), 'recorded', true);
END $$;
GRANT EXECUTE ON FUNCTION kernel.request_cancel(text, text, jsonb) TO writ_kernel;
