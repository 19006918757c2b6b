-- Scheduling classes of calls (ADR 0113). A constant default rewrites no row. A kernel of the version before writes
-- interactive calls alone, and its kernel.dispatch sorts the waiting calls of a tenant, which the new index doesn't.
ALTER TABLE kernel.operation ADD COLUMN scheduling_class text NOT NULL DEFAULT 'interactive'
  CHECK (scheduling_class IN ('interactive', 'background', 'maintenance'));
DROP INDEX kernel.operation_waiting;
CREATE INDEX operation_waiting ON kernel.operation (lane, tenant_id, scheduling_class, created_at, operation_id)
  WHERE state = 'admitted';
