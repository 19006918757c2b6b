-- MCP servers of tenants, and the tools that they list. Executors list the tools, and administrators accept them.
--
-- Row-level security binds writ_kernel to the tenant of its transaction (kernel.tenant()); FORCE binds the owner, too.
-- Times are ms since the epoch, by the clock of this database.

-- A row is a registered resource of the kind mcp_server, and what is known of the server. The trigger mcp_server_watched
-- of kernel.resource makes, wakes and deletes it, with its tools. An executor claims one that is due and lists its tools.
CREATE TABLE kernel.mcp_server (
  resource_id text PRIMARY KEY REFERENCES kernel.resource,
  tenant_id   text NOT NULL REFERENCES kernel.tenant,

  due_at      bigint DEFAULT kernel.now_ms() NOT NULL, -- when its tools are to be listed, in ms since the epoch
  executor_id text, -- who lists them, or did last
  claim       integer DEFAULT 0 NOT NULL, -- counts the executors that took it, and fences earlier ones
  claim_until bigint, -- when another executor may take it, in ms since the epoch; null: nobody has it

  checked_at bigint, -- the end of the last attempt, in ms since the epoch; null: there was none
  problem    jsonb, -- `McpProblem` of libs/contract: why that attempt failed; null unless it did
  failures   integer DEFAULT 0 NOT NULL, -- counts the attempts that failed since the last one that didn't
  about      jsonb, -- `McpAbout` of libs/contract: what the server says of itself; null until a listing succeeds
  skipped    jsonb DEFAULT '[]' NOT NULL, -- listed tools that can't be used, `McpSkippedTool[]` of libs/contract

  transport text DEFAULT 'http' NOT NULL CHECK (transport IN ('http', 'stdio')), -- as its settings say
  oauth     jsonb -- `McpAuthorization` of libs/contract; null: no rights of persons, or not found yet
);

-- Which servers wait for an executor?
CREATE INDEX mcp_server_due ON kernel.mcp_server (due_at);
-- Which tenants have as many listings under way as they may?
CREATE INDEX mcp_server_claimed ON kernel.mcp_server (tenant_id) WHERE claim_until IS NOT NULL;
-- When did an executor last list a server of the tenant?
CREATE INDEX mcp_server_turn ON kernel.mcp_server (tenant_id, (greatest(checked_at, claim_until)));

ALTER TABLE kernel.mcp_server ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.mcp_server FORCE ROW LEVEL SECURITY;
-- A transaction reaches servers of its own tenant only.
CREATE POLICY one_tenant ON kernel.mcp_server TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The worker gives servers of all tenants to executors.
CREATE POLICY all_tenants ON kernel.mcp_server TO writ_kernel_worker USING (true) WITH CHECK (true);
-- What is known changes, and a removed resource takes its row along.
GRANT SELECT, INSERT, DELETE ON kernel.mcp_server TO writ_kernel;
GRANT UPDATE (due_at, claim_until, checked_at, problem, failures, about, skipped, transport, oauth)
  ON kernel.mcp_server TO writ_kernel;
GRANT SELECT ON kernel.mcp_server TO writ_kernel_worker;
GRANT UPDATE (executor_id, claim, claim_until) ON kernel.mcp_server TO writ_kernel_worker;

-- A row is a tool that a server lists, or that was accepted and is listed no more.
-- INVARIANT (what was looked at): the tool is in force only while the server lists the definition that an administrator
-- accepted, byte by byte.
CREATE TABLE kernel.mcp_tool (
  tenant_id   text NOT NULL REFERENCES kernel.tenant,
  resource_id text NOT NULL REFERENCES kernel.mcp_server, -- the server
  remote_name text NOT NULL CHECK (length(remote_name) BETWEEN 1 AND 128), -- the tool's name there
  tool_id     text NOT NULL, -- its id here, which stays

  seen            bytea, -- RFC 8785 bytes of the definition as it is listed, `McpRemoteTool` of libs/contract; null: it is not
  seen_digest     text CHECK (seen_digest ~ '^[0-9a-f]{64}$'), -- hex SHA-256 of these bytes
  problems        jsonb DEFAULT '[]' NOT NULL, -- why that definition can't be accepted; empty if it can be
  suggested       text DEFAULT 'write' NOT NULL CHECK (suggested IN ('read', 'write', 'admin')), -- what its hints speak for
  seen_at         bigint DEFAULT kernel.now_ms() NOT NULL, -- when that began, in ms since the epoch
  accepted        bytea, -- the definition that an administrator accepted last; null: none
  accepted_digest text CHECK (accepted_digest ~ '^[0-9a-f]{64}$'), -- hex SHA-256 of these bytes
  refused_digest  text CHECK (refused_digest ~ '^[0-9a-f]{64}$'), -- of the definition that was refused last; null: none

  -- It follows from the digests, and says whether the tool is in force.
  state text NOT NULL CHECK (state = CASE
    WHEN seen_digest IS NULL THEN 'gone'
    WHEN seen_digest IS NOT DISTINCT FROM refused_digest THEN 'refused'
    WHEN seen_digest IS NOT DISTINCT FROM accepted_digest THEN 'accepted'
    WHEN accepted_digest IS NULL THEN 'new'
    ELSE 'changed' END),

  decided_by text, -- the API key that accepted or refused it last; null: nobody did
  decided_at bigint, -- when, in ms since the epoch

  PRIMARY KEY (tenant_id, resource_id, remote_name),
  -- Two tools never share an id.
  UNIQUE (tenant_id, tool_id),
  CHECK ((seen IS NULL) = (seen_digest IS NULL)),
  CHECK ((accepted IS NULL) = (accepted_digest IS NULL)),
  -- A refusal ends the acceptance of that definition.
  CHECK (refused_digest <> accepted_digest)
);

ALTER TABLE kernel.mcp_tool ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.mcp_tool FORCE ROW LEVEL SECURITY;
-- A transaction reaches tools of its own tenant only.
CREATE POLICY one_tenant ON kernel.mcp_tool TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Definitions and decisions change. A tool that nobody accepted goes when its server lists it no more. The names stay.
GRANT SELECT, INSERT, DELETE ON kernel.mcp_tool TO writ_kernel;
GRANT UPDATE (
  seen, seen_digest, problems, suggested, seen_at, accepted, accepted_digest, refused_digest, state, decided_by, decided_at
) ON kernel.mcp_tool TO writ_kernel;
