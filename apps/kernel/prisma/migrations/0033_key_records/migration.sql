-- What became of the keys that sign records is recorded in every tenant's log, one tenant a transaction.

-- Which of that the tenant's log has been given, by names that the kernel makes up: what stands here is in the outbox or the log.
ALTER TABLE kernel.tenant ADD COLUMN keys_recorded text[] NOT NULL DEFAULT '{}';
GRANT UPDATE (keys_recorded) ON kernel.tenant TO writ_kernel;
GRANT SELECT (keys_recorded, created_at) ON kernel.tenant TO writ_kernel_worker;

-- Tenants after p_after that lack one of p_events: [{due, names}], of which a log has to have one of the names where it is older than `due`. Run as the worker.
CREATE FUNCTION kernel.keys_unrecorded(p_events jsonb, p_after text, p_limit integer) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(x.tenant_id ORDER BY x.tenant_id), '[]') FROM (
    SELECT t.tenant_id FROM tenant t WHERE t.tenant_id > p_after AND EXISTS (
      SELECT 1 FROM jsonb_to_recordset(p_events) AS e(due bigint, names jsonb)
      WHERE t.created_at <= e.due AND NOT EXISTS (SELECT 1 FROM unnest(t.keys_recorded) AS n(name) WHERE e.names ? n.name))
    ORDER BY t.tenant_id LIMIT p_limit) x);
END $$;
GRANT EXECUTE ON FUNCTION kernel.keys_unrecorded(jsonb, text, integer) TO writ_kernel_worker;
