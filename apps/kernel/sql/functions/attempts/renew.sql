-- Extends the lease of a running attempt. With p_effect it also notes durably that an external effect is about to
-- begin; from then on the call isn't retried.
--
-- Returns {lease_until, stop}. Returns no row where the attempt credentials aren't those of the current attempt or its
-- lease has run out; the caller then answers `attempt.fenced`.
--
-- `stop`: the call must end now, for one of these reasons:
--   - its cancellation was requested;
--   - a token of its chain is revoked or expired;
--   - its deadline has passed and no effect has begun;
--   - a freeze covers it;
--   - the attempt has taken too long.
-- No effect is noted then, and none may begin. The lease isn't extended either: an executor that hangs or disobeys must
-- not keep a call for ever.
--
-- An attempt may take the call's own `wall_ms` and two minutes for the transfer of its input and output. The time
-- counts from `permit_until`, the last moment at which the attempt can have begun.
--
-- Locks: the rules with p_effect (shared), then the operation.
CREATE OR REPLACE FUNCTION kernel.renew(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_lease_ms bigint, p_effect boolean
)
RETURNS TABLE (lease_until bigint, stop boolean) LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), CASE WHEN p_effect THEN hold_rules(p_tenant) END;
  RETURN QUERY
    WITH speaker AS (
      SELECT o.operation_id, now_ms() AS t, o.cancel_requested OR chain_fault(o.capability_token_id, now_ms()) IS NOT NULL OR (coalesce(o.deadline <= now_ms(), false) AND NOT o.effect_started)
             OR freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL
             OR now_ms() > o.permit_until + coalesce((o.limits ->> 'wall_ms')::bigint, 0) + 120000 AS stop
      FROM operation o
      WHERE o.operation_id = p_operation AND o.state = 'performing' AND o.attempt = p_attempt AND o.executor_id = p_executor AND o.nonce = p_nonce
      FOR UPDATE)
    UPDATE operation o SET lease_until = CASE WHEN s.stop THEN o.lease_until ELSE s.t + p_lease_ms END,
           effect_started = o.effect_started OR (p_effect AND NOT s.stop), updated_at = s.t
    FROM speaker s WHERE o.operation_id = s.operation_id AND o.lease_until >= s.t
    RETURNING o.lease_until, s.stop;
END $$;
GRANT EXECUTE ON FUNCTION kernel.renew(text, text, integer, text, text, bigint, boolean) TO writ_kernel;
