-- Shells of sessions: which executor has the one of a session, for as long as it says so. A row says where calls go and what a caller is told; it grants nothing,
-- and an attempt is fenced by its own lease. A session is (workspace, token, session id): what one token may read is never in the container of another's.
CREATE TABLE kernel.shell (
  tenant_id           text NOT NULL,
  workspace_id        text NOT NULL,
  capability_token_id text NOT NULL,
  -- '' for calls that name none
  session_id          text NOT NULL,
  shell_id            text NOT NULL,
  executor_id         text NOT NULL,
  lease_until         bigint NOT NULL,
  -- null while it lives
  ending              text CHECK (ending IN ('lost', 'diverged', 'idle', 'closed')),
  -- whether a call of the session was answered with that
  told                boolean NOT NULL DEFAULT false,
  created_at          bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_at          bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, workspace_id, capability_token_id, session_id)
);
CREATE INDEX shell_by_id ON kernel.shell (shell_id);

ALTER TABLE kernel.shell ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.shell FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.shell TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
CREATE POLICY all_tenants ON kernel.shell TO writ_kernel_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON kernel.shell TO writ_kernel;
GRANT SELECT ON kernel.shell TO writ_kernel_worker;

-- Where the shell of an attempt's session is: {verdict, shell_id, ending} as ShellAttachReply says; null for an attempt that is not the speaker's any more.
CREATE FUNCTION kernel.attach_shell(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_opens boolean, p_shell text, p_lease_ms bigint
) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
  s shell;
  t bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO o FROM operation
    WHERE operation_id = p_operation AND state = 'performing' AND attempt = p_attempt AND executor_id = p_executor AND nonce = p_nonce FOR SHARE;
  t := now_ms();
  IF NOT FOUND OR o.lease_until < t THEN RETURN NULL; END IF;
  -- Two first calls of a session are told one after the other.
  PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', p_tenant, o.workspace_id, o.capability_token_id, coalesce(o.session_id, '')), 16));
  SELECT * INTO s FROM shell k
    WHERE k.tenant_id = p_tenant AND k.workspace_id = o.workspace_id AND k.capability_token_id = o.capability_token_id AND k.session_id = coalesce(o.session_id, '') FOR UPDATE;
  IF FOUND AND s.ending IS NULL AND s.lease_until >= t THEN
    RETURN jsonb_build_object('verdict', CASE WHEN s.executor_id = p_executor THEN 'yours' ELSE 'elsewhere' END, 'shell_id', s.shell_id, 'ending', NULL);
  END IF;
  IF FOUND AND s.ending IS NULL THEN s.ending := 'lost'; END IF;
  -- What is lost is told before another takes its place: a command may rely on where the lost shell was.
  IF s.ending IS NOT NULL AND NOT s.told AND (s.ending IN ('lost', 'killed') OR NOT p_opens) THEN
    UPDATE shell k SET ending = s.ending, told = true, updated_at = t WHERE k.shell_id = s.shell_id;
    RETURN jsonb_build_object('verdict', 'ended', 'shell_id', NULL, 'ending', s.ending);
  END IF;
  IF NOT p_opens THEN RETURN jsonb_build_object('verdict', 'ended', 'shell_id', NULL, 'ending', NULL); END IF;
  INSERT INTO shell AS k (tenant_id, workspace_id, capability_token_id, session_id, shell_id, executor_id, lease_until)
    VALUES (p_tenant, o.workspace_id, o.capability_token_id, coalesce(o.session_id, ''), p_shell, p_executor, t + p_lease_ms)
    ON CONFLICT (tenant_id, workspace_id, capability_token_id, session_id)
    DO UPDATE SET shell_id = p_shell, executor_id = p_executor, lease_until = t + p_lease_ms, ending = NULL, told = false, created_at = t, updated_at = t;
  RETURN jsonb_build_object('verdict', 'opened', 'shell_id', p_shell, 'ending', s.ending);
END $$;

-- Whether a shell may live on; then its lease is extended. One whose token no longer serves, or that a freeze covers, may not.
CREATE FUNCTION kernel.renew_shell(p_tenant text, p_executor text, p_shell text, p_lease_ms bigint, p_tool text) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  s shell;
  t bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO s FROM shell k WHERE k.shell_id = p_shell AND k.executor_id = p_executor AND k.ending IS NULL FOR UPDATE;
  t := now_ms();
  IF NOT FOUND OR s.lease_until < t OR chain_fault(s.capability_token_id, t) IS NOT NULL
     OR freeze_on(p_tenant, (SELECT k.agent_id FROM token k WHERE k.capability_token_id = s.capability_token_id), p_tool, s.capability_token_id) IS NOT NULL THEN
    RETURN false;
  END IF;
  UPDATE shell k SET lease_until = t + p_lease_ms, updated_at = t WHERE k.shell_id = p_shell;
  RETURN true;
END $$;

-- Says why a shell is no more, once. False where it was no more already, or is another's.
CREATE FUNCTION kernel.end_shell(p_tenant text, p_executor text, p_shell text, p_ending text) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE shell k SET ending = p_ending, updated_at = now_ms() WHERE k.shell_id = p_shell AND k.executor_id = p_executor AND k.ending IS NULL;
  RETURN FOUND;
END $$;

-- Executors that have the shells of these operations' sessions now, by operation. Run as the worker.
CREATE FUNCTION kernel.shell_owners(p_operations text[]) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_object_agg(o.operation_id, s.executor_id), '{}')
    FROM operation o JOIN shell s ON s.tenant_id = o.tenant_id AND s.workspace_id = o.workspace_id AND s.capability_token_id = o.capability_token_id
      AND s.session_id = coalesce(o.session_id, '')
    WHERE o.operation_id = ANY (p_operations) AND s.ending IS NULL AND s.lease_until >= now_ms());
END $$;

GRANT EXECUTE ON FUNCTION kernel.attach_shell, kernel.renew_shell, kernel.end_shell TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.shell_owners TO writ_kernel_worker;
