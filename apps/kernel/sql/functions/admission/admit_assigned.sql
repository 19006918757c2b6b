-- Admits a call as kernel.admit does (direct dispatch, ADR 0087). Where the call may run at once, the function
-- dispatches and redeems it for p_executor in the same transaction. Such a call waits neither for its lane nor for a
-- permit.
--
-- Returns one row. `admitted` is the row of the operation, as kernel.admit returns it. `verdict` is `redeemed`, and the
-- other columns are those of kernel.redeem; or `verdict` is null, and the call waits in its lane as any other.
--
-- The first five parameters are those of kernel.admit. p_executor, p_nonce: the attempt credentials of the executor.
-- p_most: how many calls of the lane a tenant of weight 1 may have under way; null for no such bound. p_ttl_ms: the
-- life of the permit. p_lease_ms: the life of the lease.
--
-- The call runs at once only where kernel.dispatch_by_class would take it next. So no other call of the tenant waits in
-- the lane, of any scheduling class. The tenant has fewer calls under way than its cap, and fewer in this lane than
-- p_most times its weight. The kernel doesn't ask this for a call that isn't interactive while slots are kept free for
-- interactive ones.
--
-- Raises what kernel.admit does.
--
-- Locks: those of kernel.admit, then the lane's lock, which kernel.dispatch_by_class takes too before it counts calls
-- under way. The transaction keeps it until COMMIT, so this function doesn't wait for it: where another has it, the call
-- waits in its lane.
CREATE OR REPLACE FUNCTION kernel.admit_assigned(
  p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea,
  p_executor text, p_nonce text, p_most integer, p_ttl_ms bigint, p_lease_ms bigint
)
RETURNS TABLE (admitted json, verdict text, operation jsonb, tokens jsonb, head jsonb, args bytea, args_ref jsonb,
  salt bytea, rules jsonb, now bigint)
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
          FROM tenant n LEFT JOIN operation b ON b.tenant_id = n.tenant_id AND b.state IN ('dispatched', 'performing') AND b.lane NOT IN ('function', 'caller') WHERE n.tenant_id = p_tenant GROUP BY n.tenant_id, n.weight, n.cap);
    IF FOUND THEN
      SELECT r.verdict, r.operation, r.tokens, r.head, r.args, r.args_ref, r.salt, r.rules, r.now INTO verdict, operation, tokens, head, args, args_ref, salt, rules, now
        FROM redeem(p_tenant, v_operation, 1, p #>> '{operation,action_digest}', p_executor, p_nonce, p_lease_ms) AS r;
      -- Its deadline has passed, for example: the dispatcher and the sweeper deal with that.
      IF verdict <> 'redeemed' THEN
        verdict := NULL;
        UPDATE operation o SET state = 'admitted', permit_until = NULL WHERE o.operation_id = v_operation;
      END IF;
    END IF;
  END IF;
  RETURN NEXT;
END $$;
GRANT EXECUTE ON FUNCTION kernel.admit_assigned(text, jsonb, bytea, bytea, bytea, text, text, integer, bigint, bigint)
  TO writ_kernel;
