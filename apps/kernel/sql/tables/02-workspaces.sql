-- Workspaces: trees of files with a history, which calls commit to. Beside them stands what calls rely on or use:
-- versions of things outside, sandboxes of mk8.shell, and the tenant's secrets.
--
-- Row-level security binds writ_kernel to the tenant of its transaction (kernel.tenant()); FORCE binds the owner, too.
-- The worker has no grant on any table of this file. Times are ms since the epoch, by the clock of this database.

-- A row is a workspace: its head, its size and its quota. Administrators and operators create it with an empty tree;
-- the kernel moves the head by compare-and-swap. It is never deleted.
-- INVARIANT (quota): the head never moves to a state that exceeds a quota and holds more than before. The trigger
-- workspace_quota enforces it for the workspace and its tenant, in the transaction that moves the head.
CREATE TABLE kernel.workspace (
  workspace_id text PRIMARY KEY,
  tenant_id    text NOT NULL REFERENCES kernel.tenant,
  name         text NOT NULL,
  created_at   bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  head_snapshot_id text NOT NULL, -- the current state, as kernel.snapshot has it
  head_seq         bigint DEFAULT 0 NOT NULL, -- its number there: how many states were the head before it
  updated_at       bigint DEFAULT kernel.now_ms() NOT NULL, -- when the head last moved, in ms since the epoch

  -- What the head holds. A new workspace is empty; a move adds its growth. Null: not counted yet.
  files     bigint DEFAULT 0 CHECK (files >= 0), -- files, links and directories
  bytes     bigint DEFAULT 0 CHECK (bytes >= 0), -- bytes of their contents
  -- The head_seq that both were counted at; null: not counted. A move that does not count makes all three null.
  sized_seq bigint DEFAULT 0,

  -- The workspace's own quota, set by administrators; null: no bound. The tenant's quota counts beside it.
  files_max bigint CHECK (files_max >= 0), -- files, links and directories
  bytes_max bigint CHECK (bytes_max >= 0) -- bytes of their contents
);

-- Which workspaces does the tenant have? Lists are newest first.
CREATE INDEX workspace_by_tenant ON kernel.workspace (tenant_id, created_at, workspace_id);

ALTER TABLE kernel.workspace ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.workspace FORCE ROW LEVEL SECURITY;
-- A transaction reaches workspaces of its own tenant only.
CREATE POLICY one_tenant ON kernel.workspace TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel moves heads, counts sizes and sets quotas. The UPDATE covers all columns; the policy keeps the tenant.
GRANT SELECT, INSERT, UPDATE ON kernel.workspace TO writ_kernel;

-- A row is a state that is or was the head of a workspace. The transaction that moves the head adds it, and nobody
-- changes or deletes it. Garbage collection keeps what the tree and the delta of every row reach.
CREATE TABLE kernel.snapshot (
  workspace_id text NOT NULL REFERENCES kernel.workspace,
  seq          bigint NOT NULL, -- counts the states of the workspace; 0 is the empty tree
  tenant_id    text NOT NULL,

  snapshot_id        text NOT NULL, -- `snap_` and the hash of the tree; the same state may come back with another seq
  parent_snapshot_id text, -- the head before; null: there was none
  delta_id           text, -- the delta from there to here; null: there was no head before

  -- How it became the head. created: the empty tree; committed: by a call; changed: by a person's upload;
  -- restored: from an earlier state; imported: from an archive.
  kind         text DEFAULT 'committed' NOT NULL
    CHECK (kind IN ('created', 'committed', 'changed', 'restored', 'imported')),
  operation_id text, -- the call that committed it; null: a person made it
  made_by      text, -- the API key of the person who made it; null: a call did, and its operation names the agent
  created_at   bigint DEFAULT kernel.now_ms() NOT NULL, -- when it became the head, in ms since the epoch

  PRIMARY KEY (workspace_id, seq)
);

-- Is this snapshot a state of the workspace's history? Reads and restores of a snapshot ask it.
CREATE INDEX snapshot_by_id ON kernel.snapshot (workspace_id, snapshot_id);

ALTER TABLE kernel.snapshot ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.snapshot FORCE ROW LEVEL SECURITY;
-- A transaction reaches histories of its own tenant only.
CREATE POLICY one_tenant ON kernel.snapshot TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A history only grows, so there is no UPDATE and no DELETE.
GRANT SELECT, INSERT ON kernel.snapshot TO writ_kernel;

