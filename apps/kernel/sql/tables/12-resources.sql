-- Registered resources, and the grants by which agents use them or make their own.
--
-- Row-level security binds writ_kernel to the tenant of its transaction (kernel.tenant()); FORCE binds the owner, too.
-- The worker has no grant on any table of this file. Times are ms since the epoch, by the clock of this database.

-- A row is a resource. Administrators create, change and remove most kinds, and some calls make one for their agent.
-- Rows of the kinds agent, profile, sandbox and skill mirror what other tables store: the triggers mirror_resource make
-- and remove them. The kind task has no rows. A removed row stays, since calls and records name its id.
-- INVARIANT (one of a name): at most one resource of a kind has a name; a removed one gives its name back.
CREATE TABLE kernel.resource (
  resource_id text PRIMARY KEY,
  tenant_id   text NOT NULL REFERENCES kernel.tenant,
  kind        text NOT NULL CHECK (kind IN (
    'agent', 'audio_device', 'calendar', 'container', 'info_store', 'mailbox', 'mcp_server', 'model', 'profile',
    'sandbox', 'search_engine', 'skill', 'website'
  )),
  -- As calls write it. An agent's resource is named by the agent's id, since names of agents are not unique.
  name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),

  owner_agent_id text REFERENCES kernel.agent, -- the agent that made it by a call, and may use it; null: nobody's
  settings       jsonb NOT NULL, -- `RESOURCE_SETTINGS` of libs/contract, by kind; {} for a kind that mirrors
  -- Hex SHA-256 over the RFC 8785 bytes of {kind, name, settings}: what a call was decided on.
  digest         text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  version        integer DEFAULT 1 NOT NULL CHECK (version > 0), -- counts changes of the settings, from 1

  created_by text NOT NULL, -- the API key or the agent that made it; `kernel` for the mirror of an agent
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL, -- of this version, in ms since the epoch
  removed_at bigint -- when it was removed, in ms since the epoch; null: it is there
);

-- Enforces one of a name, and finds a resource by its name. Which resources of a kind are there?
CREATE UNIQUE INDEX resource_named ON kernel.resource (tenant_id, kind, name) WHERE removed_at IS NULL;
-- Which resources does the tenant have? Lists are newest first.
CREATE INDEX resource_by_tenant ON kernel.resource (tenant_id, created_at, resource_id) WHERE removed_at IS NULL;

ALTER TABLE kernel.resource ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource FORCE ROW LEVEL SECURITY;
-- A transaction reaches resources of its own tenant only.
CREATE POLICY one_tenant ON kernel.resource TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Settings change and rows are marked as removed. Kind, name and owner stay.
GRANT SELECT, INSERT ON kernel.resource TO writ_kernel;
GRANT UPDATE (settings, digest, version, updated_at, removed_at) ON kernel.resource TO writ_kernel;

-- A row lets one agent, or every agent of the tenant, use one resource or all of a kind, or make resources of a kind.
-- Administrators set and remove it; a new tenant gets the rows of kernel.default_grants. What no row grants is refused,
-- but an agent uses what it owns. The grants of a removed resource are deleted with it.
CREATE TABLE kernel.resource_grant (
  resource_grant_id text PRIMARY KEY,
  tenant_id         text NOT NULL REFERENCES kernel.tenant,
  kind              text NOT NULL CHECK (kind IN (
    'agent', 'audio_device', 'calendar', 'container', 'info_store', 'mailbox', 'mcp_server', 'model', 'profile',
    'sandbox', 'search_engine', 'skill', 'task', 'website'
  )),
  resource_id       text REFERENCES kernel.resource, -- null: every resource of the kind, also later ones
  "right"           text NOT NULL CHECK ("right" IN ('use', 'create')),
  agent_id          text REFERENCES kernel.agent, -- null: every agent of the tenant

  -- The least supervision of a call that uses the grant: autopilot leaves it to policy, soft_gate takes a person,
  -- escalated takes an administrator.
  clearance  text NOT NULL CHECK (clearance IN ('autopilot', 'soft_gate', 'escalated')),
  created_by text NOT NULL, -- the API key that set it last; `kernel` for those of a new tenant
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- when it was set last, in ms since the epoch

  -- What is to be made has no id yet.
  CHECK ("right" = 'use' OR resource_id IS NULL)
);

-- Enforces one row for each key, so that one clearance is true. kernel.resources_for looks grants up by it.
CREATE UNIQUE INDEX resource_grant_key ON kernel.resource_grant (tenant_id, kind, "right", resource_id, agent_id)
  NULLS NOT DISTINCT;
-- Which grants does the tenant have? Lists are newest first.
CREATE INDEX resource_grant_by_tenant ON kernel.resource_grant (tenant_id, created_at, resource_grant_id);
-- Which grants does a resource have? Its removal deletes them.
CREATE INDEX resource_grant_of ON kernel.resource_grant (resource_id) WHERE resource_id IS NOT NULL;

ALTER TABLE kernel.resource_grant ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource_grant FORCE ROW LEVEL SECURITY;
-- A transaction reaches grants of its own tenant only.
CREATE POLICY one_tenant ON kernel.resource_grant TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Grants come and go, and another clearance can be set. Nobody can point a grant at something else.
GRANT SELECT, INSERT, DELETE ON kernel.resource_grant TO writ_kernel;
GRANT UPDATE (clearance, created_by, created_at) ON kernel.resource_grant TO writ_kernel;
