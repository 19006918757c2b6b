-- Trigger. Writes a notice when an approval is asked for (`approval.pending`) and when its state changes, for example
-- to `approval.approved`. The orchestrator fetches notices with kernel.claim_notices.
CREATE OR REPLACE FUNCTION kernel.note_approval() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO notice (tenant_id, kind, operation_id, approval_id, agent_id, tool_id, workspace_id, session_id, action_digest, autonomy_mode, expires_at)
  SELECT NEW.tenant_id, 'approval.' || NEW.state, o.operation_id, NEW.approval_id, o.agent_id, o.tool_id, o.workspace_id, o.session_id, NEW.action_digest,
    NEW.autonomy_mode, CASE WHEN NEW.state = 'pending' THEN NEW.expires_at END
  FROM operation o WHERE o.operation_id = NEW.operation_id;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.note_approval() TO writ_kernel;
