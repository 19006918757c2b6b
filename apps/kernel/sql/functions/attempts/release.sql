-- Gives an attempt back before its lease has run out. Returns {lane, over}; null where the attempt credentials aren't
-- those of the current attempt or its lease has run out, and the caller then answers `attempt.fenced`.
--
-- `over` is false where the executor stops (p_stopping) and the call may go to another executor: it is `admitted` again
-- at once. `over` is true where the executor has another reason, the call began an external effect, its cancellation
-- was requested, or a freeze covers it. The lease then ends now, and the caller lets the sweeper decide.
CREATE OR REPLACE FUNCTION kernel.release(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_stopping boolean
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
  t bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO o FROM operation
    WHERE operation_id = p_operation AND state = 'performing' AND attempt = p_attempt AND executor_id = p_executor AND nonce = p_nonce FOR UPDATE;
  t := now_ms();
  IF NOT FOUND OR o.lease_until < t THEN RETURN NULL; END IF;
  IF NOT p_stopping OR o.effect_started OR o.cancel_requested OR freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL THEN
    UPDATE operation k SET lease_until = t - 1, updated_at = t WHERE k.operation_id = p_operation;
    RETURN jsonb_build_object('lane', o.lane, 'over', true);
  END IF;
  UPDATE operation k SET state = 'admitted', executor_id = NULL, nonce = NULL, permit_until = NULL, lease_until = NULL, updated_at = t WHERE k.operation_id = p_operation;
  RETURN jsonb_build_object('lane', o.lane, 'over', false);
END $$;
GRANT EXECUTE ON FUNCTION kernel.release(text, text, integer, text, text, boolean) TO writ_kernel;
