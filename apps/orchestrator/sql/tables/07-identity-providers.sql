-- Identity providers: OAuth issuers whose access tokens a tenant accepts beside its API keys, and the persons behind
-- calls.

-- One issuer that a tenant registered. Its mapping may change; what tells the tenant of a token never does.
-- INVARIANT (one tenant): of one issuer and audience there is either one row in force without a tenant claim, or rows
-- that all name the same claim, each with another value. Whoever inserts a row holds the advisory lock of the issuer.
CREATE TABLE orchestrator.identity_provider (
  provider_id  text COLLATE "C" PRIMARY KEY,
  tenant_id    text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name         text COLLATE "C" NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'), -- as the API names it

  -- What tells the tenant of a token.
  issuer       text COLLATE "C" NOT NULL CHECK (issuer <> ''),   -- `iss`, exactly
  audience     text COLLATE "C" NOT NULL CHECK (audience <> ''), -- `aud` contains it
  tenant_claim text COLLATE "C", -- the claim that tells tenants of one issuer apart; null: the issuer serves one tenant
  tenant_value text COLLATE "C", -- the value of that claim

  -- What a token may do, and for whom.
  scopes       jsonb NOT NULL,   -- which scope gives which role: [{scope, role}]
  groups_claim text COLLATE "C", -- the claim that lists the groups of the person; null: groups give nothing
  groups       jsonb NOT NULL DEFAULT '[]', -- which group gives which role: [{group, role}]
  person_claim text COLLATE "C", -- the claim that names the person as API keys do; null: issuer and `sub` are the person
  agent_id     text COLLATE "C", -- the agent that tokens of role `agent` act for; null: agent_claim names it, or nothing
  agent_claim  text COLLATE "C", -- the claim with the id of that agent
  -- How its tokens are verified: access tokens of people and programs, or projected tokens of Kubernetes (ADR 0172).
  profile      text COLLATE "C" NOT NULL DEFAULT 'oauth' CHECK (profile IN ('oauth', 'kubernetes')),
  -- Of a cluster: which service account is what: [{subject, role, agent_id, tools, capability_token_id, since}]
  workloads    jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(workloads) = 'array'),
  jwks         jsonb CHECK (jsonb_typeof(jwks) = 'array'), -- of a cluster: its only keys; null: those that it publishes
  -- Identifies the key of identity hashes. Under another key its tokens are refused: denials would not be found.
  hash_key_id  text COLLATE "C" NOT NULL CHECK (hash_key_id <> ''),

  -- How people sign in at it in a browser: the client that it knows Writ by. null: nobody signs in in a browser
  sign_in_client_id text COLLATE "C" CHECK (sign_in_client_id <> ''),

  -- Its lifetime.
  created_at   bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by   text COLLATE "C" NOT NULL, -- the API key
  updated_at   bigint DEFAULT orchestrator.now_ms() NOT NULL,
  removed_at   bigint,                    -- null: its tokens are accepted
  -- When groups_claim last changed, which a trigger notes: groups of sessions from before count no more.
  groups_since bigint DEFAULT 0 NOT NULL,

  CONSTRAINT identity_provider_claim CHECK ((tenant_claim IS NULL) = (tenant_value IS NULL)),
  CONSTRAINT identity_provider_agent CHECK (agent_id IS NULL OR agent_claim IS NULL),
  CONSTRAINT identity_provider_groups CHECK (groups_claim IS NOT NULL OR groups = '[]'),
  CONSTRAINT identity_provider_workloads CHECK (profile = 'kubernetes' OR (workloads = '[]' AND jwks IS NULL)),
  -- INVARIANT (one profile): no access token of a cluster gives a role, whichever version of this process changes it.
  CONSTRAINT identity_provider_cluster CHECK (profile = 'oauth' OR (scopes = '[]' AND groups_claim IS NULL
    AND person_claim IS NULL AND agent_id IS NULL AND agent_claim IS NULL AND tenant_claim IS NULL
    AND sign_in_client_id IS NULL))
);
-- One of a name in force.
CREATE UNIQUE INDEX identity_provider_named ON orchestrator.identity_provider (tenant_id, name)
  WHERE removed_at IS NULL;
-- orchestrator.registrations_in_force finds those of an issuer.
CREATE INDEX identity_provider_of_issuer ON orchestrator.identity_provider (issuer) WHERE removed_at IS NULL;
ALTER TABLE orchestrator.identity_provider ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY identity_provider_tenant ON orchestrator.identity_provider TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.registrations_in_force: the tenant of a token is unknown until its issuer is found.
CREATE POLICY identity_provider_of_issuer ON orchestrator.identity_provider FOR SELECT TO writ_owner
  USING (issuer = current_setting('writ.issuer', true));
