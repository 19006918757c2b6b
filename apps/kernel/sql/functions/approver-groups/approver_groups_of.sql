-- Returns the groups that all of these persons are members of, sorted.
CREATE OR REPLACE FUNCTION kernel.approver_groups_of(p_tenant text, p_principals text[]) RETURNS text[]
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN shared_groups(p_tenant, p_principals, now_ms());
END $$;
GRANT EXECUTE ON FUNCTION kernel.approver_groups_of(text, text[]) TO writ_kernel;
