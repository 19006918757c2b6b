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

-- Who killed the container of a call that ran; beside cancel_requested, which ends it.
ALTER TABLE kernel.operation ADD COLUMN killed_by text;

ALTER TABLE kernel.shell DROP CONSTRAINT shell_ending_check;
ALTER TABLE kernel.shell ADD CONSTRAINT shell_ending_check CHECK (ending IN ('lost', 'diverged', 'idle', 'closed', 'killed'));

-- Containers that have a call or a session now, newest first: of one tenant, or run as the worker of all. Rows are those of SandboxView.
CREATE FUNCTION kernel.sandboxes(p_tenant text, p_session_tool text, p_id text, p_before bigint, p_before_id text, p_rows integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', coalesce(p_tenant, ''), true);
  RETURN (
    SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.created_at DESC, x.sandbox_id DESC), '[]') FROM (
      SELECT e.* FROM (
        SELECT o.operation_id AS sandbox_id, 'call' AS kind, o.tenant_id, o.agent_id, o.workspace_id, o.session_id, o.operation_id, o.tool_id, o.executor_id,
               o.image_digest, o.created_at
          FROM operation o WHERE o.state = 'performing' AND o.lane = 'sandboxed' AND o.tool_id <> p_session_tool AND o.lease_until >= t
        UNION ALL
        SELECT o.operation_id, 'preview', o.tenant_id, o.agent_id, o.workspace_id, o.session_id, o.operation_id, o.tool_id, v.executor_id, v.image_digest, o.created_at
          FROM preview v JOIN operation o ON o.operation_id = v.operation_id WHERE v.state = 'performing' AND v.lane = 'sandboxed' AND v.lease_until >= t
        UNION ALL
        SELECT s.shell_id, 'session', s.tenant_id, k.agent_id, s.workspace_id, nullif(s.session_id, ''),
               (SELECT o.operation_id FROM operation o WHERE o.state = 'performing' AND o.tool_id = p_session_tool AND o.workspace_id = s.workspace_id
                  AND o.capability_token_id = s.capability_token_id AND coalesce(o.session_id, '') = s.session_id AND o.executor_id = s.executor_id ORDER BY o.created_at LIMIT 1),
               p_session_tool, s.executor_id, NULL, s.created_at
          FROM shell s JOIN token k ON k.capability_token_id = s.capability_token_id WHERE s.ending IS NULL AND s.lease_until >= t) e
      WHERE (p_id IS NULL OR e.sandbox_id = p_id) AND (e.created_at, e.sandbox_id) < (p_before, p_before_id)
      ORDER BY e.created_at DESC, e.sandbox_id DESC LIMIT p_rows) x);
END $$;

-- Asks for the end of a call that runs, as kernel.request_cancel, by whoever kills its container. A cancellation that came first stands.
CREATE FUNCTION kernel.kill_call(p_tenant text, p_operation text, p_by text, p_records jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE asked jsonb;
BEGIN
  asked := request_cancel(p_tenant, p_operation, p_records);
  IF (asked ->> 'recorded')::boolean THEN UPDATE operation o SET killed_by = p_by WHERE o.operation_id = p_operation; END IF;
  RETURN asked;
END $$;

-- Ends the shell of a session: its executor kills it when it next asks for it, and the session's next call is told. False where it was no more already.
CREATE FUNCTION kernel.kill_shell(p_tenant text, p_shell text, p_records jsonb) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE shell k SET ending = 'killed', updated_at = now_ms() WHERE k.shell_id = p_shell AND k.ending IS NULL;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM post_records(p_tenant, p_records);
  RETURN true;
END $$;

GRANT EXECUTE ON FUNCTION kernel.release, kernel.release_preview, kernel.sandboxes, kernel.kill_call, kernel.kill_shell TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.sandboxes TO writ_kernel_worker;
