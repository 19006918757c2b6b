-- Puts a version of a tenant's tool in force, or none where definition_digest is null, for decisions from COMMIT on.
-- p: {tool_id, category, version, definition_digest, updated_by}; the version is stored already.
-- The caller has locked the tenant's tools and holds its rules exclusively (kernel.change_rules), in that order.
CREATE OR REPLACE FUNCTION kernel.put_tool(p_tenant text, p jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO tool AS t (tenant_id, tool_id, category, version, definition_digest, updated_by)
  SELECT p_tenant, x.tool_id, x.category, x.version, x.definition_digest, x.updated_by
  FROM jsonb_to_record(p) AS x(tool_id text, category text, version integer, definition_digest text, updated_by text)
  ON CONFLICT (tenant_id, tool_id) DO UPDATE SET
    category = EXCLUDED.category, version = EXCLUDED.version, definition_digest = EXCLUDED.definition_digest, updated_by = EXCLUDED.updated_by, updated_at = now_ms();
END $$;
GRANT EXECUTE ON FUNCTION kernel.put_tool(text, jsonb) TO writ_kernel;
