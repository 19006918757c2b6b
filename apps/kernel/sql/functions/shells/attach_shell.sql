-- Finds or opens the shell of the session or container that an attempt's call belongs to. A shell lives in one executor's container.
-- p_executor, p_nonce: the attempt credentials. p_opens: whether the call opens a shell where there is none.
-- p_shell: the id of a shell that is opened. p_lease_ms: its first lease.
--
-- Returns null where the attempt is not the current one or its lease has run out: the caller answers `attempt.fenced`.
-- Otherwise {verdict, shell_id, ending, is_behind}:
--   yours      this executor has the shell
--   elsewhere  another executor has it
--   opened     there was none: the executor opens one under p_shell. `ending`: how the previous one ended.
--   ended      there is none. `ending`: why the last one ended, where no call of the session has been informed yet.
-- is_behind: another call of the session has committed since this one was decided. Such a call opens no shell, and it
-- does not use up the information about an ending.
--
-- Locks: operation (shared), an advisory lock per session, shell.
CREATE OR REPLACE FUNCTION kernel.attach_shell(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_opens boolean, p_shell text,
  p_lease_ms bigint
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
  s shell;
  t bigint;
  behind boolean;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO o FROM operation
    WHERE operation_id = p_operation AND state = 'performing' AND attempt = p_attempt AND executor_id = p_executor AND nonce = p_nonce FOR SHARE;
  t := now_ms();
  IF NOT FOUND OR o.lease_until < t THEN RETURN NULL; END IF;
  -- Serialises the calls of a session, which may have no shell row yet.
  PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', p_tenant, o.workspace_id, o.capability_token_id, shell_key(o)), 16));
  behind := behind_session(o);
  SELECT * INTO s FROM shell k
    WHERE k.tenant_id = p_tenant AND k.workspace_id = o.workspace_id AND k.capability_token_id = o.capability_token_id AND k.session_id = shell_key(o) FOR UPDATE;
  IF FOUND AND s.ending IS NULL AND s.lease_until >= t THEN
    RETURN jsonb_build_object('verdict', CASE WHEN s.executor_id = p_executor THEN 'yours' ELSE 'elsewhere' END, 'shell_id', s.shell_id, 'ending', NULL, 'is_behind', behind);
  END IF;
  IF p_opens AND behind THEN RETURN jsonb_build_object('verdict', 'ended', 'shell_id', NULL, 'ending', NULL, 'is_behind', true); END IF;
  IF s.shell_id IS NOT NULL AND s.ending IS NULL THEN s.ending := 'lost'; END IF;
  -- A lost or killed shell is reported before another opens: a command may rely on where it was.
  IF s.ending IS NOT NULL AND NOT s.told AND (s.ending IN ('lost', 'killed') OR NOT p_opens) THEN
    UPDATE shell k SET ending = s.ending, told = true, updated_at = t WHERE k.shell_id = s.shell_id;
    RETURN jsonb_build_object('verdict', 'ended', 'shell_id', NULL, 'ending', s.ending, 'is_behind', behind);
  END IF;
  IF NOT p_opens THEN RETURN jsonb_build_object('verdict', 'ended', 'shell_id', NULL, 'ending', NULL, 'is_behind', behind); END IF;
  INSERT INTO shell AS k (tenant_id, workspace_id, capability_token_id, session_id, shell_id, executor_id, lease_until)
    VALUES (p_tenant, o.workspace_id, o.capability_token_id, shell_key(o), p_shell, p_executor, t + p_lease_ms)
    ON CONFLICT (tenant_id, workspace_id, capability_token_id, session_id)
    DO UPDATE SET shell_id = p_shell, executor_id = p_executor, lease_until = t + p_lease_ms, ending = NULL, told = false, created_at = t, updated_at = t;
  RETURN jsonb_build_object('verdict', 'opened', 'shell_id', p_shell, 'ending', s.ending, 'is_behind', false);
END $$;
GRANT EXECUTE ON FUNCTION kernel.attach_shell(text, text, integer, text, text, boolean, text, bigint) TO writ_kernel;
