-- Returns erasures of all tenants whose calls aren't done, oldest first, p_rows at most: [{tenant_id, erasure_id}].
-- Called as the worker's role; the tenant's role erases.
CREATE OR REPLACE FUNCTION kernel.running_erasures(p_rows integer) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('tenant_id', e.tenant_id, 'erasure_id', e.erasure_id)), '[]')
  FROM (SELECT x.tenant_id, x.erasure_id FROM erasure x WHERE x.state = 'running' AND NOT x.calls_done ORDER BY x.created_at, x.erasure_id LIMIT p_rows) e
$$;
GRANT EXECUTE ON FUNCTION kernel.running_erasures(integer) TO writ_kernel_worker;
