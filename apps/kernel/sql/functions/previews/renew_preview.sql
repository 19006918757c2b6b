-- Extends the lease of a preview's attempt to p_lease_ms from now. Returns one row; none where the attempt is fenced.
-- `stop`: the executor must end the preview now, and the lease is left to run out. That is so for an invalid token
-- chain, a freeze, an attempt that takes two minutes longer than the call's own time, or p_effect.
-- p_effect: the executor is about to start an effect outside, which no preview may.
-- p_executor, p_nonce: the attempt credentials. Lock: the preview's row.
CREATE OR REPLACE FUNCTION kernel.renew_preview(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_lease_ms bigint, p_effect boolean
) RETURNS TABLE (lease_until bigint, stop boolean)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN QUERY
    WITH speaker AS (
      SELECT v.operation_id, now_ms() AS t, p_effect OR chain_fault(o.capability_token_id, now_ms()) IS NOT NULL
             OR freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL
             OR now_ms() > v.permit_until + coalesce((v.limits ->> 'wall_ms')::bigint, 0) + 120000 AS stop
      FROM preview v JOIN operation o ON o.operation_id = v.operation_id
      WHERE v.operation_id = p_operation AND v.state = 'performing' AND v.attempt = p_attempt AND v.executor_id = p_executor AND v.nonce = p_nonce
      FOR UPDATE OF v)
    UPDATE preview v SET lease_until = CASE WHEN s.stop THEN v.lease_until ELSE s.t + p_lease_ms END, updated_at = s.t
    FROM speaker s WHERE v.operation_id = s.operation_id AND v.lease_until >= s.t
    RETURNING v.lease_until, s.stop;
END $$;
GRANT EXECUTE ON FUNCTION kernel.renew_preview(text, text, integer, text, text, bigint, boolean) TO writ_kernel;
