-- Claims due runs of all tenants, and records which models the caller has (orchestrator.driven_model). Returns only
-- ids, with the fence of each claim; the caller then opens each run within its tenant. It runs as the owner, because it
-- reads rows of all tenants.
--
-- p_rows: how many runs at most. p_tenant_max: how many runs of one tenant may be in progress, over all replicas.
-- p_lease_ms: how long the claims last. p_models: names of the models that the caller has. p_gone_ms: the caller also
-- gets runs whose model no replica has reported for this time, in order to end them; null: only runs of its own models
-- (ADR 0103).
--
-- A run is due when its wake_at has passed, no lease on it is valid, and earlier runs of its session have ended. A run
-- to be cancelled waits for no other run and needs no model. Tenants take turns, so that one with many runs does not
-- delay others. A run that another claim has locked is skipped.
--
-- INVARIANT (fenced): each claim of a run has a higher `fence`. A replica that resumes after its lease ran out is
-- fenced: its writes under the old value have no effect. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.claim_runs(
  p_rows integer, p_tenant_max integer, p_lease_ms bigint, p_models text[], p_gone_ms bigint)
RETURNS TABLE (tenant_id text, run_id text, fence bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
  seen_each_ms CONSTANT bigint := 5000;
BEGIN
  -- Sorted, so that replicas that report the same models cannot deadlock.
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
GRANT EXECUTE ON FUNCTION orchestrator.claim_runs(integer, integer, bigint, text[], bigint) TO writ_orchestrator;
