-- Redeems a permit for a preview: dispatched → performing, once for each attempt. The same executor with the same nonce
-- may repeat it and gets the same reply, since a reply can be lost.
--
-- Returns one row as kernel.redeem does, with these verdicts: `redeemed`, `permit.invalid` (no such preview or
-- attempt), `permit.expired` (also: the call is no longer held, is frozen, or its token chain is no longer valid) and
-- `permit.spent`. `operation` is the call as kernel.previewed gives it. tokens, head, args, args_ref, salt and rules
-- are null unless redeemed.
-- A preview whose token chain is no longer valid is abandoned. It is not ended with a record, as a call would be.
--
-- Locks: operation (shared), preview; where it is abandoned, payload and budgets. The rules are not held: a preview
-- commits nothing, and its end is decided under the rules of that moment.
CREATE OR REPLACE FUNCTION kernel.redeem_preview(
  p_tenant text, p_operation text, p_attempt integer, p_action_digest text, p_executor text, p_nonce text,
  p_lease_ms bigint
) RETURNS TABLE (
  verdict text, operation jsonb, tokens jsonb, head jsonb, args bytea, args_ref jsonb, salt bytea, rules jsonb,
  now bigint
)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  op kernel.operation;
  v  preview;
  t  bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT o.* INTO op FROM kernel.operation o WHERE o.operation_id = p_operation FOR SHARE;
  SELECT p.* INTO v FROM preview p WHERE p.operation_id = p_operation FOR UPDATE;
  verdict := CASE
    WHEN v.operation_id IS NULL OR v.attempt < p_attempt OR v.action_digest IS DISTINCT FROM p_action_digest THEN 'permit.invalid'
    WHEN v.attempt > p_attempt THEN 'permit.expired'
    WHEN v.state = 'performing' AND v.executor_id = p_executor AND v.nonce = p_nonce THEN 'redeemed'
    WHEN v.state IN ('waiting', 'abandoned') THEN 'permit.expired'
    WHEN v.state <> 'dispatched' THEN 'permit.spent'
    WHEN v.permit_until < t OR op.state <> 'held' OR freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN 'permit.expired'
    ELSE 'fresh' END;
  IF verdict = 'fresh' AND chain_fault(op.capability_token_id, t) IS NOT NULL THEN
    PERFORM forget_effect(p_operation);
    verdict := 'permit.expired';
  ELSIF verdict = 'fresh' THEN
    UPDATE preview p SET state = 'performing', executor_id = p_executor, nonce = p_nonce, lease_until = t + p_lease_ms, started_at = t, updated_at = t
      WHERE p.operation_id = p_operation RETURNING p.* INTO v;
    verdict := 'redeemed';
  END IF;
  operation := previewed(op, v);
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
GRANT EXECUTE ON FUNCTION kernel.redeem_preview(text, text, integer, text, text, text, bigint) TO writ_kernel;
