-- Returns {now, items}: tenants that were closed, or whose limits were set, at p_since or later: a page of p_limit by id
-- after p_after.
-- items: [{tenant_id, requests_per_second, request_burst, person_requests_per_second, person_request_burst, weight,
-- running_max, waiting_max, changed_at, closed}].
-- `now` is the database's clock. Runs as the worker role; services at the edge keep the limits in memory.
CREATE OR REPLACE FUNCTION kernel.tenant_changes_since(p_since bigint, p_after text, p_limit integer) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN jsonb_build_object('now', now_ms(), 'items', coalesce((
    SELECT jsonb_agg(to_jsonb(x) ORDER BY x.tenant_id) FROM (
      SELECT n.tenant_id, n.requests_per_second, n.request_burst, n.person_requests_per_second,
        n.person_request_burst, n.weight, n.cap AS running_max, n.waiting_max, n.limits_at AS changed_at,
        n.closed_at IS NOT NULL AS closed
      FROM tenant n WHERE n.limits_at >= p_since AND n.tenant_id > p_after ORDER BY n.tenant_id LIMIT p_limit) x), '[]'));
END $$;
GRANT EXECUTE ON FUNCTION kernel.tenant_changes_since(bigint, text, integer) TO writ_kernel_worker;
