-- Returns the state of a tool of an MCP server by its id, as kernel.mcp_tool has it; null where there is none.
CREATE OR REPLACE FUNCTION kernel.mcp_tool_state(p_tenant text, p_tool text) RETURNS text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT t.state FROM mcp_tool t WHERE t.tenant_id = p_tenant AND t.tool_id = p_tool);
END $$;
GRANT EXECUTE ON FUNCTION kernel.mcp_tool_state(text, text) TO writ_kernel;
