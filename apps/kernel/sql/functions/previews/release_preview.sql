-- Gives back an attempt of a preview before its lease has run out.
-- p_stopping: the executor stops. Then the preview waits again at once, and no lost lease is counted. Otherwise the
-- lease ends now, and the next sweep (kernel.requeue_previews, kernel.lost_previews) counts it as lost.
-- p_executor, p_nonce: the attempt credentials.
-- Returns {lane, over}; `over` is always false, since a sweep, not the caller, ends a preview. Null where the attempt
-- is not the current one or its lease has run out: the caller answers `attempt.fenced`.
CREATE OR REPLACE FUNCTION kernel.release_preview(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_stopping boolean
) RETURNS jsonb
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
GRANT EXECUTE ON FUNCTION kernel.release_preview(text, text, integer, text, text, boolean) TO writ_kernel;
