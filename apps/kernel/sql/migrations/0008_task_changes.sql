-- Tasks can be changed from another session than their own: the calls that made and changed them get rows.
CREATE TABLE IF NOT EXISTS kernel.task_change (
  tenant_id    text NOT NULL,
  operation_id text PRIMARY KEY,
  task_id      text NOT NULL,
  created_at   bigint NOT NULL DEFAULT kernel.now_ms()
);
CREATE INDEX IF NOT EXISTS task_change_of ON kernel.task_change (tenant_id, task_id);
CREATE INDEX IF NOT EXISTS task_made ON kernel.task_change (tenant_id, created_at) WHERE task_id = operation_id;
-- Row-level security binds the owner, too: it sees all tenants for this statement.
ALTER TABLE kernel.operation NO FORCE ROW LEVEL SECURITY;
INSERT INTO kernel.task_change (tenant_id, operation_id, task_id, created_at)
  SELECT o.tenant_id, o.operation_id, o.operation_id, o.updated_at FROM kernel.operation o
  WHERE o.tool_id = 'task.create' AND o.state IN ('committed', 'no_op') AND o.fault_code IS NULL AND o.lane IS NOT NULL
  ON CONFLICT DO NOTHING;
ALTER TABLE kernel.operation FORCE ROW LEVEL SECURITY;
ALTER TABLE kernel.task_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.task_change FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS one_tenant ON kernel.task_change;
CREATE POLICY one_tenant ON kernel.task_change TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.task_change TO writ_kernel;
