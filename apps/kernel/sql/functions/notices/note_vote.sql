-- Trigger. Writes the notice `approval.voted` when a vote is cast and the approval stays pending. For the vote that
-- decides, kernel.note_approval writes the notice: kernel.close_approval changes the state before it writes the vote.
CREATE OR REPLACE FUNCTION kernel.note_vote() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO notice (tenant_id, kind, operation_id, approval_id, agent_id, tool_id, workspace_id, session_id, action_digest, autonomy_mode, expires_at)
  SELECT NEW.tenant_id, 'approval.voted', o.operation_id, a.approval_id, o.agent_id, o.tool_id, o.workspace_id, o.session_id, a.action_digest, a.autonomy_mode, a.expires_at
  FROM approval a JOIN operation o ON o.operation_id = a.operation_id WHERE a.approval_id = NEW.approval_id AND a.state = 'pending';
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.note_vote() TO writ_kernel;
