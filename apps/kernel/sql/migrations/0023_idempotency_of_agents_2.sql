-- A key that an agent used with several tools stays claimed for each of them, and the oldest claim is the one that
-- counts for all others. Calls go on claiming keys meanwhile: this locks the rows that it marks, and no others.
UPDATE kernel.idempotency i SET tool_scoped = true
WHERE EXISTS (
  SELECT FROM kernel.idempotency e
  WHERE e.tenant_id = i.tenant_id AND e.agent_id = i.agent_id AND e.idempotency_key = i.idempotency_key
    AND (e.created_at, e.tool_id) < (i.created_at, i.tool_id));
