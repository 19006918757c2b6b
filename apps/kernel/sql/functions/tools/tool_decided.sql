-- Returns a tool definition by its digest, in force or not: {document, definition_digest, in_force}; null where the
-- tenant has no such version. The kernel reads the definition that a call was decided on.
CREATE OR REPLACE FUNCTION kernel.tool_decided(p_tenant text, p_digest text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT jsonb_build_object('document', v.document, 'definition_digest', v.definition_digest, 'in_force', coalesce(t.definition_digest = v.definition_digest, false))
          FROM tool_version v JOIN tool t ON t.tenant_id = v.tenant_id AND t.tool_id = v.tool_id WHERE v.tenant_id = p_tenant AND v.definition_digest = p_digest);
END $$;
GRANT EXECUTE ON FUNCTION kernel.tool_decided(text, text) TO writ_kernel;
