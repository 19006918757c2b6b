-- A replica that drives runs hears of a revoked key when it renews their leases (ADR 0097).

-- For the functions that run as the owner: which keys were revoked. Nobody logs in as the owner, and
-- orchestrator.authenticate leaves revoked keys out by itself.
CREATE POLICY api_key_revoked ON orchestrator.api_key FOR SELECT TO writ_owner USING (revoked_at IS NOT NULL);

-- Which runs are still held, which of them somebody wants cancelled, and of which the key was revoked. It renews the
-- leases that are more than half over, since every event renews one as well. It waits for nobody: a row that is being
-- changed is one whose event renews it, or is renewed by the next call.
DROP FUNCTION orchestrator.renew_runs;
CREATE FUNCTION orchestrator.renew_runs(p_runs text[], p_fences bigint[], p_lease_ms bigint)
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
      EXISTS (SELECT FROM api_key k WHERE k.api_key_id = h.created_by AND k.revoked_at IS NOT NULL)
    FROM run h JOIN unnest(p_runs, p_fences) AS a(run_id, fence) ON a.run_id = h.run_id AND a.fence = h.fence
    WHERE h.state <> 'ended' AND h.lease_until >= now_ms();
END $$;
REVOKE ALL ON FUNCTION orchestrator.renew_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.renew_runs TO writ_orchestrator;
