-- Returns the ids of tenants, ordered and after p_after, whose log still lacks a record of a signing-key event.
-- p_events: [{due, names}]. A tenant lacks an event where it was created by `due` and its keys_recorded has none of
-- `names`. One event has several names, since any of several keys may have signed its record.
-- Runs as the worker role. The kernel records the events for each tenant in its own transaction (RecordKeys).
CREATE OR REPLACE FUNCTION kernel.keys_unrecorded(p_events jsonb, p_after text, p_limit integer) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(x.tenant_id ORDER BY x.tenant_id), '[]') FROM (
    SELECT t.tenant_id FROM tenant t WHERE t.tenant_id > p_after AND EXISTS (
      SELECT 1 FROM jsonb_to_recordset(p_events) AS e(due bigint, names jsonb)
      WHERE t.created_at <= e.due AND NOT EXISTS (SELECT 1 FROM unnest(t.keys_recorded) AS n(name) WHERE e.names ? n.name))
    ORDER BY t.tenant_id LIMIT p_limit) x);
END $$;
GRANT EXECUTE ON FUNCTION kernel.keys_unrecorded(jsonb, text, integer) TO writ_kernel_worker;
