-- Gives a new tenant its first grants: DEFAULT_RESOURCE_GRANTS of libs/contract. Trigger of kernel.tenant.
CREATE OR REPLACE FUNCTION kernel.default_grants() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO resource_grant (resource_grant_id, tenant_id, kind, "right", clearance, created_by)
  SELECT new_id('rgr'), new.tenant_id, x.kind, x."right", 'autopilot', 'kernel'
  FROM (VALUES ('agent', 'create'), ('task', 'create'), ('profile', 'use'), ('sandbox', 'use'), ('search_engine', 'use'), ('skill', 'use'), ('website', 'use'))
    AS x(kind, "right")
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.default_grants() TO writ_kernel;
