-- Places a freeze and writes its record. Where one is in force on the same scope and subject, that one stays and gets
-- the new `expires_at`. Returns the row of the freeze. Once the COMMIT has returned, no covered call is admitted and
-- none commits.
--
-- p_tenant: the owner of the freeze, `*` for the deployment. p holds:
--   freeze      {freeze_id, scope, subject, reason, placed_by, expires_at}
--   seen        {freeze_id, expires_at} of the freeze that was in force; null for none
--   log_tenant  the tenant whose log gets the record; the deployment has a log of its own
--   record      as an element that kernel.post_records takes
--
-- Raises WR001 `freeze` where `seen` isn't true any more; the caller reads the facts and tries again, five times at
-- most.
--
-- Locks: the rules of p_tenant, exclusively (kernel.change_rules): waits for all decisions under way, and the next ones
-- wait for this. The caller sends one statement, so that a kernel that stops in the middle doesn't keep others from
-- deciding.
CREATE OR REPLACE FUNCTION kernel.place_freeze(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  n kernel.freeze := jsonb_populate_record(NULL::kernel.freeze, p->'freeze');
  f kernel.freeze;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), change_rules(p_tenant);
  f := standing_freeze(p_tenant, n.scope, n.subject);
  IF f.freeze_id IS DISTINCT FROM p#>>'{seen,freeze_id}' OR f.expires_at IS DISTINCT FROM (p#>>'{seen,expires_at}')::bigint THEN PERFORM decide_again('freeze'); END IF;
  IF f.freeze_id IS NULL THEN
    INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by, expires_at)
    VALUES (n.freeze_id, p_tenant, n.scope, n.subject, n.reason, n.placed_by, n.expires_at) RETURNING * INTO f;
  ELSE
    UPDATE kernel.freeze x SET expires_at = n.expires_at WHERE x.freeze_id = f.freeze_id RETURNING * INTO f;
  END IF;
  -- Records of the deployment go to a log of its own.
  PERFORM set_config('writ.tenant_id', p->>'log_tenant', true);
  PERFORM post_records(p->>'log_tenant', jsonb_build_array(p->'record'));
  RETURN to_jsonb(f);
END $$;
GRANT EXECUTE ON FUNCTION kernel.place_freeze(text, jsonb) TO writ_kernel;
