-- Lifts a freeze that is in force, and writes its record. Returns the row of the freeze.
--
-- p_tenant: the owner of the freeze, `*` for the deployment. p: {freeze_id, lifted_by, log_tenant, record}.
-- `log_tenant` is the tenant whose log gets the record; the deployment has a log of its own.
--
-- Raises WR001 `freeze` where it is lifted or over already; the caller then returns it as it is.
--
-- Locks: the rules of p_tenant, exclusively (kernel.change_rules): waits for all decisions under way.
CREATE OR REPLACE FUNCTION kernel.lift_freeze(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE f kernel.freeze;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), change_rules(p_tenant);
  UPDATE kernel.freeze x SET lifted_at = now_ms(), lifted_by = p->>'lifted_by'
  WHERE x.freeze_id = p->>'freeze_id' AND x.tenant_id = p_tenant AND x.lifted_at IS NULL AND coalesce(x.expires_at > now_ms(), true) RETURNING * INTO f;
  IF NOT FOUND THEN PERFORM decide_again('freeze'); END IF;
  PERFORM set_config('writ.tenant_id', p->>'log_tenant', true);
  PERFORM post_records(p->>'log_tenant', jsonb_build_array(p->'record'));
  RETURN to_jsonb(f);
END $$;
GRANT EXECUTE ON FUNCTION kernel.lift_freeze(text, jsonb) TO writ_kernel;
