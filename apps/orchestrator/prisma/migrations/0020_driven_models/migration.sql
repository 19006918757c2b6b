-- Replicas may have different models, while a new configuration is rolled out for example. A replica claims the runs
-- whose models it has; a run whose model no replica has is claimed by any of them, which ends it with that reason.

-- Which models replicas have: each of them says so while it claims runs. Rows of models that nobody has stay, old.
CREATE TABLE orchestrator.driven_model (
  model   text COLLATE "C" NOT NULL,
  seen_at bigint NOT NULL,
  CONSTRAINT driven_model_pkey PRIMARY KEY (model)
);

-- Claims as the function of three parameters does, which replicas of the version before this one call. p_models are the
-- models of the caller. With p_gone_ms it also claims runs of models that no replica has named for so long.
CREATE FUNCTION orchestrator.claim_runs(
  p_rows integer, p_tenant_max integer, p_lease_ms bigint, p_models text[], p_gone_ms bigint)
RETURNS TABLE (tenant_id text, run_id text, fence bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
  seen_each_ms CONSTANT bigint := 5000;
BEGIN
  -- In one order, so that replicas that name the same models wait for each other and not in a circle.
  INSERT INTO driven_model (model, seen_at)
    SELECT m, t FROM unnest(p_models) AS m
    WHERE NOT EXISTS (SELECT FROM driven_model d WHERE d.model = m AND d.seen_at > t - seen_each_ms)
    ORDER BY m
    ON CONFLICT (model) DO UPDATE SET seen_at = greatest(driven_model.seen_at, excluded.seen_at);
  RETURN QUERY
    WITH busy AS (
      SELECT r.tenant_id, count(*) AS n FROM run r WHERE r.state <> 'ended' AND r.lease_until >= t GROUP BY r.tenant_id),
    due AS (
      SELECT r.run_id, r.tenant_id, r.wake_at,
        row_number() OVER (PARTITION BY r.tenant_id ORDER BY r.wake_at, r.run_id) AS n
      FROM run r
      WHERE r.state <> 'ended' AND r.wake_at <= t AND r.lease_until < t
        AND (r.cancel_by IS NOT NULL OR (
          NOT EXISTS (
            SELECT 1 FROM run b WHERE b.session_id = r.session_id AND b.place < r.place AND b.state <> 'ended')
          AND (r.model = ANY (p_models) OR p_gone_ms IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM driven_model d WHERE d.model = r.model AND d.seen_at > t - p_gone_ms))))),
    fair AS (
      SELECT due.run_id FROM due LEFT JOIN busy ON busy.tenant_id = due.tenant_id
      WHERE due.n <= p_tenant_max - coalesce(busy.n, 0) ORDER BY due.n, due.wake_at LIMIT p_rows),
    held AS (
      SELECT r.run_id FROM run r
      WHERE r.run_id IN (SELECT f.run_id FROM fair f) AND r.state <> 'ended' AND r.lease_until < t
      FOR UPDATE SKIP LOCKED)
    UPDATE run r SET fence = r.fence + 1, lease_until = t + p_lease_ms FROM held WHERE r.run_id = held.run_id
    RETURNING r.tenant_id, r.run_id, r.fence;
END $$;
REVOKE ALL ON FUNCTION orchestrator.claim_runs(integer, integer, bigint, text[], bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.claim_runs(integer, integer, bigint, text[], bigint) TO writ_orchestrator;
