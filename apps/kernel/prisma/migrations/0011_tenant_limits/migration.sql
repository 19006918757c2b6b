-- Limits that the platform sets for one tenant, beside its weight and cap: kept where calls are decided, read by the doors within half a second.

ALTER TABLE kernel.tenant
  -- at each replica of the door; null: as the door is set up
  ADD COLUMN requests_per_second integer CHECK (requests_per_second BETWEEN 1 AND 1000000),
  ADD COLUMN request_burst       integer CHECK (request_burst BETWEEN 1 AND 1000000),
  -- most calls that wait for an executor; one more is not admitted
  ADD COLUMN waiting_max         integer NOT NULL DEFAULT 1000 CHECK (waiting_max BETWEEN 1 AND 1000000),
  -- when the limits were last set; null: never, so they are what everybody has
  ADD COLUMN limits_at           bigint;

CREATE INDEX tenant_limits ON kernel.tenant (limits_at) WHERE limits_at IS NOT NULL;

GRANT UPDATE (weight, cap, requests_per_second, request_burst, waiting_max, limits_at) ON kernel.tenant TO writ_kernel;
GRANT SELECT (requests_per_second, request_burst, waiting_max, limits_at) ON kernel.tenant TO writ_kernel_worker;

-- Whether as many calls of the tenant wait for an executor as may, or would with p_calls more, but the last. Calls that are decided at the same moment don't see each other, so as many more may get in as are decided at once.
CREATE FUNCTION kernel.queue_is_full(p_tenant text, p_calls integer DEFAULT 1) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
DECLARE v_max integer;
BEGIN
  SELECT n.waiting_max INTO v_max FROM tenant n WHERE n.tenant_id = p_tenant;
  -- Counts no further than it must, over the index of what waits.
  PERFORM 1 FROM operation w WHERE w.state = 'admitted' AND w.lane IN ('inline', 'sandboxed', 'broker') AND w.tenant_id = p_tenant OFFSET greatest(v_max - p_calls, 0) LIMIT 1;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.queue_is_full(text, integer) TO writ_kernel;

-- The limits of tenants that were set since, by tenant after p_after: {now, items}. Run as the worker.
CREATE FUNCTION kernel.limits_since(p_since bigint, p_after text, p_limit integer) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN jsonb_build_object('now', now_ms(), 'items', coalesce((
    SELECT jsonb_agg(to_jsonb(x) ORDER BY x.tenant_id) FROM (
      SELECT n.tenant_id, n.requests_per_second, n.request_burst, n.weight, n.cap AS running_max, n.waiting_max, n.limits_at AS changed_at
      FROM tenant n WHERE n.limits_at >= p_since AND n.tenant_id > p_after ORDER BY n.tenant_id LIMIT p_limit) x), '[]'));
END $$;
GRANT EXECUTE ON FUNCTION kernel.limits_since(bigint, text, integer) TO writ_kernel_worker;
