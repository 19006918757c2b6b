-- Returns the definition of an execution profile, as a string of base64; null where the tenant has none of that name.
-- encode() breaks base64 into lines, which translate() joins.
CREATE OR REPLACE FUNCTION kernel.profile_for(p_tenant text, p_name text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT to_jsonb(translate(encode(definition, 'base64'), E'\n', '')) FROM execution_profile WHERE tenant_id = p_tenant AND name = p_name);
END $$;
GRANT EXECUTE ON FUNCTION kernel.profile_for(text, text) TO writ_kernel;
