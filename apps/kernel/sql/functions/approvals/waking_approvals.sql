-- Returns pending approvals whose next escalation or reminder is due, of all tenants, oldest first. Called as the worker's
-- role; the tenant's role then escalates (kernel.escalate_approval) or reminds (kernel.remind_approval).
CREATE OR REPLACE FUNCTION kernel.waking_approvals(p_limit integer) RETURNS TABLE (tenant_id text, approval_id text)
LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  SELECT a.tenant_id, a.approval_id FROM approval a
  WHERE a.state = 'pending' AND a.wakes_at <= now_ms() AND a.expires_at > now_ms() ORDER BY a.wakes_at LIMIT p_limit;
$$;
GRANT EXECUTE ON FUNCTION kernel.waking_approvals(integer) TO writ_kernel_worker;
