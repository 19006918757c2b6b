-- Tasks: which calls made and changed each task. What a task says is in the sealed arguments of these calls.
-- All times are milliseconds since the epoch by this database's clock (kernel.now_ms).

-- A row is one committed call that made or changed a task; kernel.apply_changes inserts it in the transaction that
-- commits the call. A task has the id of the call that made it. No row is changed or deleted: an erasure of the call
-- deletes its arguments, and with them what it said.
-- Calls of `task.edit` that committed before this table existed have no row: they changed a task of their own session.
CREATE TABLE kernel.task_change (
  tenant_id    text NOT NULL, -- the tenant
  operation_id text PRIMARY KEY, -- the call
  task_id      text NOT NULL, -- the call that made the task; for that call itself, its own id
  created_at   bigint NOT NULL DEFAULT kernel.now_ms() -- when the call was committed, in ms since the epoch
);
-- Which calls changed a task?
CREATE INDEX task_change_of ON kernel.task_change (tenant_id, task_id);
-- Which tasks does the tenant have, newest first?
CREATE INDEX task_made ON kernel.task_change (tenant_id, created_at) WHERE task_id = operation_id;
ALTER TABLE kernel.task_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.task_change FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.task_change TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Calls are added; nothing else.
GRANT SELECT, INSERT ON kernel.task_change TO writ_kernel;
