-- What a run does most, in one message to this database and with plans that are kept: an event, with what the run's row says of it. As four messages, of which two were planned anew
-- each time, it took a run more time than all else that the orchestrator does for a call.

-- Makes the event of that place durable and renews the lease. No row: the lease was lost, and nothing is changed. A place that is taken is a violation of run_event_pkey, and a lost lease too.
-- INVARIANT (fenced): nothing of a run changes but under its last claim, while the lease of that stands.
CREATE FUNCTION orchestrator.append_event(
  p_tenant text, p_run text, p_fence bigint, p_seq integer, p_event bytea, p_state text, p_stopped text, p_fault text, p_rounds integer,
  p_input_tokens bigint, p_cached_tokens bigint, p_output_tokens bigint, p_cost bigint, p_lease_ms bigint
) RETURNS TABLE (kept_at bigint, cancelled boolean, revoked boolean) LANGUAGE plpgsql SET search_path = orchestrator, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  IF p_state = 'ended' THEN
    -- Whoever waits for it above goes on. That row first: leases are renewed in the order of ids, too.
    UPDATE run SET wake_at = now_ms() WHERE state <> 'ended' AND run_id = (SELECT s.parent_run FROM run r JOIN session s USING (session_id) WHERE r.run_id = p_run);
  END IF;
  UPDATE run SET events = p_seq, state = p_state, stopped = p_stopped, fault = p_fault, rounds = p_rounds,
      input_tokens = p_input_tokens, cached_tokens = p_cached_tokens, output_tokens = p_output_tokens, cost = p_cost, reserved = 0, waits_for = '{}',
      ended_at = CASE WHEN p_state = 'ended' THEN now_ms() END, lease_until = CASE WHEN p_state = 'ended' THEN 0 ELSE now_ms() + p_lease_ms END
    WHERE run_id = p_run AND fence = p_fence AND lease_until >= now_ms() AND events = p_seq - 1 AND state <> 'ended'
    RETURNING cancel_by IS NOT NULL, NOT EXISTS (SELECT 1 FROM api_key k WHERE k.api_key_id = run.created_by AND k.revoked_at IS NULL) INTO cancelled, revoked;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO run_event (run_id, seq, tenant_id, event) VALUES (p_run, p_seq, p_tenant, p_event) RETURNING at INTO kept_at;
  RETURN NEXT;
END $$;
REVOKE ALL ON FUNCTION orchestrator.append_event FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.append_event TO writ_orchestrator;

-- Tells which runs are still held, and which of them somebody wants cancelled; renews the leases that are more than half over, since every event renews one as well. It waits for nobody: a
-- row that is being changed is one whose event renews it, or is renewed a second later.
DROP FUNCTION orchestrator.renew_runs;
CREATE FUNCTION orchestrator.renew_runs(p_runs text[], p_fences bigint[], p_lease_ms bigint)
RETURNS TABLE (run_id text, cancelled boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE run r SET lease_until = now_ms() + p_lease_ms WHERE r.run_id IN (
    SELECT h.run_id FROM run h JOIN unnest(p_runs, p_fences) AS a(run_id, fence) ON a.run_id = h.run_id AND a.fence = h.fence
    WHERE h.state <> 'ended' AND h.lease_until >= now_ms() AND h.lease_until < now_ms() + p_lease_ms / 2 FOR UPDATE OF h SKIP LOCKED);
  RETURN QUERY
    SELECT h.run_id, h.cancel_by IS NOT NULL FROM run h JOIN unnest(p_runs, p_fences) AS a(run_id, fence) ON a.run_id = h.run_id AND a.fence = h.fence
    WHERE h.state <> 'ended' AND h.lease_until >= now_ms();
END $$;
REVOKE ALL ON FUNCTION orchestrator.renew_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.renew_runs TO writ_orchestrator;
