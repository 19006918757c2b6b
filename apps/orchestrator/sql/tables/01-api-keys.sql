-- API keys: who may call the HTTP API, and in which role.
--
-- In every table of this schema, times are milliseconds since the epoch by this database's clock, unless a column says
-- otherwise.
-- INVARIANT (own tenant): writ_orchestrator reads and writes only rows of the tenant that the transaction names in
-- writ.tenant_id. Every table with a tenant_id has such a policy. Functions that serve all tenants run as the owner of
-- the tables. Row-level security is forced, so it binds the owner too, and each table that they need has a policy for
-- it. No process logs in as the owner.

-- One API key. The orchestrator inserts it; only `revoked_at` ever changes, and no row is removed.
-- INVARIANT (no keys at rest): a row holds the hash of a key and never the key.
CREATE TABLE orchestrator.api_key (
  api_key_id text COLLATE "C" PRIMARY KEY,
  tenant_id  text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name       text NOT NULL CHECK (name <> ''), -- for people, chosen by whoever made the key
  -- SHA-256 of the key's text. A key has 256 random bits, so it needs no slow hash.
  key_hash   bytea NOT NULL CHECK (octet_length(key_hash) = 32),

  -- On whose behalf requests with the key are made.
  role       text NOT NULL CHECK (role IN ('admin', 'operator', 'agent', 'auditor', 'worker')),
  agent_id   text COLLATE "C", -- the agent that the key belongs to; null for every role but `agent`
  -- The person who is responsible for the key. Approvals count people: all keys with one principal are one person.
  -- Null: the key counts as a separate person.
  principal  text COLLATE "C" CHECK (principal <> ''),
  -- For the role `worker`: the tools whose calls it may take, each a name, `family.*` or `*`; empty for every other.
  tools      text[] NOT NULL DEFAULT '{}',

  -- Its lifetime.
  created_at bigint DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL, -- the API key that made it, or `platform`
  revoked_at bigint,                    -- null: the key is valid

  -- INVARIANT (agents' keys): a key of role `agent` belongs to one agent, and no other key belongs to any.
  CONSTRAINT api_key_of_agent CHECK ((role = 'agent') = (agent_id IS NOT NULL)),
  -- INVARIANT (workers' keys): a key of role `worker` names its tools, and no other key names any.
  CONSTRAINT api_key_of_worker CHECK ((role = 'worker') = (cardinality(tools) > 0))
);
-- orchestrator.authenticate finds a key by this index.
CREATE UNIQUE INDEX api_key_hash ON orchestrator.api_key (key_hash);
-- Pages of a tenant's keys, newest first.
CREATE INDEX api_key_listed ON orchestrator.api_key (tenant_id, created_at DESC, api_key_id DESC);
ALTER TABLE orchestrator.api_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY api_key_tenant ON orchestrator.api_key TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.authenticate: the tenant of a key is unknown until the key is found. It sees only the row of the
-- hash that it sets.
CREATE POLICY api_key_of_hash ON orchestrator.api_key FOR SELECT TO writ_owner
  USING (key_hash = decode(current_setting('writ.key_hash', true), 'hex'));
-- For orchestrator.renew_runs: which keys were revoked. orchestrator.authenticate excludes revoked keys itself.
CREATE POLICY api_key_revoked ON orchestrator.api_key FOR SELECT TO writ_owner USING (revoked_at IS NOT NULL);
-- A key can be created and revoked; nothing else in it can change.
GRANT SELECT, INSERT, UPDATE (revoked_at) ON orchestrator.api_key TO writ_orchestrator;
