-- Returns the tenant that is due for a look at its usage, and notes the look; null where none is due. A tenant is due
-- p_every milliseconds after its last look. Called as the worker's role; the caller then calls kernel.roll_up_usage as
-- the tenant's role. Replicas never get the same tenant, since rows that others have locked are skipped.
CREATE OR REPLACE FUNCTION kernel.take_usage(p_every bigint) RETURNS text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v_tenant text;
BEGIN
  UPDATE tenant n SET summed_at = now_ms() WHERE n.tenant_id = (
    SELECT d.tenant_id FROM tenant d WHERE coalesce(d.summed_at, 0) < now_ms() - p_every ORDER BY coalesce(d.summed_at, 0) LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING n.tenant_id INTO v_tenant;
  RETURN v_tenant;
END $$;
GRANT EXECUTE ON FUNCTION kernel.take_usage(bigint) TO writ_kernel_worker;
