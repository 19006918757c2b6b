-- Commands of one session that are asked for at once: whoever attaches to the shell is told whether its call was decided before another of the session committed.

-- Whether the call was decided on a snapshot before the newest one that a call of its session made. A state that has come back counts where it came last: whoever runs on it
-- runs on what the workspace held after all that was committed until then.
CREATE FUNCTION kernel.behind_session(o kernel.operation) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
DECLARE base bigint := (SELECT coalesce(max(b.seq), -1) FROM snapshot b WHERE b.workspace_id = o.workspace_id AND b.snapshot_id = o.state_snapshot_id);
BEGIN
  RETURN EXISTS (
    SELECT FROM snapshot n JOIN operation p ON p.operation_id = n.operation_id
    WHERE n.workspace_id = o.workspace_id AND n.seq > base
      AND p.tool_id = o.tool_id AND p.capability_token_id = o.capability_token_id AND coalesce(p.session_id, '') = coalesce(o.session_id, ''));
END $$;
GRANT EXECUTE ON FUNCTION kernel.behind_session TO writ_kernel;

-- Where the shell of an attempt's session is: {verdict, shell_id, ending, is_behind} as ShellAttachReply says; null for an attempt that is not the speaker's any more.
-- For a call that is behind no shell is opened, and nothing counts as told.
CREATE OR REPLACE FUNCTION kernel.attach_shell(
  p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_opens boolean, p_shell text, p_lease_ms bigint
) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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
  -- Two first calls of a session are told one after the other.
  PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', p_tenant, o.workspace_id, o.capability_token_id, coalesce(o.session_id, '')), 16));
  behind := behind_session(o);
  SELECT * INTO s FROM shell k
    WHERE k.tenant_id = p_tenant AND k.workspace_id = o.workspace_id AND k.capability_token_id = o.capability_token_id AND k.session_id = coalesce(o.session_id, '') FOR UPDATE;
  IF FOUND AND s.ending IS NULL AND s.lease_until >= t THEN
    RETURN jsonb_build_object('verdict', CASE WHEN s.executor_id = p_executor THEN 'yours' ELSE 'elsewhere' END, 'shell_id', s.shell_id, 'ending', NULL, 'is_behind', behind);
  END IF;
  IF p_opens AND behind THEN RETURN jsonb_build_object('verdict', 'ended', 'shell_id', NULL, 'ending', NULL, 'is_behind', true); END IF;
  IF s.shell_id IS NOT NULL AND s.ending IS NULL THEN s.ending := 'lost'; END IF;
  -- What is lost is told before another takes its place: a command may rely on where the lost shell was.
  IF s.ending IS NOT NULL AND NOT s.told AND (s.ending IN ('lost', 'killed') OR NOT p_opens) THEN
    UPDATE shell k SET ending = s.ending, told = true, updated_at = t WHERE k.shell_id = s.shell_id;
    RETURN jsonb_build_object('verdict', 'ended', 'shell_id', NULL, 'ending', s.ending, 'is_behind', behind);
  END IF;
  IF NOT p_opens THEN RETURN jsonb_build_object('verdict', 'ended', 'shell_id', NULL, 'ending', NULL, 'is_behind', behind); END IF;
  INSERT INTO shell AS k (tenant_id, workspace_id, capability_token_id, session_id, shell_id, executor_id, lease_until)
    VALUES (p_tenant, o.workspace_id, o.capability_token_id, coalesce(o.session_id, ''), p_shell, p_executor, t + p_lease_ms)
    ON CONFLICT (tenant_id, workspace_id, capability_token_id, session_id)
    DO UPDATE SET shell_id = p_shell, executor_id = p_executor, lease_until = t + p_lease_ms, ending = NULL, told = false, created_at = t, updated_at = t;
  RETURN jsonb_build_object('verdict', 'opened', 'shell_id', p_shell, 'ending', s.ending, 'is_behind', false);
END $$;
