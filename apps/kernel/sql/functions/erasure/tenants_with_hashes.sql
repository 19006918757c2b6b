-- Returns tenants, p_rows at most, that have calls of which only hashes stay, and that ended more than p_after_ms ago.
-- Called as the worker's role; the caller then calls kernel.begin_hashes as the role of each.
CREATE OR REPLACE FUNCTION kernel.tenants_with_hashes(p_after_ms bigint, p_rows integer) RETURNS text[]
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(array_agg(d.tenant_id), '{}') FROM (
    SELECT DISTINCT o.tenant_id FROM operation o WHERE o.retention = 'hashes' AND o.erased IS NULL
      AND (o.state IN ('refused', 'committed', 'rolled_back', 'no_op') OR (o.state = 'ambiguous' AND o.resolution IS NOT NULL))
      AND o.updated_at < now_ms() - p_after_ms LIMIT p_rows) d
$$;
GRANT EXECUTE ON FUNCTION kernel.tenants_with_hashes(bigint, integer) TO writ_kernel_worker;
