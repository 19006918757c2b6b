-- Returns the ids of tenants, ordered and after p_after, whose keys are not marked as wrapped under the master key
-- p_key. Tenants without any mark are among them.
-- Runs as the worker role. The kernel then wraps the keys of each tenant anew (RewrapKeys).
CREATE OR REPLACE FUNCTION kernel.wrapped_otherwise(p_key text, p_after text, p_limit integer) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(x.tenant_id ORDER BY x.tenant_id), '[]') FROM (
    SELECT t.tenant_id FROM tenant t WHERE t.master_key_id IS DISTINCT FROM p_key AND t.tenant_id > p_after ORDER BY t.tenant_id LIMIT p_limit) x);
END $$;
GRANT EXECUTE ON FUNCTION kernel.wrapped_otherwise(text, text, integer) TO writ_kernel_worker;
