-- Returns whether a freeze covers all calls of a tenant, so that the dispatcher needn't check them one by one.
CREATE OR REPLACE FUNCTION kernel.stands_still(p_tenant text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM kernel.freeze f WHERE f.tenant_id IN (p_tenant, '*') AND f.scope IN ('all', 'tenant') AND f.lifted_at IS NULL AND coalesce(f.expires_at > now_ms(), true));
END $$;
GRANT EXECUTE ON FUNCTION kernel.stands_still(text) TO writ_kernel_worker;
