-- Returns whether each external version is the expected one, and then keeps all of them so until COMMIT.
-- p_versions: [{ref, version}]; version `absent` stands for what has no version.
-- Where it returns false, the caller decides again.
-- Locks: a shared advisory lock for each name, ordered by name. Call it after the operation is locked, and before
-- the workspace and budgets.
CREATE OR REPLACE FUNCTION kernel.external_versions_hold(p_tenant text, p_versions jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v record;
BEGIN
  FOR v IN SELECT x.ref, x.version FROM jsonb_to_recordset(p_versions) AS x(ref text, version text) ORDER BY x.ref LOOP
    PERFORM pg_advisory_xact_lock_shared(external_version_lock(p_tenant, v.ref));
    IF coalesce((SELECT r.version FROM external_version r WHERE r.tenant_id = p_tenant AND r.ref = v.ref), 'absent') <> v.version THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION kernel.external_versions_hold(text, jsonb) TO writ_kernel;
