-- Returns {now, freeze} for a freeze of the tenant or of the deployment; null where there is none with that id.
CREATE OR REPLACE FUNCTION kernel.read_freeze(p_tenant text, p_freeze text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT jsonb_build_object('now', now_ms(), 'freeze', to_jsonb(x)) FROM kernel.freeze x WHERE x.freeze_id = p_freeze);
END $$;
GRANT EXECUTE ON FUNCTION kernel.read_freeze(text, text) TO writ_kernel;
