-- The whole output of commands whose results cut it: where it is while it is kept, and what is said of it for good.

ALTER TABLE kernel.operation ADD COLUMN whole_output jsonb;
COMMENT ON COLUMN kernel.operation.whole_output IS '{attempt, stdout: {bytes, cut}, stderr: {bytes, cut}, expires_at}: of the attempt that it names, and of no other; stays when the output has gone';

-- Names the contents until their time is over; then the row goes, and a collection takes them.
CREATE TABLE kernel.kept_output (
  operation_id text PRIMARY KEY,
  tenant_id    text NOT NULL,
  attempt      integer NOT NULL CHECK (attempt > 0),
  -- {sha256, size, cut}
  stdout_ref   jsonb NOT NULL,
  stderr_ref   jsonb NOT NULL,
  expires_at   bigint NOT NULL,
  created_at   bigint NOT NULL DEFAULT kernel.now_ms()
);
CREATE INDEX kept_output_ends ON kernel.kept_output (expires_at);

ALTER TABLE kernel.kept_output ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.kept_output FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.kept_output TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The worker takes out what is over. It sees no content's name.
CREATE POLICY all_tenants ON kernel.kept_output TO writ_kernel_worker USING (true);
GRANT SELECT, INSERT, UPDATE (attempt, stdout_ref, stderr_ref, expires_at) ON kernel.kept_output TO writ_kernel;
GRANT SELECT (operation_id, tenant_id, expires_at), DELETE ON kernel.kept_output TO writ_kernel_worker;

-- Keeps what an attempt names, for whoever holds it and while it performs; said twice, the first time counts. False where the attempt is another's, or over.
CREATE FUNCTION kernel.keep_output(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_stdout jsonb, p_stderr jsonb, p_kept_ms bigint
) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE until bigint := now_ms() + p_kept_ms;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  PERFORM 1 FROM operation o WHERE o.operation_id = p_operation AND o.attempt = p_attempt AND o.executor_id = p_executor AND o.nonce = p_nonce AND o.state = 'performing' FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO kept_output AS k (operation_id, tenant_id, attempt, stdout_ref, stderr_ref, expires_at) VALUES (p_operation, p_tenant, p_attempt, p_stdout, p_stderr, until)
    ON CONFLICT (operation_id) DO UPDATE SET attempt = excluded.attempt, stdout_ref = excluded.stdout_ref, stderr_ref = excluded.stderr_ref, expires_at = excluded.expires_at
    WHERE k.attempt < excluded.attempt;
  IF FOUND THEN
    UPDATE operation o SET whole_output = jsonb_build_object('attempt', p_attempt, 'expires_at', until,
      'stdout', jsonb_build_object('bytes', p_stdout -> 'size', 'cut', p_stdout -> 'cut'),
      'stderr', jsonb_build_object('bytes', p_stderr -> 'size', 'cut', p_stderr -> 'cut')) WHERE o.operation_id = p_operation;
  END IF;
  RETURN true;
END $$;

-- Takes out what was kept long enough. Run as the worker.
CREATE FUNCTION kernel.sweep_outputs(p_rows integer) RETURNS integer LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE n integer;
BEGIN
  WITH over AS (SELECT k.operation_id FROM kept_output k WHERE k.expires_at <= now_ms() LIMIT p_rows)
  DELETE FROM kept_output k USING over WHERE k.operation_id = over.operation_id;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

GRANT EXECUTE ON FUNCTION kernel.keep_output TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.sweep_outputs TO writ_kernel_worker;
