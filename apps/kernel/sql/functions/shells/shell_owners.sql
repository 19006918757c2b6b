-- Returns the executors that have the shells of these calls' sessions, {operation_id: executor_id}. A call whose
-- session has no live shell is left out and may go to any executor. Runs as the worker role, for the dispatcher.
CREATE OR REPLACE FUNCTION kernel.shell_owners(p_operations text[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_object_agg(o.operation_id, s.executor_id), '{}')
    FROM operation o JOIN shell s ON s.tenant_id = o.tenant_id AND s.workspace_id = o.workspace_id AND s.capability_token_id = o.capability_token_id
      AND s.session_id = shell_key(o)
    WHERE o.operation_id = ANY (p_operations) AND s.ending IS NULL AND s.lease_until >= now_ms());
END $$;
GRANT EXECUTE ON FUNCTION kernel.shell_owners(text[]) TO writ_kernel_worker;
