-- Connections of persons to MCP servers, with OAuth (ADR 0144).

-- What executors found out about the authorization server of an MCP server.
ALTER TABLE kernel.mcp_server ADD COLUMN IF NOT EXISTS oauth jsonb;
GRANT UPDATE (oauth) ON kernel.mcp_server TO writ_kernel;

-- A row says which person an OAuth credential is of: a keyed hash of issuer and subject, which the orchestrator makes.
-- INVARIANT (one person): it never changes, so that no call gets the rights of another person. The row of a revoked
-- credential is deleted: none of its calls runs.
CREATE TABLE kernel.credential_subject (
  tenant_id    text NOT NULL REFERENCES kernel.tenant,
  api_key_id   text NOT NULL, -- the credential
  subject_hash bytea NOT NULL CHECK (length(subject_hash) = 32),

  PRIMARY KEY (tenant_id, api_key_id)
);

ALTER TABLE kernel.credential_subject ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.credential_subject FORCE ROW LEVEL SECURITY;
-- A transaction reaches credentials of its own tenant only.
CREATE POLICY one_tenant ON kernel.credential_subject TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- There is no UPDATE: the person of a credential stays.
GRANT SELECT, INSERT, DELETE ON kernel.credential_subject TO writ_kernel;

-- A row is a person's consent that an MCP server acts under their rights, from the question to the end of the tokens.
-- INVARIANT (one person): the sealed content opens for this row, server and person alone.
CREATE TABLE kernel.mcp_connection (
  connection_id text PRIMARY KEY,
  tenant_id     text NOT NULL REFERENCES kernel.tenant,
  resource_id   text NOT NULL REFERENCES kernel.resource, -- the server
  subject_hash  bytea NOT NULL CHECK (length(subject_hash) = 32), -- whose it is, as kernel.credential_subject has it
  api_key_id    text NOT NULL, -- the credential that asked
  person        text, -- the pseudonym of the person; null: none was known, or the person was forgotten
  -- Whether the person was forgotten: then the row says no more whose it was once nothing is left to revoke.
  forgotten     boolean DEFAULT false NOT NULL,
  lists         boolean DEFAULT false NOT NULL, -- whether the server's tools are listed with it
  -- `MCP_CONNECTION_STATES` of libs/contract
  state         text DEFAULT 'asked' NOT NULL
    CHECK (state IN ('asked', 'confirmed', 'exchanging', 'connected', 'failed', 'ended')),
  -- The client and its authorization server, as they were when it was asked for: {client_id, client_secret: the name of
  -- a secret, or null, issuer, authorization_endpoint, resource, names_issuer}. Tokens go to no other.
  client        jsonb NOT NULL,
  scopes        jsonb NOT NULL, -- what was granted, or is asked for

  -- The consent. Of handle, state and session there are hashes alone.
  handle_hash  bytea NOT NULL UNIQUE,
  state_hash   bytea UNIQUE, -- of the `state` that the authorization server returns, once; null: none is out
  session_hash bytea, -- of the browser session that confirmed it
  redirect_uri text,
  expires_at   bigint NOT NULL, -- until when the person may consent, in ms since the epoch

  -- The PKCE verifier, then also the code, then the tokens, sealed with the tenant's data key; null: there is none.
  sealed            bytea,
  access_expires_at bigint, -- of the access token, in ms since the epoch; null: the server doesn't say
  renewable         boolean DEFAULT false NOT NULL, -- whether there is a refresh token
  -- Which value of the client's secret the authorization server was given last, by its version and time; null: none.
  secret_given      text,

  problem      jsonb, -- `McpProblem` of libs/contract
  created_at   bigint DEFAULT kernel.now_ms() NOT NULL,
  connected_at bigint,
  renewed_at   bigint, -- when its tokens came, in ms since the epoch
  used_at      bigint, -- when a call had its token last, to the minute
  ended_at     bigint,

  -- What an executor is to do at the authorization server; null: nothing.
  work        text CHECK (work IN ('exchange', 'refresh', 'revoke')),
  due_at      bigint, -- when, in ms since the epoch
  asked_at    bigint, -- when the work was asked for: calls wait for it only so long
  executor_id text, -- who does it, or did last
  claim       integer DEFAULT 0 NOT NULL, -- counts the executors that took it, and fences earlier ones
  claim_until bigint, -- when another executor may take it, in ms since the epoch; null: nobody has it
  claimed_at  bigint, -- when an executor took it last: the turn of the tenant
  -- Until when an executor that was fenced may still be at it, in ms since the epoch; null: none was.
  fenced_until bigint,
  tried_at    bigint, -- the end of the last try, in ms since the epoch
  failures    integer DEFAULT 0 NOT NULL, -- counts the tries that failed since the last one that didn't

  CHECK ((work IS NULL) = (due_at IS NULL)),
  CHECK (work IS NOT NULL OR claim_until IS NULL),
  CHECK (state NOT IN ('asked', 'confirmed', 'failed') OR work IS NULL),
  CHECK (work <> 'exchange' OR state = 'exchanging'),
  CHECK (work <> 'refresh' OR (state = 'connected' AND renewable)),
  CHECK (work <> 'revoke' OR state = 'ended'),
  CHECK (state <> 'connected' OR (sealed IS NOT NULL AND connected_at IS NOT NULL)),
  CHECK (state NOT IN ('asked', 'failed') OR sealed IS NULL)
);

