-- Returns the bytes of the tenant's full outputs that have not expired, without those of the operation p_but.
-- With p_but null, all of them count. Called by kernel.keep_output, and by the kernel to show the tenant's limits.
CREATE OR REPLACE FUNCTION kernel.outputs_held(p_tenant text, p_but text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(sum((k.stdout_ref ->> 'size')::bigint + (k.stderr_ref ->> 'size')::bigint), 0)::bigint
  FROM kept_output k WHERE k.tenant_id = p_tenant AND k.expires_at > now_ms() AND k.operation_id IS DISTINCT FROM p_but;
$$;
GRANT EXECUTE ON FUNCTION kernel.outputs_held(text, text) TO writ_kernel;
