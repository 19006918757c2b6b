-- Returns the status of the token that a call of a tool of an MCP server needs, as kernel.mcp_token has it; null where
-- there is no such call, or its server takes no rights of persons.
CREATE OR REPLACE FUNCTION kernel.mcp_token_of_call(p_tenant text, p_operation text) RETURNS text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  key      text;
  resource text;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT o.proposed_by, r.resource_id INTO key, resource FROM operation o
    JOIN mcp_tool m ON m.tenant_id = o.tenant_id AND m.tool_id = o.tool_id
    JOIN resource r ON r.resource_id = m.resource_id AND r.removed_at IS NULL
    WHERE o.operation_id = p_operation AND r.settings -> 'credential' ? 'oauth';
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN mcp_token(p_tenant, key, resource) ->> 'status';
END $$;
GRANT EXECUTE ON FUNCTION kernel.mcp_token_of_call(text, text) TO writ_kernel;