-- A row is a thing outside of workspaces that calls rely on, such as a deployment or a ticket: its name and version.
-- Administrators and operators set the version by compare-and-swap, agents never do. A row is never deleted.
-- INVARIANT (wholly before or after): no call commits that relies on a version which was replaced before. A call locks
-- the names that it relies on shared; a change of a version locks its name exclusively (kernel.external_version_lock).
CREATE TABLE kernel.external_version (
  external_version_id text NOT NULL UNIQUE, -- tells rows of one moment apart in lists
  tenant_id           text NOT NULL REFERENCES kernel.tenant,
  ref                 text NOT NULL, -- the name that calls use, such as `deployment:shop/production`

  -- Printable ASCII; its meaning is between whoever sets it and whoever names it.
  -- `absent` is what a call names that relies on there being no row.
  version    text NOT NULL CHECK (version <> 'absent'),
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- of the row, in ms since the epoch
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL, -- of this version, in ms since the epoch
  updated_by text NOT NULL, -- the API key that set this version

  PRIMARY KEY (tenant_id, ref)
);

-- Which external versions does the tenant have? Lists are newest first.
CREATE INDEX external_version_by_tenant ON kernel.external_version (tenant_id, created_at, external_version_id);

ALTER TABLE kernel.external_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.external_version FORCE ROW LEVEL SECURITY;
-- A transaction reaches external versions of its own tenant only.
CREATE POLICY one_tenant ON kernel.external_version TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A row can be added and its version set. Its name stays.
GRANT SELECT, INSERT ON kernel.external_version TO writ_kernel;
GRANT UPDATE (version, updated_at, updated_by) ON kernel.external_version TO writ_kernel;

-- A row is a sandbox of mk8.shell, in which scripts run: its definition, and a registrar's signature of it.
-- Administrators register, sign and remove it. The row of a removed sandbox stays, for its signed_at.
-- INVARIANT (signed as it is): another definition takes the signature away, and no script runs in an unsigned sandbox.
-- INVARIANT (never older): signed_at only grows, so what was signed once and replaced cannot come back. The kernel
-- compares under a lock that all changes of the tenant's sandboxes take.
CREATE TABLE kernel.sandbox (
  tenant_id text NOT NULL REFERENCES kernel.tenant,
  name      text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'), -- as callers of scripts write it

  workspace_id      text NOT NULL REFERENCES kernel.workspace, -- where its scripts work, as the definition says
  definition        bytea, -- RFC 8785 bytes; null: the sandbox was removed
  definition_digest text CHECK (definition_digest ~ '^[0-9a-f]{64}$'), -- hex SHA-256 of these bytes; null: removed

  -- The signature of the definition as it is now; all three are null until a registrar signs it.
  statement bytea, -- the bytes that were signed
  keyid     text, -- the registrar's key
  sig       bytea,
  -- When the newest signature was made, in ms since the epoch as the registrar says; 0: there was none.
  -- It survives changes of the definition and the removal.
  signed_at bigint DEFAULT 0 NOT NULL,

  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch
  updated_by text NOT NULL, -- the API key that registered, signed or removed it last

  PRIMARY KEY (tenant_id, name),
  FOREIGN KEY (tenant_id, keyid) REFERENCES kernel.registrar_key,
  -- A signature is there as a whole or not at all.
  CHECK ((statement IS NULL) = (keyid IS NULL) AND (statement IS NULL) = (sig IS NULL)),
  -- Definition and digest come and go together, and nothing is signed where there is no definition.
  CHECK ((definition IS NULL) = (definition_digest IS NULL) AND (definition IS NOT NULL OR statement IS NULL))
);

ALTER TABLE kernel.sandbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.sandbox FORCE ROW LEVEL SECURITY;
-- A transaction reaches sandboxes of its own tenant only.
CREATE POLICY one_tenant ON kernel.sandbox TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A removal is an update, because a DELETE would forget signed_at. The name and created_at stay.
GRANT SELECT, INSERT ON kernel.sandbox TO writ_kernel;
GRANT UPDATE (workspace_id, definition, definition_digest, statement, keyid, sig, signed_at, updated_by, updated_at)
  ON kernel.sandbox TO writ_kernel;

-- A row is the value of a secret of the tenant, as an administrator set it or a person gave it for a held call. Setting
-- a value deletes the one before, and removing the secret deletes all. No value leaves the kernel for a caller.
CREATE TABLE kernel.secret (
  tenant_id text NOT NULL,
  name      text NOT NULL, -- as tokens and tools name it
  version   integer NOT NULL CHECK (version > 0), -- one more than that of the value it replaces; 1: it replaces none

  -- The value under the tenant's data key (AES-256-GCM: nonce ‖ ciphertext ‖ tag), bound to tenant, name and version.
  sealed bytea NOT NULL,
  key_id text NOT NULL, -- identifies the data key that sealed it, and reveals nothing about it

  note       text, -- the words of whoever set it; null: none
  created_by text NOT NULL, -- the API key that set the value
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  PRIMARY KEY (tenant_id, name, version)
);

ALTER TABLE kernel.secret ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.secret FORCE ROW LEVEL SECURITY;
-- A transaction reaches secrets of its own tenant only.
CREATE POLICY one_tenant ON kernel.secret TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- DELETE, so that a value that was replaced or removed is gone. No UPDATE: a new value is a new version.
GRANT SELECT, INSERT, DELETE ON kernel.secret TO writ_kernel;
