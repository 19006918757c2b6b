-- Redeems a permit of a process of the tenant as kernel.redeem does, and in the same transaction notes that its effect
-- may have begun, where p_effect is true (ADR 0136). INVARIANT (redemption is the effect): Writ doesn't see when such a
-- process acts. So from its redemption on the call isn't offered again, unless its tool is idempotent.
--
-- The parameters are those of kernel.redeem. p_executor is the id of the API key that took the permit.
--
-- Returns what kernel.redeem returns. `verdict` may also be `tool.changed`: the definition that the call was decided on
-- is no longer in force, and the call has not begun. The caller ends it, with a record.
--
-- Locks: those of kernel.redeem.
CREATE OR REPLACE FUNCTION kernel.redeem_function(
  p_tenant text, p_operation text, p_attempt integer, p_action_digest text, p_executor text, p_nonce text,
  p_lease_ms bigint, p_effect boolean
)
RETURNS TABLE (verdict text, operation jsonb, tokens jsonb, head jsonb, args bytea, args_ref jsonb, salt bytea,
  rules jsonb, now bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  op operation;
BEGIN
  -- A change of a tool holds the rules exclusively, so it comes wholly before this redemption or after it.
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  SELECT * INTO op FROM operation o WHERE o.operation_id = p_operation AND o.tenant_id = p_tenant;
  IF op.executor_id IS DISTINCT FROM p_executor AND op.state IN ('dispatched', 'performing') THEN
    RETURN QUERY SELECT 'permit.expired'::text, to_jsonb(op), NULL::jsonb, NULL::jsonb, NULL::bytea, NULL::jsonb, NULL::bytea, NULL::jsonb, now_ms();
    RETURN;
  END IF;
  IF op.state = 'dispatched' AND op.attempt = p_attempt AND op.action_digest = p_action_digest AND NOT tool_stands(op) THEN
    RETURN QUERY SELECT 'tool.changed'::text, to_jsonb(op), NULL::jsonb, NULL::jsonb, NULL::bytea, NULL::jsonb, NULL::bytea, NULL::jsonb, now_ms();
    RETURN;
  END IF;
  SELECT r.verdict, r.operation, r.tokens, r.head, r.args, r.args_ref, r.salt, r.rules, r.now INTO verdict, operation, tokens, head, args, args_ref, salt, rules, now
    FROM redeem(p_tenant, p_operation, p_attempt, p_action_digest, p_executor, p_nonce, p_lease_ms) AS r;
  IF verdict = 'redeemed' AND p_effect THEN
    UPDATE operation o SET effect_started = true WHERE o.operation_id = p_operation AND NOT o.effect_started;
    operation := operation || '{"effect_started": true}';
  END IF;
  RETURN NEXT;
END $$;
GRANT EXECUTE ON FUNCTION kernel.redeem_function(text, text, integer, text, text, text, bigint, boolean)
  TO writ_kernel;
