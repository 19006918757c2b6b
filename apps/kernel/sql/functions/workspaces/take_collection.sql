-- Claims the tenant whose garbage collection is due, and returns {tenant_id, now}; null where none is due.
-- p_every: milliseconds between two collections of a tenant. The claim is the new collected_at, so one replica gets it.
-- Runs as the worker role. Rows that another replica has locked are skipped.
CREATE OR REPLACE FUNCTION kernel.take_collection(p_every bigint) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v_tenant text;
BEGIN
  UPDATE tenant n SET collected_at = now_ms() WHERE n.tenant_id = (
    SELECT d.tenant_id FROM tenant d WHERE coalesce(d.collected_at, d.created_at) < now_ms() - p_every
    ORDER BY coalesce(d.collected_at, d.created_at) LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING n.tenant_id INTO v_tenant;
  RETURN CASE WHEN v_tenant IS NULL THEN NULL ELSE jsonb_build_object('tenant_id', v_tenant, 'now', now_ms()) END;
END $$;
GRANT EXECUTE ON FUNCTION kernel.take_collection(bigint) TO writ_kernel_worker;
