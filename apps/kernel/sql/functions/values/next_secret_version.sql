-- Returns the version number that a secret gets next. The kernel seals the value for this number, so that one version
-- cannot stand in for another; kernel.put_secret then fails where the number is in use.
CREATE OR REPLACE FUNCTION kernel.next_secret_version(p_tenant text, p_name text) RETURNS integer
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(max(s.version), 0) + 1 FROM secret s WHERE s.tenant_id = p_tenant AND s.name = p_name);
END $$;
GRANT EXECUTE ON FUNCTION kernel.next_secret_version(text, text) TO writ_kernel;
