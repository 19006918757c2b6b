-- Returns versions by name, {ref: version}, of those in p_refs that have one.
CREATE OR REPLACE FUNCTION kernel.external_versions(p_tenant text, p_refs text[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_object_agg(r.ref, r.version), '{}') FROM external_version r WHERE r.tenant_id = p_tenant AND r.ref = ANY (p_refs));
END $$;
GRANT EXECUTE ON FUNCTION kernel.external_versions(text, text[]) TO writ_kernel;
