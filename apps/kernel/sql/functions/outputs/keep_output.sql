-- Stores the references to an attempt's full output, which is kept beside its result for a limited time.
-- p_executor, p_nonce: the attempt credentials. p_stdout, p_stderr: {sha256, size, cut, sealed, …}, blobs that the
-- kernel has verified. p_kept_ms: the deployment's time; a shorter one of the tenant (output_days) takes precedence.
-- Returns false where the attempt is another's or over, or where rules redact the call's result, and then writes
-- nothing. Else true.
--
-- A tenant whose quota of outputs has no room keeps the sizes but no references: `expires_at` is null then.
-- Locks: operation, then the tenant's row where it has such a quota.
CREATE OR REPLACE FUNCTION kernel.keep_output(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_stdout jsonb, p_stderr jsonb,
  p_kept_ms bigint
) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  until bigint;
  v_max bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  PERFORM 1 FROM operation o WHERE o.operation_id = p_operation AND o.attempt = p_attempt AND o.executor_id = p_executor AND o.nonce = p_nonce AND o.state = 'performing' AND o.redactions IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  -- A report may be sent again: the first one counts.
  IF EXISTS (SELECT 1 FROM operation o WHERE o.operation_id = p_operation AND (o.whole_output ->> 'attempt')::integer >= p_attempt) THEN RETURN true; END IF;
  SELECT now_ms() + least(p_kept_ms, n.output_days * 86400000::bigint), n.outputs_bytes_max INTO until, v_max FROM tenant n WHERE n.tenant_id = p_tenant;
  IF v_max IS NOT NULL THEN
    -- With a quota, outputs of a tenant are kept one after another until COMMIT. A bound that was lowered counts.
    SELECT n.outputs_bytes_max INTO v_max FROM tenant n WHERE n.tenant_id = p_tenant FOR NO KEY UPDATE;
    IF outputs_held(p_tenant, p_operation) + (p_stdout ->> 'size')::bigint + (p_stderr ->> 'size')::bigint > v_max THEN until := NULL; END IF;
  END IF;
  IF until IS NOT NULL THEN
    INSERT INTO kept_output AS k (operation_id, tenant_id, attempt, stdout_ref, stderr_ref, expires_at) VALUES (p_operation, p_tenant, p_attempt, p_stdout, p_stderr, until)
      ON CONFLICT (operation_id) DO UPDATE SET attempt = excluded.attempt, stdout_ref = excluded.stdout_ref, stderr_ref = excluded.stderr_ref, expires_at = excluded.expires_at;
  END IF;
  UPDATE operation o SET whole_output = jsonb_build_object('attempt', p_attempt, 'expires_at', until,
    'stdout', jsonb_build_object('bytes', p_stdout -> 'size', 'cut', p_stdout -> 'cut'),
    'stderr', jsonb_build_object('bytes', p_stderr -> 'size', 'cut', p_stderr -> 'cut')) WHERE o.operation_id = p_operation;
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION kernel.keep_output(text, text, integer, text, text, jsonb, jsonb, bigint) TO writ_kernel;
