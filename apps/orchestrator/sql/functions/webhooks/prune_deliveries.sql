-- Deletes deliveries that have ended and were created more than p_older_ms milliseconds ago, the oldest first, at most
-- p_rows of them. Returns how many. The orchestrator calls it every minute.
--
-- It runs as the owner: no role may delete deliveries. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.prune_deliveries(p_older_ms bigint, p_rows integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  WITH old AS (SELECT d.delivery_id FROM delivery d WHERE d.state <> 'pending' AND d.created_at < now_ms() - p_older_ms ORDER BY d.created_at LIMIT p_rows),
  gone AS (DELETE FROM delivery d USING old WHERE d.delivery_id = old.delivery_id RETURNING 1)
  SELECT count(*) FROM gone
$$;
GRANT EXECUTE ON FUNCTION orchestrator.prune_deliveries(bigint, integer) TO writ_orchestrator;
