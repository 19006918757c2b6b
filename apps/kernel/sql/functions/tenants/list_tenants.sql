-- Returns tenants, newest first, p_rows at most, after the place (p_created_at, p_id): [{tenant_id, name, created_at,
-- closed_at, closed_by, close_reason}]. With p_open only those that are not closed. Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.list_tenants(p_created_at bigint, p_id text, p_open boolean, p_rows integer)
RETURNS jsonb
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.created_at DESC, x.tenant_id DESC), '[]') FROM (
    SELECT n.tenant_id, n.name, n.created_at, n.closed_at, n.closed_by, n.close_reason FROM tenant n
    WHERE (n.created_at, n.tenant_id) < (p_created_at, p_id) AND (NOT p_open OR n.closed_at IS NULL)
    ORDER BY n.created_at DESC, n.tenant_id DESC LIMIT p_rows) x
$$;
GRANT EXECUTE ON FUNCTION kernel.list_tenants(bigint, text, boolean, integer) TO writ_kernel_worker;
