-- Returns the containers that have a call, a preview or a session now, newest first: [{container_id, kind, tenant_id,
-- agent_id, workspace_id, session_id, resource_id, operation_id, tool_id, executor_id, image_digest, created_at}].
-- kind: `call`, `preview` or `session`. A session's container goes by its shell's id; its operation_id is the call that
-- it runs now, or null, and its image_digest is null. resource_id: the registered container whose shell it is, for
-- which session_id is null; null for the others.
-- p_tenant: null means all tenants, as the worker role. p_session_tool: the tool whose calls run in shells.
-- p_id: only this container; null for all. p_before, p_before_id: created_at and id of the row before the page.
CREATE OR REPLACE FUNCTION kernel.containers(
  p_tenant text, p_session_tool text, p_id text, p_before bigint, p_before_id text, p_rows integer
) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', coalesce(p_tenant, ''), true);
  RETURN (
    SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.created_at DESC, x.container_id DESC), '[]') FROM (
      SELECT e.* FROM (
        SELECT o.operation_id AS container_id, 'call' AS kind, o.tenant_id, o.agent_id, o.workspace_id, o.session_id, NULL AS resource_id, o.operation_id, o.tool_id, o.executor_id,
               o.image_digest, o.created_at
          FROM operation o WHERE o.state = 'performing' AND o.lane = 'sandboxed' AND o.tool_id <> p_session_tool AND o.lease_until >= t
        UNION ALL
        SELECT o.operation_id, 'preview', o.tenant_id, o.agent_id, o.workspace_id, o.session_id, NULL, o.operation_id, o.tool_id, v.executor_id, v.image_digest, o.created_at
          FROM preview v JOIN operation o ON o.operation_id = v.operation_id WHERE v.state = 'performing' AND v.lane = 'sandboxed' AND v.lease_until >= t
        UNION ALL
        SELECT s.shell_id, 'session', s.tenant_id, k.agent_id, s.workspace_id, nullif(substring(s.session_id FROM '^session:(.*)$'), ''),
               substring(s.session_id FROM '^container:(.*)$'),
               (SELECT o.operation_id FROM operation o WHERE o.state = 'performing' AND o.tool_id = p_session_tool AND o.workspace_id = s.workspace_id
                  AND o.capability_token_id = s.capability_token_id AND shell_key(o) = s.session_id AND o.executor_id = s.executor_id ORDER BY o.created_at LIMIT 1),
               p_session_tool, s.executor_id, NULL, s.created_at
          FROM shell s JOIN token k ON k.capability_token_id = s.capability_token_id WHERE s.ending IS NULL AND s.lease_until >= t) e
      WHERE (p_id IS NULL OR e.container_id = p_id) AND (e.created_at, e.container_id) < (p_before, p_before_id)
      ORDER BY e.created_at DESC, e.container_id DESC LIMIT p_rows) x);
END $$;
GRANT EXECUTE ON FUNCTION kernel.containers(text, text, text, bigint, text, integer) TO writ_kernel, writ_kernel_worker;
