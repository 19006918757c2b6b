-- Returns an operation with its sealed result: {now, operation, result}. Null where the tenant has no such operation.
-- `result` is base64, or null where there is none or where the result is in the blob store (result_ref).
-- The kernel reads this after every call, so it is one round trip.
CREATE OR REPLACE FUNCTION kernel.read_operation(p_tenant text, p_operation text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT jsonb_build_object('now', now_ms(), 'operation', to_jsonb(o),
      'result', CASE WHEN o.result_hash IS NOT NULL AND o.result_ref IS NULL THEN encode(y.result, 'base64') END)
    FROM operation o LEFT JOIN payload y ON y.operation_id = o.operation_id
    WHERE o.operation_id = p_operation);
END $$;
GRANT EXECUTE ON FUNCTION kernel.read_operation(text, text) TO writ_kernel;
