-- What people and programs ask about and manage: lists, reads and the history of workspaces. Changes of state go through the kernel's ordinary
-- queries, each in one transaction with its record.

-- Lists are newest first by (created_at, id). An agent lists its own calls, and so do those who look after one agent, workspace or session.
CREATE INDEX operation_by_agent ON kernel.operation (tenant_id, agent_id, created_at, operation_id);
CREATE INDEX operation_by_workspace ON kernel.operation (tenant_id, workspace_id, created_at, operation_id) WHERE workspace_id IS NOT NULL;
CREATE INDEX operation_by_session ON kernel.operation (tenant_id, session_id, created_at, operation_id) WHERE session_id IS NOT NULL;
CREATE INDEX token_by_agent ON kernel.token (tenant_id, agent_id, created_at, capability_token_id);

-- An operation with its encrypted result: asked after every call, so it is one round trip. Null where it isn't the tenant's.
CREATE FUNCTION kernel.read_operation(p_tenant text, p_operation text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT jsonb_build_object('now', now_ms(), 'operation', to_jsonb(o),
      'result', CASE WHEN o.result_hash IS NOT NULL AND o.result_ref IS NULL THEN encode(y.result, 'base64') END)
    FROM operation o LEFT JOIN payload y ON y.operation_id = o.operation_id
    WHERE o.operation_id = p_operation);
END $$;

GRANT EXECUTE ON FUNCTION kernel.read_operation TO writ_kernel;
