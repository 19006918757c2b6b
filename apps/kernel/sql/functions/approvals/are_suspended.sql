-- Returns whether any of these persons is suspended. Called as the tenant's role; it sets the tenant.
CREATE OR REPLACE FUNCTION kernel.are_suspended(p_tenant text, p_principals text[]) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN EXISTS (SELECT FROM suspended_person s WHERE s.tenant_id = p_tenant AND s.principal = ANY (p_principals));
END $$;
GRANT EXECUTE ON FUNCTION kernel.are_suspended(text, text[]) TO writ_kernel;
