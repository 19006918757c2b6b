-- API keys of each tenant: who may ask what at the HTTP door. Only the hash of a key is kept.

CREATE TABLE orchestrator.api_key (
  api_key_id text COLLATE "C" NOT NULL,
  tenant_id  text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name       text NOT NULL CHECK (name <> ''),
  role       text NOT NULL CHECK (role IN ('admin', 'operator', 'agent', 'auditor')),
  agent_id   text COLLATE "C",
  -- SHA-256 of the key's text: 256 random bits need no slow hash.
  key_hash   bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  created_at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  created_by text COLLATE "C" NOT NULL,
  revoked_at bigint,
  CONSTRAINT api_key_pkey PRIMARY KEY (api_key_id),
  -- A key of an agent speaks for that one; no other key speaks for any.
  CONSTRAINT api_key_of_agent CHECK ((role = 'agent') = (agent_id IS NOT NULL))
);
CREATE UNIQUE INDEX api_key_hash ON orchestrator.api_key (key_hash);
CREATE INDEX api_key_listed ON orchestrator.api_key (tenant_id, created_at DESC, api_key_id DESC);

ALTER TABLE orchestrator.api_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.api_key FORCE ROW LEVEL SECURITY;
CREATE POLICY api_key_tenant ON orchestrator.api_key TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- Whose key it is isn't known before it was found. The function below, which runs as the owner, sees the one row of the hash it is given;
-- forced row-level security binds the owner too.
CREATE POLICY api_key_of_hash ON orchestrator.api_key FOR SELECT TO writ_owner
  USING (key_hash = decode(current_setting('writ.key_hash', true), 'hex'));

-- Everything but `revoked_at` is fixed when the row is made, and no row is ever taken away.
GRANT SELECT, INSERT, UPDATE (revoked_at) ON orchestrator.api_key TO writ_orchestrator;

-- The key of that hash, unless it was revoked: the only question about keys that no tenant asks.
CREATE FUNCTION orchestrator.authenticate(hash bytea)
RETURNS TABLE (api_key_id text, tenant_id text, role text, agent_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.key_hash', encode(hash, 'hex'), true);
  RETURN QUERY SELECT k.api_key_id, k.tenant_id, k.role, k.agent_id
    FROM orchestrator.api_key AS k WHERE k.key_hash = hash AND k.revoked_at IS NULL;
  PERFORM set_config('writ.key_hash', '', true);
END $$;

REVOKE ALL ON FUNCTION orchestrator.authenticate(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.authenticate(bytea) TO writ_orchestrator;
