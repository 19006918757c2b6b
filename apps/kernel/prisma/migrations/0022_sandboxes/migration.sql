-- What operators see of containers and may do with them, and attempts that their executors give back.

-- Gives an attempt back before its lease has run out. One that may go to another executor waits again at once; where it may not, or the executor gives it back for
-- another reason than that it stops, the lease ends now and whoever sweeps decides as ever. Returns {lane, over}; null for an attempt that is not the speaker's any more.
CREATE FUNCTION kernel.release(p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_stopping boolean) RETURNS jsonb
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

-- The same for a preview, which waits again or, given back for another reason, loses its lease.
CREATE FUNCTION kernel.release_preview(p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_stopping boolean) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v preview;
  t bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO v FROM preview
    WHERE operation_id = p_operation AND state = 'performing' AND attempt = p_attempt AND executor_id = p_executor AND nonce = p_nonce FOR UPDATE;
  t := now_ms();
  IF NOT FOUND OR v.lease_until < t THEN RETURN NULL; END IF;
  IF NOT p_stopping THEN
    UPDATE preview k SET lease_until = t - 1, updated_at = t WHERE k.operation_id = p_operation;
  ELSE
    UPDATE preview k SET state = 'waiting', executor_id = NULL, nonce = NULL, permit_until = NULL, lease_until = NULL, started_at = NULL, updated_at = t
      WHERE k.operation_id = p_operation;
  END IF;
  RETURN jsonb_build_object('lane', v.lane, 'over', false);
END $$;

GRANT EXECUTE ON FUNCTION kernel.release, kernel.release_preview TO writ_kernel;
