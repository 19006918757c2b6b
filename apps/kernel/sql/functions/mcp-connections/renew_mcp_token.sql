-- Makes the token of a call due for renewal, because its MCP server did not take it; once a minute at most. Returns
-- whether it is due now.
CREATE OR REPLACE FUNCTION kernel.renew_mcp_token(p_tenant text, p_operation text) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE mcp_connection c SET work = 'refresh', due_at = t, asked_at = t
  FROM operation o
    JOIN mcp_tool m ON m.tenant_id = o.tenant_id AND m.tool_id = o.tool_id
    JOIN credential_subject s ON s.tenant_id = o.tenant_id AND s.api_key_id = o.proposed_by
  WHERE o.operation_id = p_operation AND c.tenant_id = o.tenant_id AND c.resource_id = m.resource_id
    AND c.subject_hash = s.subject_hash AND c.state = 'connected' AND c.renewable AND c.work IS NULL
    AND greatest(c.renewed_at, c.tried_at) < t - 60000;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.renew_mcp_token(text, text) TO writ_kernel;
