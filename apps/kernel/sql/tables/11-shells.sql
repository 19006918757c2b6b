-- Shells: which executor has the long-lived shell of a session, so that the session's calls find it.
-- All times are milliseconds since the epoch by this database's clock (kernel.now_ms).

-- A row is the newest shell of a session. kernel.attach_shell inserts it when an attempt opens a shell, and replaces it
-- when the session opens another. No row is deleted. It grants nothing: attempts are fenced by their own leases.
-- INVARIANT (one shell a session): the primary key is workspace, token and session, so what one token may read is never
-- in the container of another's.
CREATE TABLE kernel.shell (
  -- The session.

  tenant_id           text NOT NULL, -- the tenant
  workspace_id        text NOT NULL, -- the workspace that the shell has a copy of
  capability_token_id text NOT NULL, -- the token of the session's calls
  -- `session:` and the session of the calls, or `container:` and the id of the container that they name, as
  -- kernel.shell_key composes it
  session_id          text NOT NULL,

  -- The shell and its executor.

  shell_id            text NOT NULL, -- 32 hex digits, chosen by the executor that opens it
  executor_id         text NOT NULL, -- the executor that has its container
  -- until when that executor counts as alive, in ms since the epoch; it renews the lease several times in it
  lease_until         bigint NOT NULL,

  -- Its end.

  -- why there is no shell any more: lost (its executor or container went away), diverged (what it did was not
  -- committed), idle, closed, killed (a person ended it); null: it lives
  ending              text CHECK (ending IN ('lost', 'diverged', 'idle', 'closed', 'killed')),
  -- true: a call of the session received the ending. After `lost` or `killed` no other shell opens before that, since
  -- a command may rely on the state of the old one.
  told                boolean NOT NULL DEFAULT false,

  created_at          bigint NOT NULL DEFAULT kernel.now_ms(), -- when this shell was opened, in ms since the epoch
  updated_at          bigint NOT NULL DEFAULT kernel.now_ms(), -- when the row changed last, in ms since the epoch
  PRIMARY KEY (tenant_id, workspace_id, capability_token_id, session_id)
);
-- a shell by its id, for renewals and ends (kernel.renew_shell, kernel.end_shell, kernel.kill_shell)
CREATE INDEX shell_by_id ON kernel.shell (shell_id);
ALTER TABLE kernel.shell ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.shell FORCE ROW LEVEL SECURITY;
-- The worker reads shells of all tenants. It has no right to write, so WITH CHECK is never used.
CREATE POLICY all_tenants ON kernel.shell TO writ_kernel_worker USING (true) WITH CHECK (true);
-- The kernel sees and writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.shell TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel opens, renews and ends shells; no role deletes one.
GRANT SELECT, INSERT, UPDATE ON kernel.shell TO writ_kernel;
-- The worker sends a permit to the executor that has the session's shell (kernel.shell_owners), and lists containers.
GRANT SELECT ON kernel.shell TO writ_kernel_worker;
