-- Returns how much work waits over all tenants, for metrics: only counts and ages, as an object:
--   runs        an object: how many runs are in each state, `ended` excluded; a state without runs is absent
--   deliveries  how many are pending
--   overdue_ms  for how long the pending delivery that is due longest has been due; 0 where none is
-- Runs and deliveries are counted up to p_max each; beyond it the exact number does not matter to operators. Unfinished
-- rows are few beside the rest, and partial indexes find them.
--
-- It runs as the owner, because it reads rows of all tenants. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.gauges(p_max integer) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  SELECT jsonb_build_object(
    'runs', (SELECT coalesce(jsonb_object_agg(y.state, y.n), '{}') FROM (
      SELECT x.state, count(*) AS n FROM (SELECT r.state FROM run r WHERE r.state <> 'ended' LIMIT p_max) x GROUP BY x.state) y),
    'deliveries', (SELECT count(*) FROM (SELECT 1 FROM delivery d WHERE d.state = 'pending' LIMIT p_max) x),
    'overdue_ms', (SELECT greatest(0, coalesce(now_ms() - min(d.next_at), 0)) FROM delivery d WHERE d.state = 'pending'))
$$;
GRANT EXECUTE ON FUNCTION orchestrator.gauges(integer) TO writ_orchestrator;
