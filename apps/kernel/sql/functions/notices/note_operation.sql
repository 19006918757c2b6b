-- Trigger. Writes the notice `operation.ambiguous` when an operation becomes ambiguous, and `operation.resolved` when a
-- person resolves it. The orchestrator fetches notices with kernel.claim_notices.
CREATE OR REPLACE FUNCTION kernel.note_operation() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO notice (tenant_id, kind, operation_id, agent_id, tool_id, workspace_id, session_id, action_digest, autonomy_mode, resolution)
  VALUES (NEW.tenant_id, CASE WHEN NEW.resolution IS NULL THEN 'operation.ambiguous' ELSE 'operation.resolved' END,
    NEW.operation_id, NEW.agent_id, NEW.tool_id, NEW.workspace_id, NEW.session_id, NEW.action_digest, NEW.autonomy_mode, NEW.resolution);
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.note_operation() TO writ_kernel;
