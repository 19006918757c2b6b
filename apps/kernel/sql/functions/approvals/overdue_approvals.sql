-- Returns pending approvals whose time is over, of all tenants, oldest first. Called as the worker's role; the tenant's
-- role then ends each call with kernel.end_held.
CREATE OR REPLACE FUNCTION kernel.overdue_approvals(p_limit integer) RETURNS TABLE (tenant_id text, approval_id text)
LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  SELECT a.tenant_id, a.approval_id FROM approval a WHERE a.state = 'pending' AND a.expires_at <= now_ms() ORDER BY a.expires_at LIMIT p_limit;
$$;
GRANT EXECUTE ON FUNCTION kernel.overdue_approvals(integer) TO writ_kernel_worker;
