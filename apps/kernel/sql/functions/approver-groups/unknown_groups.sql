-- Returns those of these names that no approver group of the tenant has, in their order.
CREATE OR REPLACE FUNCTION kernel.unknown_groups(p_tenant text, p_names text[]) RETURNS text[]
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN ARRAY(SELECT n.name FROM unnest(p_names) WITH ORDINALITY AS n(name, nth)
    WHERE NOT EXISTS (SELECT FROM approver_group g WHERE g.tenant_id = p_tenant AND g.name = n.name) ORDER BY n.nth);
END $$;
GRANT EXECUTE ON FUNCTION kernel.unknown_groups(text, text[]) TO writ_kernel;
