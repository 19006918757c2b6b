-- A call that an executor is free for needs no turn in its lane and no permit on its way there and back: it is admitted, dispatched and redeemed for that executor in one transaction (ADR 0087).

-- kernel.admit, and where the call is admitted, what kernel.dispatch and kernel.redeem do for it: for p_executor, under p_nonce. `verdict` is null where it only was admitted, and waits in its lane as any other.
-- Assigned is only what kernel.dispatch would take next: nothing of the tenant waits in the lane before it, and the tenant has fewer calls under way than it may have, of them p_most times its weight in this lane unless
-- that is null. Whoever counts calls under way has the lane's lock, here as there; it is had to the COMMIT, so it isn't waited for.
CREATE FUNCTION kernel.admit_assigned(p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea, p_executor text, p_nonce text, p_most integer, p_ttl_ms bigint, p_lease_ms bigint)
RETURNS TABLE (admitted json, verdict text, operation jsonb, tokens jsonb, head jsonb, args bytea, args_ref jsonb, salt bytea, rules jsonb, now bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_operation text := p #>> '{operation,operation_id}';
  v_lane text := p #>> '{operation,lane}';
  t bigint;
BEGIN
  admitted := admit(p_tenant, p, p_args, p_salt, p_fingerprint);
  IF p #>> '{operation,state}' = 'admitted' AND pg_try_advisory_xact_lock(hashtext('writ.dispatch.' || v_lane)) THEN
    t := now_ms();
    UPDATE operation o SET state = 'dispatched', attempt = o.attempt + 1, permit_until = t + p_ttl_ms, updated_at = t
      WHERE o.operation_id = v_operation
        AND NOT EXISTS (SELECT FROM operation w WHERE w.state = 'admitted' AND w.lane = v_lane AND w.tenant_id = p_tenant AND w.operation_id <> v_operation)
        AND 0 < (SELECT least(n.cap - count(b.operation_id), p_most * n.weight - count(b.operation_id) FILTER (WHERE b.lane = v_lane))
          FROM tenant n LEFT JOIN operation b ON b.tenant_id = n.tenant_id AND b.state IN ('dispatched', 'performing') WHERE n.tenant_id = p_tenant GROUP BY n.tenant_id, n.weight, n.cap);
    IF FOUND THEN
      SELECT r.verdict, r.operation, r.tokens, r.head, r.args, r.args_ref, r.salt, r.rules, r.now INTO verdict, operation, tokens, head, args, args_ref, salt, rules, now
        FROM redeem(p_tenant, v_operation, 1, p #>> '{operation,action_digest}', p_executor, p_nonce, p_lease_ms) AS r;
      -- Its time is over already, say: that is for the lane to find, and for the sweeper.
      IF verdict <> 'redeemed' THEN
        verdict := NULL;
        UPDATE operation o SET state = 'admitted', permit_until = NULL WHERE o.operation_id = v_operation;
      END IF;
    END IF;
  END IF;
  RETURN NEXT;
END $$;

GRANT EXECUTE ON FUNCTION kernel.admit_assigned TO writ_kernel;
