-- Execution profiles: what raw commands (shell.dangerous) may do at most. A row is written once and goes whole; what changes is removed and created anew.

-- definition: RFC 8785 bytes, which is what a call's tool is bound to
CREATE TABLE kernel.execution_profile (
  tenant_id  text NOT NULL REFERENCES kernel.tenant,
  name       text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  definition bytea NOT NULL,
  digest     text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  created_by text NOT NULL,
  created_at bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, name)
);
ALTER TABLE kernel.execution_profile ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.execution_profile FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.execution_profile TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE ON kernel.execution_profile TO writ_kernel;

-- The bytes of a profile in base64, for whoever decides about a call or hands it out; null where there is none of that name.
CREATE FUNCTION kernel.profile_for(p_tenant text, p_name text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT to_jsonb(translate(encode(definition, 'base64'), E'\n', '')) FROM execution_profile WHERE tenant_id = p_tenant AND name = p_name);
END $$;
GRANT EXECUTE ON FUNCTION kernel.profile_for TO writ_kernel;
