-- Returns the newest version of each skill of a tenant, by name: [{digest, contents}].
-- contents are base64. encode() breaks them into lines, which translate() joins.
CREATE OR REPLACE FUNCTION kernel.skill_versions_of(p_tenant text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('digest', digest, 'contents', translate(encode(contents, 'base64'), E'\n', '')) ORDER BY name), '[]')
    FROM (SELECT DISTINCT ON (name) name, digest, contents FROM skill WHERE tenant_id = p_tenant ORDER BY name, seq DESC) AS newest);
END $$;
GRANT EXECUTE ON FUNCTION kernel.skill_versions_of(text) TO writ_kernel;
