-- What a tenant's whole outputs may hold together while they are kept.
-- INVARIANT (output quota): of whole outputs kept at once a tenant has no more bytes than its `outputs_bytes_max`, however many calls end at the same moment. An output that would lead past it isn't kept, is said not to be, and costs the call nothing.

ALTER TABLE kernel.tenant ADD COLUMN outputs_bytes_max bigint CHECK (outputs_bytes_max >= 0);
COMMENT ON COLUMN kernel.tenant.outputs_bytes_max IS 'null: without bound';
GRANT UPDATE (outputs_bytes_max) ON kernel.tenant TO writ_kernel;
COMMENT ON COLUMN kernel.operation.whole_output IS '{attempt, stdout: {bytes, cut}, stderr: {bytes, cut}, expires_at}: of the attempt that it names, and of no other; stays when the output has gone. expires_at null: there was no room for it';

CREATE INDEX kept_output_of_tenant ON kernel.kept_output (tenant_id);

-- Bytes of the tenant's outputs that are there, but of the one operation that is named.
CREATE FUNCTION kernel.outputs_held(p_tenant text, p_but text) RETURNS bigint LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(sum((k.stdout_ref ->> 'size')::bigint + (k.stderr_ref ->> 'size')::bigint), 0)::bigint
  FROM kept_output k WHERE k.tenant_id = p_tenant AND k.expires_at > now_ms() AND k.operation_id IS DISTINCT FROM p_but;
$$;
GRANT EXECUTE ON FUNCTION kernel.outputs_held TO writ_kernel;

-- As in 0031, and nothing is kept that the tenant has no room for.
CREATE OR REPLACE FUNCTION kernel.keep_output(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_stdout jsonb, p_stderr jsonb, p_kept_ms bigint
) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  until bigint;
  v_max bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  PERFORM 1 FROM operation o WHERE o.operation_id = p_operation AND o.attempt = p_attempt AND o.executor_id = p_executor AND o.nonce = p_nonce AND o.state = 'performing' FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  -- Said twice, the first time counts.
  IF EXISTS (SELECT 1 FROM operation o WHERE o.operation_id = p_operation AND (o.whole_output ->> 'attempt')::integer >= p_attempt) THEN RETURN true; END IF;
  SELECT now_ms() + least(p_kept_ms, n.output_days * 86400000::bigint), n.outputs_bytes_max INTO until, v_max FROM tenant n WHERE n.tenant_id = p_tenant;
  IF v_max IS NOT NULL THEN
    -- Outputs of one tenant with a quota are kept one after another from here to COMMIT, and the bound is read under that lock: a lower one counts for all that come after it.
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
