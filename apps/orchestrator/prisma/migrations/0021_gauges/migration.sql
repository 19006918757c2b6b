-- What waits, over all tenants, for metrics: numbers and ages alone. Each count stops at p_max, since past it the exact
-- number changes nothing for whoever looks. Runs that have not ended, and messages that are not delivered, are few beside
-- those that are: each has an index of its own.
CREATE FUNCTION orchestrator.gauges(p_max integer) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  SELECT jsonb_build_object(
    'runs', (SELECT coalesce(jsonb_object_agg(y.state, y.n), '{}') FROM (
      SELECT x.state, count(*) AS n FROM (SELECT r.state FROM run r WHERE r.state <> 'ended' LIMIT p_max) x GROUP BY x.state) y),
    'deliveries', (SELECT count(*) FROM (SELECT 1 FROM delivery d WHERE d.state = 'pending' LIMIT p_max) x),
    'overdue_ms', (SELECT greatest(0, coalesce(now_ms() - min(d.next_at), 0)) FROM delivery d WHERE d.state = 'pending'))
$$;
REVOKE ALL ON FUNCTION orchestrator.gauges FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.gauges TO writ_orchestrator;
