-- Returns the image that calls of a tool run in, {name, image_id, definition, state, image_digest}: the one of p_name; else
-- the one that the tenant's program, or the MCP server of the tool names; else the one that lists the tool. Null where none does: then the deployment
-- decides. All but the name are null where that image isn't there. The definition is base64, whose lines translate()
-- joins.
CREATE OR REPLACE FUNCTION kernel.image_for(p_tenant text, p_tool text, p_name text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_name text;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  v_name := coalesce(
    p_name,
    (SELECT v.document ->> 'image' FROM tool t JOIN tool_version v USING (tenant_id, tool_id, version)
     WHERE t.tenant_id = p_tenant AND t.tool_id = p_tool AND t.definition_digest IS NOT NULL),
    (SELECT r.settings ->> 'image' FROM mcp_tool m JOIN resource r USING (tenant_id, resource_id)
     WHERE m.tenant_id = p_tenant AND m.tool_id = p_tool AND r.removed_at IS NULL
       AND r.settings ->> 'transport' = 'stdio'),
    (SELECT i.name FROM image i
     WHERE i.tenant_id = p_tenant AND i.removed_at IS NULL AND p_tool = ANY (i.tools) ORDER BY i.name LIMIT 1));
  IF v_name IS NULL THEN RETURN NULL; END IF;
  RETURN (
    SELECT jsonb_build_object('name', v_name, 'image_id', i.image_id,
      'definition', translate(encode(i.definition, 'base64'), E'\n', ''), 'state', i.state, 'image_digest', i.image_digest)
    FROM (SELECT 1) one LEFT JOIN image i ON i.tenant_id = p_tenant AND i.name = v_name AND i.removed_at IS NULL);
END $$;
GRANT EXECUTE ON FUNCTION kernel.image_for(text, text, text) TO writ_kernel;
