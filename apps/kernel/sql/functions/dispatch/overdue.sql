-- Returns operations of all tenants whose executor is lost or never came and that must end, p_rows of each kind at
-- most:
--   - running calls whose lease has run out and that may not be tried again: an external effect has begun, a
--     cancellation was requested, a freeze covers them, or they have lost p_leases_max leases with this one;
--   - waiting calls that no executor redeemed in time (kernel.waits_until).
-- Called as the worker's role; the tenant's role ends each, with a record.
CREATE OR REPLACE FUNCTION kernel.overdue(p_leases_max integer, p_rows integer)
RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    (SELECT o.tenant_id, o.operation_id FROM operation o
     WHERE o.state = 'performing' AND o.lease_until < t AND (o.effect_started OR o.cancel_requested OR o.leases_lost + 1 >= p_leases_max
       OR freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL)
     ORDER BY o.lease_until LIMIT p_rows)
    UNION ALL
    (SELECT o.tenant_id, o.operation_id FROM operation o WHERE o.state = 'admitted' AND kernel.waits_until(o.deadline, o.created_at) <= t
     ORDER BY kernel.waits_until(o.deadline, o.created_at) LIMIT p_rows);
END $$;
GRANT EXECUTE ON FUNCTION kernel.overdue(integer, integer) TO writ_kernel_worker;
