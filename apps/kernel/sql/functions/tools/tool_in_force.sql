-- Returns a tenant's tool definition that is in force, {document, definition_digest}; null where there is none.
CREATE OR REPLACE FUNCTION kernel.tool_in_force(p_tenant text, p_tool text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT jsonb_build_object('document', v.document, 'definition_digest', v.definition_digest)
          FROM tool t JOIN tool_version v ON v.tenant_id = t.tenant_id AND v.definition_digest = t.definition_digest WHERE t.tenant_id = p_tenant AND t.tool_id = p_tool);
END $$;
GRANT EXECUTE ON FUNCTION kernel.tool_in_force(text, text) TO writ_kernel;
