-- Writes a notice of this kind about a pending approval. The caller has set the tenant.
CREATE OR REPLACE FUNCTION kernel.note_waiting(p_kind text, p_approval text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO notice (tenant_id, kind, operation_id, approval_id, agent_id, tool_id, workspace_id, session_id, action_digest, autonomy_mode, expires_at)
  SELECT a.tenant_id, p_kind, o.operation_id, a.approval_id, o.agent_id, o.tool_id, o.workspace_id, o.session_id, a.action_digest, a.autonomy_mode, a.expires_at
  FROM approval a JOIN operation o ON o.operation_id = a.operation_id WHERE a.approval_id = p_approval;
END $$;
GRANT EXECUTE ON FUNCTION kernel.note_waiting(text, text) TO writ_kernel;
