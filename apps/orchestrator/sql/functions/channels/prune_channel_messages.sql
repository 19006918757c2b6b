-- Deletes what is known of messages in channels that nothing has changed for p_older_ms milliseconds, the oldest first,
-- at most p_rows of them. Messages at the provider stay. Returns how many. The orchestrator calls it every minute.
--
-- It runs as the owner: no role may delete these rows. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.prune_channel_messages(p_older_ms bigint, p_rows integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  WITH old AS (SELECT m.channel_id, m.approval_id FROM channel_message m WHERE m.state <> 'pending' AND m.updated_at < now_ms() - p_older_ms ORDER BY m.updated_at LIMIT p_rows),
  gone AS (DELETE FROM channel_message m USING old WHERE m.channel_id = old.channel_id AND m.approval_id = old.approval_id RETURNING 1)
  SELECT count(*) FROM gone
$$;
GRANT EXECUTE ON FUNCTION orchestrator.prune_channel_messages(bigint, integer) TO writ_orchestrator;
