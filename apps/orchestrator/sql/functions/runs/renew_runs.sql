-- Renews leases of the caller's runs, and returns their status. p_runs and p_fences are its claims, as parallel arrays;
-- p_lease_ms is how long a lease lasts.
--
-- Returns a row for each run whose claim still lasts: whether a cancellation was requested (cancelled), and whether its
-- API key was revoked or its member isn't active (ADR 0097, ADR 0149). The caller stops driving runs that are missing, and ends cancelled and revoked ones.
--
-- It renews only leases that are more than half over, since every event renews one too. It never waits for a lock: a
-- locked row is skipped, because an event is renewing it, or the next call will. It runs as the owner and selects runs
-- by their claims, of any tenant. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.renew_runs(p_runs text[], p_fences bigint[], p_lease_ms bigint)
RETURNS TABLE (run_id text, cancelled boolean, revoked boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE run r SET lease_until = now_ms() + p_lease_ms WHERE r.run_id IN (
    SELECT h.run_id FROM run h
    JOIN unnest(p_runs, p_fences) AS a(run_id, fence) ON a.run_id = h.run_id AND a.fence = h.fence
    WHERE h.state <> 'ended' AND h.lease_until >= now_ms() AND h.lease_until < now_ms() + p_lease_ms / 2
    FOR UPDATE OF h SKIP LOCKED);
  RETURN QUERY
    SELECT h.run_id, h.cancel_by IS NOT NULL,
      EXISTS (SELECT FROM api_key k WHERE k.api_key_id = h.created_by AND (k.revoked_at IS NOT NULL OR is_refused(k.member_id)))
    FROM run h JOIN unnest(p_runs, p_fences) AS a(run_id, fence) ON a.run_id = h.run_id AND a.fence = h.fence
    WHERE h.state <> 'ended' AND h.lease_until >= now_ms();
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.renew_runs(text[], bigint[], bigint) TO writ_orchestrator;
