-- Returns what a call that reads a skill finds: {found, names}.
-- found: {digest, contents} of the newest version, contents as base64; null where there is none of that name.
-- names: all names of the tenant's skills. encode() breaks base64 into lines, which translate() joins.
CREATE OR REPLACE FUNCTION kernel.skill_for(p_tenant text, p_name text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN jsonb_build_object(
    'found', (SELECT jsonb_build_object('digest', digest, 'contents', translate(encode(contents, 'base64'), E'\n', '')) FROM skill WHERE tenant_id = p_tenant AND name = p_name ORDER BY seq DESC LIMIT 1),
    'names', (SELECT coalesce(jsonb_agg(name ORDER BY name), '[]') FROM (SELECT DISTINCT name FROM skill WHERE tenant_id = p_tenant) AS each));
END $$;
GRANT EXECUTE ON FUNCTION kernel.skill_for(text, text) TO writ_kernel;
