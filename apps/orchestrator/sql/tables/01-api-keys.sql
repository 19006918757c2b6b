-- API keys: who may call the HTTP API, and in which role.
--
-- In every table of this schema, times are milliseconds since the epoch by this database's clock, unless a column says
-- otherwise.
-- INVARIANT (own tenant): writ_orchestrator reads and writes only rows of the tenant that the transaction names in
-- writ.tenant_id. Every table with a tenant_id has such a policy. Functions that serve all tenants run as the owner of
-- the tables. Row-level security is forced, so it binds the owner too, and each table that they need has a policy for
-- it. No process logs in as the owner.

-- One API key. The orchestrator inserts it. Its end and its secret may change; what it may do never does, and no row is
-- removed.
-- INVARIANT (no keys at rest): a row holds the hash of a key and never the key.
CREATE TABLE orchestrator.api_key (
  api_key_id text COLLATE "C" PRIMARY KEY,
  tenant_id  text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name       text NOT NULL CHECK (name <> ''), -- for people, chosen by whoever made the key
  -- SHA-256 of the key's text: of the newest one after a rotation. A key has 256 random bits, so it needs no slow hash.
  key_hash   bytea NOT NULL CHECK (octet_length(key_hash) = 32),

  -- On whose behalf requests with the key are made.
  role       text NOT NULL CHECK (role IN ('admin', 'operator', 'agent', 'auditor', 'worker')),
  agent_id   text COLLATE "C", -- the agent that the key belongs to; null for every role but `agent`
  -- The person who is responsible for the key. Approvals count people: all keys with one principal are one person.
  -- Null: the key counts as a separate person.
  principal  text COLLATE "C" CHECK (principal <> ''),
  -- The member whose key it is. It is refused while the member is not active. Null: of nobody who is a member.
  member_id  text COLLATE "C",
  -- For the role `worker`: the tools whose calls it may take, each a name, `family.*` or `*`; empty for every other.
  tools      text[] NOT NULL DEFAULT '{}',
  -- The groups of routes that it may use, each `<tag>:read` or `<tag>:write`; empty: all that its role may.
  scopes     text[] NOT NULL DEFAULT '{}',
  -- For a credential that was exchanged: the only capability token that its calls may use, or one below it.
  -- Null: any of its agent.
  bound_token text COLLATE "C",

  -- Its lifetime.
  created_at bigint DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint NOT NULL,
  -- The API key that made it, or `platform`. A credential that was exchanged ends when this key is revoked.
  created_by text COLLATE "C" NOT NULL,
  revoked_at bigint,                    -- null: the key was not revoked
  expires_at bigint,                    -- from then on it is refused; null: it has no end
  last_used_at bigint,                  -- to the minute; null: not used since these times are kept
  rotated_at bigint,                    -- when its secret was last exchanged; null: never
  former_until bigint,                  -- how long a secret of before may be good at most; null: never exchanged

  -- INVARIANT (agents' keys): a key of role `agent` belongs to one agent, and no other key belongs to any.
  CONSTRAINT api_key_of_agent CHECK ((role = 'agent') = (agent_id IS NOT NULL)),
  -- INVARIANT (workers' keys): a key of role `worker` names its tools, and no other key names any.
  CONSTRAINT api_key_of_worker CHECK ((role = 'worker') = (cardinality(tools) > 0)),
  CONSTRAINT api_key_rotated CHECK ((rotated_at IS NULL) = (former_until IS NULL)),
  -- INVARIANT (bound): a credential that was exchanged is an agent's, ends, and is good for some routes only.
  CONSTRAINT api_key_bound CHECK (bound_token IS NULL
    OR (role = 'agent' AND expires_at IS NOT NULL AND cardinality(scopes) > 0))
);
-- orchestrator.authenticate_caller finds a key by this index.
CREATE UNIQUE INDEX api_key_hash ON orchestrator.api_key (key_hash);
-- Which keys does a member have?
CREATE INDEX api_key_of_member ON orchestrator.api_key (member_id) WHERE member_id IS NOT NULL;
-- Which keys are of the same person?
CREATE INDEX api_key_of_principal ON orchestrator.api_key (tenant_id, principal) WHERE principal IS NOT NULL;
-- Pages of a tenant's keys, newest first.
CREATE INDEX api_key_listed ON orchestrator.api_key (tenant_id, created_at DESC, api_key_id DESC);
ALTER TABLE orchestrator.api_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY api_key_tenant ON orchestrator.api_key TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.authenticate_caller: the tenant of a key is unknown until the key is found. It sees only the row of the
-- hash that it sets.
CREATE POLICY api_key_of_hash ON orchestrator.api_key FOR SELECT TO writ_owner
  USING (key_hash = decode(current_setting('writ.key_hash', true), 'hex'));
-- For orchestrator.renew_runs: which keys were revoked. orchestrator.authenticate_caller excludes revoked keys itself.
CREATE POLICY api_key_revoked ON orchestrator.api_key FOR SELECT TO writ_owner USING (revoked_at IS NOT NULL);
-- For orchestrator.authenticate_caller, which has found the id by a former secret, and for orchestrator.use_keys. Both
-- set the ids and clear them.
CREATE POLICY api_key_named ON orchestrator.api_key FOR SELECT TO writ_owner
  USING (api_key_id = ANY (string_to_array(current_setting('writ.key_ids', true), ',')));
CREATE POLICY api_key_used ON orchestrator.api_key FOR UPDATE TO writ_owner
  USING (api_key_id = ANY (string_to_array(current_setting('writ.key_ids', true), ',')));
-- A key can be created, rotated and revoked. Its tenant, its role and what limits it can't change.
GRANT SELECT, INSERT, UPDATE (key_hash, member_id, expires_at, rotated_at, former_until, revoked_at)
  ON orchestrator.api_key TO writ_orchestrator;

-- A secret that a rotation of a key replaced. It is good until its end, so that clients can change to the new one.
CREATE TABLE orchestrator.former_secret (
  secret_hash bytea PRIMARY KEY CHECK (octet_length(secret_hash) = 32), -- SHA-256 of the key's text
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  api_key_id  text COLLATE "C" NOT NULL REFERENCES orchestrator.api_key,
  ends_at     bigint NOT NULL -- it only moves earlier
);
-- A rotation brings the ends of the key's former secrets forward.
CREATE INDEX former_secret_of_key ON orchestrator.former_secret (api_key_id);
ALTER TABLE orchestrator.former_secret ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY former_secret_tenant ON orchestrator.former_secret TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.authenticate_caller, as for api_key.
CREATE POLICY former_secret_of_hash ON orchestrator.former_secret FOR SELECT TO writ_owner
  USING (secret_hash = decode(current_setting('writ.key_hash', true), 'hex'));
GRANT SELECT, INSERT, UPDATE (ends_at) ON orchestrator.former_secret TO writ_orchestrator;
