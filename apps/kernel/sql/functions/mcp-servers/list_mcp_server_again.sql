-- Makes the MCP server of a tool due, because a call found another definition there than the accepted one. Returns
-- whether there is such a server.
CREATE OR REPLACE FUNCTION kernel.list_mcp_server_again(p_tenant text, p_tool text) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE mcp_server s SET due_at = least(s.due_at, now_ms())
  FROM mcp_tool t WHERE t.tenant_id = p_tenant AND t.tool_id = p_tool AND s.resource_id = t.resource_id;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.list_mcp_server_again(text, text) TO writ_kernel;