GRANT SELECT, INSERT, 
  UPDATE (scopes, groups_claim, groups, agent_id, agent_claim, workloads, jwks, hash_key_id, sign_in_client_id,
    updated_at, removed_at)
  ON orchestrator.identity_provider TO writ_orchestrator;

-- Which rows of api_key are credentials of a provider? One for each subject, role and agent, made when a token first
-- asks for it. Nobody holds a key to it: its hash is of no key's text. It is revoked as a key is.
CREATE TABLE orchestrator.credential (
  api_key_id   text COLLATE "C" PRIMARY KEY REFERENCES orchestrator.api_key,
  tenant_id    text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  provider_id  text COLLATE "C" NOT NULL REFERENCES orchestrator.identity_provider,
  subject_hash bytea NOT NULL CHECK (octet_length(subject_hash) = 32) -- keyed hash of issuer and `sub`
);
-- Which credentials end with the provider?
CREATE INDEX credential_of_provider ON orchestrator.credential (provider_id);
-- Which credentials end with a denied subject?
CREATE INDEX credential_of_subject ON orchestrator.credential (tenant_id, subject_hash);
ALTER TABLE orchestrator.credential ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY credential_tenant ON orchestrator.credential TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- A forgotten person's credentials lose the subject.
GRANT SELECT, INSERT, UPDATE (subject_hash) ON orchestrator.credential TO writ_orchestrator;

-- A row is a subject or a token that is refused, though its issuer still vouches for it. It holds for every
-- registration of the issuer in the tenant, so that a new registration doesn't lift it.
CREATE TABLE orchestrator.token_denial (
  provider_id text COLLATE "C" NOT NULL REFERENCES orchestrator.identity_provider, -- where it was denied
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  kind        text COLLATE "C" NOT NULL CHECK (kind IN ('subject', 'jti')), -- of `sub`, or of one token
  value_hash  bytea NOT NULL CHECK (octet_length(value_hash) = 32), -- keyed hash of issuer and value
  denied_at   bigint DEFAULT orchestrator.now_ms() NOT NULL,
  denied_by   text COLLATE "C" NOT NULL, -- the API key
  PRIMARY KEY (tenant_id, kind, value_hash)
);
ALTER TABLE orchestrator.token_denial ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY token_denial_tenant ON orchestrator.token_denial TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
GRANT SELECT, INSERT ON orchestrator.token_denial TO writ_orchestrator;

-- The pseudonym of a person. Policy, calls and records have the random person_id alone. Without the row, nobody can
-- tell whose it was.
CREATE TABLE orchestrator.person (
  tenant_id  text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  link       bytea NOT NULL CHECK (octet_length(link) = 32), -- keyed hash of the person's name, or of issuer and `sub`
  person_id  text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint DEFAULT orchestrator.now_ms() NOT NULL,
  PRIMARY KEY (tenant_id, link)
);
ALTER TABLE orchestrator.person ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY person_tenant ON orchestrator.person TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- A pseudonym is made and forgotten; it never changes.
GRANT SELECT, INSERT, DELETE ON orchestrator.person TO writ_orchestrator;

-- A person who signed in in a browser at an identity provider of the tenant. The browser alone holds the secret of the
-- session: it is in no table, and without it nobody can read how the person is called.
CREATE TABLE orchestrator.browser_session (
  session_hash bytea PRIMARY KEY CHECK (octet_length(session_hash) = 32), -- SHA-256 of the secret
  tenant_id    text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  provider_id  text COLLATE "C" NOT NULL REFERENCES orchestrator.identity_provider,
  subject_hash bytea NOT NULL CHECK (octet_length(subject_hash) = 32), -- keyed hash of issuer and `sub`
  shown        text COLLATE "C" NOT NULL CHECK (length(shown) <= 4096), -- how pages call the person, encrypted
  created_at   bigint DEFAULT orchestrator.now_ms() NOT NULL,
  expires_at   bigint NOT NULL
);
-- Which sessions of the tenant are over?
CREATE INDEX browser_session_over ON orchestrator.browser_session (tenant_id, expires_at);
-- Which sessions end with a subject?
CREATE INDEX browser_session_of_subject ON orchestrator.browser_session (tenant_id, subject_hash);
ALTER TABLE orchestrator.browser_session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY browser_session_tenant ON orchestrator.browser_session TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- A session begins and ends; it never changes.
GRANT SELECT, INSERT, DELETE ON orchestrator.browser_session TO writ_orchestrator;
