-- Stores one event of a run, updates the run's row to match, and renews the lease. It does all of that in one round
-- trip with cached plans, because it is the most frequent statement of a run.
--
-- p_run, p_fence: the claim. p_seq: position of the event. p_event: the event, sealed. p_state to p_cost: columns of
-- orchestrator.run after the event. p_lease_ms: how long the lease lasts from now.
--
-- Returns one row: when the event was stored, whether a cancellation was requested (cancelled), and whether its API key
-- is missing, revoked, or of a member who isn't active. Returns no row where the claim has ended, the run has ended, or p_seq is not the next
-- position. The caller has then lost its lease and stops. With p_state `ended` it MUST roll back in this case, because
-- the parent run may already have been woken.
--
-- An event clears the run's reservation and its list of awaited operations. The end of a sub-agent's run wakes its
-- parent run. The parent's row is locked first, because leases are renewed in the order of ids too.
--
-- INVARIANT (fenced): only the last claim of a run changes it, while its lease lasts.
-- INVARIANT (one history): raises unique_violation (23505, run_event_pkey) where an event already has that position.
-- The caller treats it as a lost lease.
CREATE OR REPLACE FUNCTION orchestrator.append_event(
  p_tenant text, p_run text, p_fence bigint, p_seq integer, p_event bytea, p_state text, p_stopped text, p_fault text, p_rounds integer,
  p_input_tokens bigint, p_cached_tokens bigint, p_output_tokens bigint, p_cost bigint, p_lease_ms bigint
) RETURNS TABLE (kept_at bigint, cancelled boolean, revoked boolean) LANGUAGE plpgsql SET search_path = orchestrator, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  IF p_state = 'ended' THEN
    -- Wakes the parent run. Its row comes first: leases are renewed in the order of ids, too.
    UPDATE run SET wake_at = now_ms() WHERE state <> 'ended' AND run_id = (SELECT s.parent_run FROM run r JOIN session s USING (session_id) WHERE r.run_id = p_run);
  END IF;
  UPDATE run SET events = p_seq, state = p_state, stopped = p_stopped, fault = p_fault, rounds = p_rounds,
      input_tokens = p_input_tokens, cached_tokens = p_cached_tokens, output_tokens = p_output_tokens, cost = p_cost, reserved = 0, waits_for = '{}',
      ended_at = CASE WHEN p_state = 'ended' THEN now_ms() END, lease_until = CASE WHEN p_state = 'ended' THEN 0 ELSE now_ms() + p_lease_ms END
    WHERE run_id = p_run AND fence = p_fence AND lease_until >= now_ms() AND events = p_seq - 1 AND state <> 'ended'
    RETURNING cancel_by IS NOT NULL, NOT EXISTS (SELECT 1 FROM api_key k WHERE k.api_key_id = run.created_by AND k.revoked_at IS NULL AND NOT is_refused(k.member_id)) INTO cancelled, revoked;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO run_event (run_id, seq, tenant_id, event) VALUES (p_run, p_seq, p_tenant, p_event) RETURNING at INTO kept_at;
  RETURN NEXT;
END $$;
GRANT EXECUTE ON FUNCTION orchestrator.append_event(text, text, bigint, integer, bytea, text, text, text, integer, bigint, bigint, bigint, bigint, bigint) TO writ_orchestrator;
