-- Returns previews that lost their last executor: the lease ran out, and no further attempt is allowed.
-- p_leases_max: attempts that a preview may lose. Runs as the worker role; the kernel then ends each with a record, as
-- the tenant's role (kernel.end_preview).
CREATE OR REPLACE FUNCTION kernel.lost_previews(p_leases_max integer, p_rows integer)
RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  SELECT v.tenant_id, v.operation_id FROM preview v
  WHERE v.state = 'performing' AND v.lease_until < now_ms() AND v.leases_lost + 1 >= p_leases_max ORDER BY v.lease_until LIMIT p_rows
$$;
GRANT EXECUTE ON FUNCTION kernel.lost_previews(integer, integer) TO writ_kernel_worker;
