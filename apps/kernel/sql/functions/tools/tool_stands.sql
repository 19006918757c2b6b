-- Returns whether the tool definition that a call was decided on is still in force. A call of a built-in tool has no
-- row in kernel.tool, and passes.
CREATE OR REPLACE FUNCTION kernel.tool_stands(o kernel.operation) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM tool t WHERE t.tenant_id = o.tenant_id AND t.tool_id = o.tool_id AND t.definition_digest IS DISTINCT FROM o.tool_definition_digest);
END $$;
GRANT EXECUTE ON FUNCTION kernel.tool_stands(kernel.operation) TO writ_kernel;
