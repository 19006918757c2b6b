-- The master key may be changed: a tenant's keys are wrapped anew, one tenant a transaction, with its record.

-- Tells which master key the tenant's keys are wrapped under, and nothing about it; null: nobody said.
ALTER TABLE kernel.tenant ADD COLUMN master_key_id text;
GRANT UPDATE (data_key, finger_key, master_key_id) ON kernel.tenant TO writ_kernel;
GRANT SELECT (master_key_id) ON kernel.tenant TO writ_kernel_worker;

-- Tenants whose keys are not said to be under that master key, after p_after. Run as the worker.
CREATE FUNCTION kernel.wrapped_otherwise(p_key text, p_after text, p_limit integer) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(x.tenant_id ORDER BY x.tenant_id), '[]') FROM (
    SELECT t.tenant_id FROM tenant t WHERE t.master_key_id IS DISTINCT FROM p_key AND t.tenant_id > p_after ORDER BY t.tenant_id LIMIT p_limit) x);
END $$;
GRANT EXECUTE ON FUNCTION kernel.wrapped_otherwise(text, text, integer) TO writ_kernel_worker;
