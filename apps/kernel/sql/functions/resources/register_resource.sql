-- Registers a resource that a call made for its agent, in the transaction that commits the call.
-- p: {resource_id, kind, name, owner_agent_id, settings, digest, created_by}
-- p_max: how many resources the tenant may have, without those that mirror other tables. Calls that commit at once may
-- exceed it by their number.
-- Raises WR007 where a resource of the kind has the name, and 54000 where the tenant has as many as it may.
CREATE OR REPLACE FUNCTION kernel.register_resource(p_tenant text, p jsonb, p_max integer) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  IF (
    SELECT count(*) FROM (
      SELECT FROM resource r WHERE r.tenant_id = p_tenant AND r.removed_at IS NULL
        AND r.kind NOT IN ('agent', 'profile', 'sandbox', 'skill') LIMIT p_max) x) >= p_max THEN
    RAISE EXCEPTION 'the tenant has as many resources as it may' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  INSERT INTO resource (resource_id, tenant_id, kind, name, owner_agent_id, settings, digest, created_by)
  SELECT x.resource_id, p_tenant, x.kind, x.name, x.owner_agent_id, x.settings, x.digest, x.created_by
  FROM jsonb_to_record(p) AS x(
    resource_id text, kind text, name text, owner_agent_id text, settings jsonb, digest text, created_by text)
  ON CONFLICT (tenant_id, kind, name) WHERE removed_at IS NULL DO NOTHING;
  IF NOT FOUND THEN RAISE EXCEPTION 'a resource of that kind has the name' USING ERRCODE = 'WR007'; END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.register_resource(text, jsonb, integer) TO writ_kernel;
