-- Returns versions by name, {ref: version}, of those resources in p_refs that exist.
CREATE OR REPLACE FUNCTION kernel.resource_versions(p_tenant text, p_refs text[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_object_agg(r.ref, r.version), '{}') FROM resource r WHERE r.tenant_id = p_tenant AND r.ref = ANY (p_refs));
END $$;
GRANT EXECUTE ON FUNCTION kernel.resource_versions(text, text[]) TO writ_kernel;
