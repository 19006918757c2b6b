-- A key that an agent used with several tools stays claimed for each of them, and the oldest claim is the one that counts
-- for all others. Nobody claims meanwhile: the lock lets others read, and calls with a key wait for it.
LOCK TABLE kernel.idempotency IN SHARE ROW EXCLUSIVE MODE;
UPDATE kernel.idempotency i SET tool_scoped = true
WHERE EXISTS (
  SELECT FROM kernel.idempotency e
  WHERE e.tenant_id = i.tenant_id AND e.agent_id = i.agent_id AND e.idempotency_key = i.idempotency_key
    AND (e.created_at, e.tool_id) < (i.created_at, i.tool_id));
CREATE UNIQUE INDEX idempotency_of_agent ON kernel.idempotency (tenant_id, agent_id, idempotency_key)
  WHERE NOT tool_scoped;
ALTER TABLE kernel.idempotency FORCE ROW LEVEL SECURITY;
