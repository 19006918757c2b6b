-- Redeems a permit, once: the call goes from `dispatched` to `performing` for one attempt. An executor that repeats it
-- with the same nonce gets the same reply, since a reply can be lost.
--
-- p_attempt, p_action_digest: from the permit. p_executor, p_nonce: the attempt credentials of the executor.
-- p_lease_ms: the life of the lease.
--
-- Returns one row. `operation` is the row of the operation, `now` the time. `verdict` is
--   redeemed                     the attempt runs. Only then the other columns are set: `tokens` (the chain, root
--                                first), `head` {snapshot_id, seq}, `args`, `args_ref` and `salt` (sealed), `rules`.
--   permit.invalid               there is no such call, attempt or action
--   permit.expired               the permit's time is over, or another attempt has replaced this one
--   permit.spent                 another executor has redeemed it, or the call has ended
--   deadline, frozen, token.revoked, token.expired
--                                the call must not run any more. It is left as it is; the caller ends it, with a
--                                record.
--
-- Locks: the rules (shared), then the operation. So a freeze or a revocation comes wholly before the redemption or
-- after it.
CREATE OR REPLACE FUNCTION kernel.redeem(
  p_tenant text, p_operation text, p_attempt integer, p_action_digest text, p_executor text, p_nonce text,
  p_lease_ms bigint
)
RETURNS TABLE (verdict text, operation jsonb, tokens jsonb, head jsonb, args bytea, args_ref jsonb, salt bytea,
  rules jsonb, now bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  op operation;
  t  bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  UPDATE operation o SET state = 'performing', executor_id = p_executor, nonce = p_nonce, lease_until = t + p_lease_ms, updated_at = t
    WHERE o.operation_id = p_operation AND o.state = 'dispatched' AND o.attempt = p_attempt AND o.action_digest = p_action_digest
      AND o.permit_until >= t AND (o.deadline IS NULL OR o.deadline > t) AND chain_fault(o.capability_token_id, t) IS NULL
      AND freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NULL
    RETURNING * INTO op;
  IF FOUND THEN
    verdict := 'redeemed';
  ELSE
    -- Without a lock: an old permit that is sent again and again must not keep the dispatcher from the row.
    SELECT * INTO op FROM operation o WHERE o.operation_id = p_operation;
    verdict := CASE
      WHEN op.operation_id IS NULL OR op.attempt < p_attempt OR op.action_digest IS DISTINCT FROM p_action_digest THEN 'permit.invalid'
      WHEN op.attempt > p_attempt THEN 'permit.expired'
      WHEN op.state = 'performing' AND op.executor_id = p_executor AND op.nonce = p_nonce THEN 'redeemed'
      WHEN op.state = 'admitted' THEN 'permit.expired'
      WHEN op.state <> 'dispatched' THEN 'permit.spent'
      WHEN op.permit_until < t THEN 'permit.expired'
      WHEN op.deadline <= t THEN 'deadline'
      WHEN freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN 'frozen'
      ELSE coalesce(chain_fault(op.capability_token_id, t), 'permit.expired')
    END;
  END IF;
  operation := to_jsonb(op);
  now := t;
  IF verdict = 'redeemed' THEN
    SELECT jsonb_agg(to_jsonb(k) ORDER BY array_position(l.chain, k.capability_token_id)) INTO tokens
      FROM token l JOIN token k ON k.capability_token_id = ANY (l.chain) WHERE l.capability_token_id = op.capability_token_id;
    SELECT jsonb_build_object('snapshot_id', w.head_snapshot_id, 'seq', w.head_seq) INTO head FROM workspace w WHERE w.workspace_id = op.workspace_id;
    SELECT p.args, p.args_ref, p.salt INTO args, args_ref, salt FROM payload p WHERE p.operation_id = p_operation;
    rules := rules_in_force(p_tenant, coalesce(op.session_id, op.capability_token_id), op.workspace_id, NULL);
  END IF;
  RETURN NEXT;
END $$;
GRANT EXECUTE ON FUNCTION kernel.redeem(text, text, integer, text, text, text, bigint) TO writ_kernel;
