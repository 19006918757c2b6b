-- Returns whether the cached facts that a call was decided on still hold, with one statement. True covers what these
-- check: kernel.assert_rules, kernel.assert_remembered, kernel.tool_stands, kernel.assert_unfrozen,
-- kernel.assert_key_valid and, for the call's own token, kernel.assert_decided_on. False only means that these must be
-- asked, since this check is coarser: any freeze of the tenant or the deployment that nobody has lifted makes it false.
--
-- o: the row of the operation. p: as kernel.admit takes it. kernel.admit calls this function only where the policy
-- counts nothing of the session's past, the call destroys nothing, and `remembered.room` is null.
--
-- The session's past matters to the risk only. It is counted only where the session has a destructive or a failed call.
--
-- The function has one plan for all parameters, since it reads the same indexes as kernel.session_past (see there).
CREATE OR REPLACE FUNCTION kernel.stands_remembered(o kernel.operation, p jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  t bigint := now_ms();
  v_session text := p #>> '{rules,session}';
  v_past jsonb := nullif(p #> '{remembered,past}', 'null');
  v_since bigint := t - (v_past #>> '{asked,window_ms}')::bigint;
  stands boolean;
BEGIN
  IF t - (p #>> '{remembered,now}')::bigint NOT BETWEEN -50 AND 1000 THEN RETURN false; END IF;
  SELECT
    EXISTS (SELECT FROM token k WHERE k.capability_token_id = o.capability_token_id AND k.revoked_at IS NULL AND (k.grant_json ->> 'expires_at')::bigint > t)
    AND EXISTS (SELECT FROM workspace w WHERE w.workspace_id = o.workspace_id AND w.head_snapshot_id = p #>> '{remembered,head}')
    AND NOT EXISTS (SELECT FROM kernel.freeze f WHERE f.tenant_id IN (o.tenant_id, '*') AND f.lifted_at IS NULL)
    AND NOT EXISTS (SELECT FROM revoked_key r WHERE r.tenant_id = o.tenant_id AND r.api_key_id = o.proposed_by)
    AND NOT EXISTS (SELECT FROM tool l WHERE l.tenant_id = o.tenant_id AND l.tool_id = o.tool_id AND l.definition_digest IS DISTINCT FROM o.tool_definition_digest)
    AND (SELECT a.policy_hash FROM policy_activation a WHERE a.tenant_id = o.tenant_id ORDER BY a.seq DESC LIMIT 1) IS NOT DISTINCT FROM p #>> '{rules,seen,policy}'
    AND (SELECT n.call_settings FROM tenant n WHERE n.tenant_id = o.tenant_id) = p #> '{rules,seen,settings}'
    -- Labels are aggregated only where there are any.
    AND CASE WHEN EXISTS (SELECT FROM label b WHERE b.tenant_id = o.tenant_id AND b.scope IN ('session', 'workspace') AND b.id IN (v_session, o.workspace_id))
      THEN labels_on(o.tenant_id, v_session, o.workspace_id) ELSE '[]' END = p #> '{rules,seen,labels}'
    AND (v_past IS NULL OR CASE
      WHEN EXISTS (SELECT FROM operation d WHERE d.tenant_id = o.tenant_id AND d.session_key = v_session AND is_destructive(d.risk_basis) AND d.created_at >= v_since)
        OR EXISTS (SELECT FROM operation d WHERE d.tenant_id = o.tenant_id AND d.session_key = v_session AND d.created_at >= v_since
          AND d.lane IS NOT NULL AND (d.state IN ('rolled_back', 'ambiguous') OR (d.state IN ('committed', 'no_op') AND d.fault_code IS NOT NULL)))
      THEN session_past(o.tenant_id, v_session, o.operation_id, v_past -> 'asked') ELSE '{"destructive_calls": 0, "failures_in_a_row": 0}' END = v_past -> 'seen')
  INTO stands;
  RETURN coalesce(stands, false);
END $$;
GRANT EXECUTE ON FUNCTION kernel.stands_remembered(kernel.operation, jsonb) TO writ_kernel;
