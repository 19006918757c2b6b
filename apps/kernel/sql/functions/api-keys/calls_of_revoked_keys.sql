-- Returns calls of all tenants that a revoked API key proposed, that wait, and that haven't changed for p_older_ms. A
-- kernel that stopped in the middle of a revocation left them. A call that runs isn't among them: it ends with its
-- report or with its lease. Called as the worker's role; the tenant's role ends the calls.
CREATE OR REPLACE FUNCTION kernel.calls_of_revoked_keys(p_older_ms bigint, p_rows integer)
RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT o.tenant_id, o.operation_id FROM operation o
    WHERE o.key_revoked AND o.state IN ('admitted', 'held', 'dispatched') AND o.updated_at <= now_ms() - p_older_ms
    ORDER BY o.updated_at LIMIT p_rows;
END $$;
GRANT EXECUTE ON FUNCTION kernel.calls_of_revoked_keys(bigint, integer) TO writ_kernel_worker;
