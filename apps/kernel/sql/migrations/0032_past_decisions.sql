-- Past decisions about alike calls, for whoever decides the next one. Most calls wait for nobody and are not in the index.
CREATE INDEX operation_held ON kernel.operation (tenant_id, agent_id, tool_id, created_at, operation_id)
  WHERE approval_id IS NOT NULL;