-- A person has one connection to a server.
CREATE UNIQUE INDEX mcp_connection_of ON kernel.mcp_connection (tenant_id, resource_id, subject_hash)
  WHERE state = 'connected';
-- One connection lists the tools of a server.
CREATE UNIQUE INDEX mcp_connection_lists ON kernel.mcp_connection (tenant_id, resource_id)
  WHERE state = 'connected' AND lists;
-- Which connections of the tenant are there?
CREATE INDEX mcp_connection_tenant ON kernel.mcp_connection (tenant_id, created_at, connection_id);
-- Which wait for an executor?
CREATE INDEX mcp_connection_due ON kernel.mcp_connection (due_at) WHERE work IS NOT NULL;
-- When did an executor last work for the tenant?
CREATE INDEX mcp_connection_turn ON kernel.mcp_connection (tenant_id, claimed_at);
-- Which are executors at?
CREATE INDEX mcp_connection_claimed ON kernel.mcp_connection (claim_until) WHERE claim_until IS NOT NULL;
CREATE INDEX mcp_connection_fenced ON kernel.mcp_connection (fenced_until) WHERE fenced_until IS NOT NULL;
-- Whose persons are to be forgotten?
CREATE INDEX mcp_connection_forgotten ON kernel.mcp_connection (tenant_id) WHERE forgotten;
-- Which rows can be forgotten?
CREATE INDEX mcp_connection_over ON kernel.mcp_connection ((coalesce(ended_at, expires_at)))
  WHERE state IN ('asked', 'confirmed', 'failed', 'ended');

ALTER TABLE kernel.mcp_connection ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.mcp_connection FORCE ROW LEVEL SECURITY;
-- A transaction reaches connections of its own tenant only.
CREATE POLICY one_tenant ON kernel.mcp_connection TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The worker finds the connection of a handle or a state, gives work of all tenants to executors, and forgets.
CREATE POLICY all_tenants ON kernel.mcp_connection TO writ_kernel_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON kernel.mcp_connection TO writ_kernel;
-- At which server it is stays. Whose it is does, too, until the person is forgotten (kernel.forget_mcp_persons).
GRANT UPDATE (
  lists, state, scopes, handle_hash, state_hash, session_hash, redirect_uri, expires_at, sealed, access_expires_at,
  renewable, problem, connected_at, renewed_at, used_at, ended_at, work, due_at, asked_at, claim, claim_until, tried_at,
  failures, secret_given, fenced_until, forgotten, subject_hash, person
) ON kernel.mcp_connection TO writ_kernel;
-- The worker sees no sealed content.
GRANT SELECT (
  connection_id, tenant_id, state, handle_hash, state_hash, expires_at, ended_at, work, due_at, claim, claim_until,
  claimed_at, fenced_until, tried_at, failures
) ON kernel.mcp_connection TO writ_kernel_worker;
GRANT UPDATE (executor_id, claim, claim_until, claimed_at, failures) ON kernel.mcp_connection TO writ_kernel_worker;
GRANT DELETE ON kernel.mcp_connection TO writ_kernel_worker;
