-- Tools: what a tenant's administrators registered beside Writ's own tools, which have no rows. Beside them stand skills
-- that agents read, and execution profiles of raw commands.
--
-- Row-level security binds writ_kernel to the tenant of its transaction (kernel.tenant()); FORCE binds the owner, too.
-- The worker has no grant on any table of this file. Times are ms since the epoch, by the clock of this database.

-- A row is a version of a tool, in force or not. Applying a file of tools adds it. It is never changed or deleted,
-- because operations and records name it by its digest.
CREATE TABLE kernel.tool_version (
  tenant_id text NOT NULL REFERENCES kernel.tenant,
  -- Its name, such as `family.name`. The kernel refuses a program in a family of Writ's own tools.
  tool_id   text NOT NULL CHECK (tool_id ~ '^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+)*$' AND length(tool_id) <= 128),
  version   integer NOT NULL CHECK (version > 0), -- counts the versions of the name, from 1

  definition_digest text NOT NULL CHECK (definition_digest ~ '^[0-9a-f]{64}$'), -- hex SHA-256 of the definition
  document          jsonb NOT NULL, -- what the definition is made of: `TenantTool` of libs/contract

  created_by text NOT NULL, -- the API key
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  PRIMARY KEY (tenant_id, tool_id, version),
  -- A digest names one version: the one that a call was decided on.
  UNIQUE (tenant_id, definition_digest)
);

ALTER TABLE kernel.tool_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.tool_version FORCE ROW LEVEL SECURITY;
-- A transaction reaches versions of its own tenant only.
CREATE POLICY one_tenant ON kernel.tool_version TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A version is immutable, so there is no UPDATE and no DELETE.
GRANT SELECT, INSERT ON kernel.tool_version TO writ_kernel;

-- A row is the name of a tool, and says which version of it is in force. Administrators put it into force or remove
-- it. The row of a removed tool stays, for the operations that used it.
-- INVARIANT (the tool in force): no call is admitted, held or committed on another definition than the one in force.
-- kernel.tool_stands compares when a decision is written; a change of a tool locks the tenant's rules exclusively.
CREATE TABLE kernel.tool (
  tenant_id text NOT NULL REFERENCES kernel.tenant,
  tool_id   text NOT NULL,

  version           integer NOT NULL CHECK (version > 0), -- the newest version, in force or not
  definition_digest text, -- the digest of that version, if it is in force; null: the tool was removed
  -- What kind of tool it is, as its author says. Policies and supervision depend on it.
  category          text NOT NULL CHECK (category IN ('read', 'write', 'admin')),

  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- of the name, in ms since the epoch
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL, -- of the last change, in ms since the epoch
  updated_by text NOT NULL, -- the API key that made it

  PRIMARY KEY (tenant_id, tool_id),
  FOREIGN KEY (tenant_id, tool_id, version) REFERENCES kernel.tool_version
);

ALTER TABLE kernel.tool ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.tool FORCE ROW LEVEL SECURITY;
-- A transaction reaches tools of its own tenant only.
CREATE POLICY one_tenant ON kernel.tool TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Another version can be put into force, or none. The name stays.
GRANT SELECT, INSERT ON kernel.tool TO writ_kernel;
GRANT UPDATE (category, version, definition_digest, updated_by, updated_at) ON kernel.tool TO writ_kernel;

-- A row is a version of a skill: a folder of guidance that agents read by calls. Administrators upload it. It goes when
-- the skill is removed, or when as many newer versions exist as are kept.
-- INVARIANT (a version is its contents): what a digest names never changes. An earlier version that is uploaded again
-- is written anew, as the newest.
CREATE TABLE kernel.skill (
  tenant_id text NOT NULL REFERENCES kernel.tenant,
  name      text NOT NULL CHECK (name ~ '^[a-z0-9-]{1,64}$'),
  digest    text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'), -- hex SHA-256 of contents
  seq       bigint NOT NULL, -- the newest version of a name has the highest, and agents read that one

  -- RFC 8785 bytes that name the skill, what it is for, and each file with the hash of its content. The contents of the
  -- files are blobs; garbage collection keeps those that a row names.
  contents bytea NOT NULL,
  bytes    bigint NOT NULL CHECK (bytes >= 0), -- of all its files

  created_by text NOT NULL, -- the API key that uploaded it
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  PRIMARY KEY (tenant_id, name, digest),
  UNIQUE (tenant_id, name, seq)
);

ALTER TABLE kernel.skill ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.skill FORCE ROW LEVEL SECURITY;
-- A transaction reaches skills of its own tenant only.
CREATE POLICY one_tenant ON kernel.skill TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Versions come and go. No UPDATE, so that none changes.
GRANT SELECT, INSERT, DELETE ON kernel.skill TO writ_kernel;

-- A row is an execution profile: what raw commands (`shell.dangerous`) may do at most. Administrators create and remove
-- it. Another profile can take the name only once this one was removed.
CREATE TABLE kernel.execution_profile (
  tenant_id text NOT NULL REFERENCES kernel.tenant,
  name      text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'), -- as tokens name it

  -- RFC 8785 bytes of an `ExecutionProfile` of libs/contract. The tool of a call is bound to them.
  definition bytea NOT NULL,
  digest     text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'), -- hex SHA-256 of these bytes

  created_by text NOT NULL, -- the API key
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  PRIMARY KEY (tenant_id, name)
);

ALTER TABLE kernel.execution_profile ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.execution_profile FORCE ROW LEVEL SECURITY;
-- A transaction reaches profiles of its own tenant only.
CREATE POLICY one_tenant ON kernel.execution_profile TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Profiles come and go. No UPDATE, so that none changes under its name.
GRANT SELECT, INSERT, DELETE ON kernel.execution_profile TO writ_kernel;
