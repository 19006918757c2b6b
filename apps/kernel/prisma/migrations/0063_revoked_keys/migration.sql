-- The revocation of an API key ends the calls that the key proposed (ADR 0097).
-- INVARIANT (wholly before or wholly after): every decision holds the tenant's rules shared until its COMMIT, and a
-- revocation holds them alone. So a call of the key is
-- decided before the revocation, which then marks it, or after it, and is refused.

-- Keys that were revoked. The orchestrator keeps the keys themselves.
CREATE TABLE kernel.revoked_key (
  tenant_id  text   NOT NULL,
  api_key_id text   NOT NULL,
  revoked_at bigint NOT NULL,
  -- the API key that revoked it
  revoked_by text   NOT NULL,
  PRIMARY KEY (tenant_id, api_key_id)
);
ALTER TABLE kernel.revoked_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.revoked_key FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.revoked_key TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.revoked_key TO writ_kernel;

-- The key that proposed the call was revoked before the call had ended. `cancel_requested` is set with it: a marked
-- call never commits, begins no effect and is not retried.
ALTER TABLE kernel.operation ADD COLUMN key_revoked boolean NOT NULL DEFAULT false;
-- What a kernel that stopped in the middle of a revocation has left: mostly none.
CREATE INDEX operation_of_revoked_key ON kernel.operation (updated_at)
  WHERE key_revoked AND state IN ('admitted', 'held', 'dispatched');

-- Marks the calls of the key that have not ended, and returns their ids. Its caller holds the tenant's rules alone
-- (kernel.change_rules). Rows are locked in the order of ids.
CREATE FUNCTION kernel.mark_calls_of_key(p_tenant text, p_key text) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    -- One branch for each partial index that holds calls of such a state.
    WITH theirs AS (
      SELECT o.operation_id FROM operation o
      WHERE o.tenant_id = p_tenant AND o.proposed_by = p_key AND o.state = 'admitted'
      UNION ALL
      SELECT o.operation_id FROM operation o
      WHERE o.tenant_id = p_tenant AND o.proposed_by = p_key AND o.state IN ('dispatched', 'performing')
      UNION ALL
      SELECT o.operation_id FROM approval a JOIN operation o ON o.operation_id = a.operation_id
      WHERE a.tenant_id = p_tenant AND a.state = 'pending' AND o.proposed_by = p_key AND o.state = 'held'),
    locked AS (
      SELECT o.operation_id FROM operation o WHERE o.operation_id IN (SELECT x.operation_id FROM theirs x)
        AND o.state IN ('admitted', 'dispatched', 'performing', 'held')
      ORDER BY o.operation_id FOR UPDATE)
    -- A cancellation that came first stands.
    UPDATE operation o SET key_revoked = o.key_revoked OR NOT o.cancel_requested, cancel_requested = true, updated_at = t
    FROM locked l WHERE o.operation_id = l.operation_id
    RETURNING o.operation_id;
END $$;

-- Marked calls that wait, of all tenants, and that nobody has ended for p_older_ms. Run as the worker; the tenant's
-- role ends them. What runs ends with its report or with its lease.
CREATE FUNCTION kernel.calls_of_revoked_keys(p_older_ms bigint, p_rows integer)
RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT o.tenant_id, o.operation_id FROM operation o
    WHERE o.key_revoked AND o.state IN ('admitted', 'held', 'dispatched') AND o.updated_at <= now_ms() - p_older_ms
    ORDER BY o.updated_at LIMIT p_rows;
END $$;

-- Returns once the key has not been revoked; under kernel.hold_rules it won't be before COMMIT. Otherwise WR001.
CREATE FUNCTION kernel.assert_key_valid(p_tenant text, p_key text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM revoked_key r WHERE r.tenant_id = p_tenant AND r.api_key_id = p_key) THEN
    PERFORM decide_again('key');
  END IF;
END $$;

-- As kernel.facts, with whether the key that proposes the call was revoked.
CREATE FUNCTION kernel.facts(
  p_tenant text, p_operation text, p_agent text, p_tool text, p_key text, p_token text, p_workspace text,
  p_rows_max integer, p_session text, p_needs jsonb, p_past jsonb, p_proposed_by text
) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN facts(p_tenant, p_operation, p_agent, p_tool, p_key, p_token, p_workspace, p_rows_max, p_session, p_needs, p_past)
    || jsonb_build_object('key_revoked', EXISTS (
      SELECT FROM revoked_key r WHERE r.tenant_id = p_tenant AND r.api_key_id = p_proposed_by));
END $$;

-- Beside what it was: the key that proposed the call has not been revoked.
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
    -- Where there may be any they are read.
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

-- As it was, but for the key that proposed the call.
CREATE OR REPLACE FUNCTION kernel.admit(p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea) RETURNS json
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
  -- Nothing of the past is counted on but for the risk, nobody asks how many calls wait, and there is a chain.
  is_plain boolean := p #> '{remembered,room}' = 'null' AND p #> '{rules,needs}' = 'null' AND NOT (p -> 'rules') ? 'past' AND jsonb_typeof(p -> 'chain') = 'array';
  stands boolean := false;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  o := jsonb_populate_record(NULL::operation, p -> 'operation');
  IF is_plain IS NOT TRUE THEN
    PERFORM assert_rules(p_tenant, p -> 'rules');
    IF p ? 'remembered' THEN PERFORM assert_remembered(o, p -> 'remembered'); END IF;
  END IF;
  IF p_fingerprint IS NOT NULL THEN
    -- Waits for another that is claiming the same key: when that one commits, this is a replay.
    INSERT INTO idempotency (tenant_id, agent_id, tool_id, idempotency_key, operation_id, args_fingerprint, capability_token_id)
    VALUES (p_tenant, o.agent_id, o.tool_id, o.idempotency_key, o.operation_id, p_fingerprint, coalesce(p->>'own_token', o.capability_token_id))
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN PERFORM decide_again('idempotency'); END IF;
  END IF;
  INSERT INTO operation AS made (
    operation_id, tenant_id, agent_id, tool_id, capability_token_id, workspace_id, session_id, session_mode, proposed_by, proposal_digest,
    state, mutating, lane, task_class, autonomy_mode, risk_score, risk_basis, reasons, provenance, precondition_refs, idempotency_key,
    state_snapshot_id, policy_hash, tool_definition_digest, args_hash, action_digest, image_digest, limits, reserved, deadline, approval_id, approval_refs,
    tx_outcome, fault_code, fault_message, fault_hint, decision_record_id, decision_hash, traceparent, proposers, data_subject, payload_key)
  VALUES (
    o.operation_id, p_tenant, o.agent_id, o.tool_id, o.capability_token_id, o.workspace_id, o.session_id, o.session_mode, o.proposed_by, o.proposal_digest,
    o.state, o.mutating, o.lane, o.task_class, o.autonomy_mode, o.risk_score, o.risk_basis, o.reasons, o.provenance, o.precondition_refs, o.idempotency_key,
    o.state_snapshot_id, o.policy_hash, o.tool_definition_digest, o.args_hash, o.action_digest, o.image_digest, o.limits, o.reserved, o.deadline, o.approval_id, o.approval_refs,
    o.tx_outcome, o.fault_code, o.fault_message, o.fault_hint, o.decision_record_id, o.decision_hash, o.traceparent, coalesce(o.proposers, '{}'), o.data_subject, o.payload_key)
  ON CONFLICT DO NOTHING
  RETURNING made.* INTO o;
  IF NOT FOUND THEN
    -- Of this tenant: sent twice at once, and now there is a decision to return. Of another: it can't be seen,
    -- and never will be.
    IF EXISTS (SELECT 1 FROM operation seen WHERE seen.operation_id = p#>>'{operation,operation_id}') THEN PERFORM decide_again('operation'); END IF;
    RAISE EXCEPTION 'the operation id is taken' USING ERRCODE = 'WR002';
  END IF;
  IF is_plain THEN
    stands := stands_remembered(o, p);
    IF NOT stands THEN
      PERFORM assert_rules(p_tenant, p -> 'rules');
      PERFORM assert_remembered(o, p -> 'remembered');
    END IF;
  END IF;
  IF NOT stands AND o.state IN ('admitted', 'held') AND NOT tool_stands(o) THEN PERFORM decide_again('tool'); END IF;
  IF p->'labels' <> '[]' THEN PERFORM put_labels(o, p->'labels'); END IF;
  IF p ? 'versions' AND NOT versions_hold(p_tenant, p->'versions') THEN PERFORM decide_again('resource'); END IF;
  IF jsonb_typeof(p->'chain') = 'array' THEN
    IF NOT stands THEN
      PERFORM assert_unfrozen(p_tenant, o.agent_id, o.tool_id, o.capability_token_id);
      PERFORM assert_key_valid(p_tenant, o.proposed_by);
    END IF;
    IF NOT stands OR jsonb_array_length(p -> 'chain') > 1 OR p -> 'head' <> 'null' THEN PERFORM assert_decided_on(p->'chain', o.workspace_id, p->>'head'); END IF;
  END IF;
  IF o.payload_key IS NOT NULL THEN PERFORM hold_payload_key(p_tenant, o.payload_key, decode(p->>'key', 'base64')); END IF;
  INSERT INTO payload (operation_id, tenant_id, args, args_ref, salt, key_id) VALUES (o.operation_id, p_tenant, p_args, nullif(p->'args_ref', 'null'), p_salt, o.payload_key);
  IF jsonb_typeof(p->'approval') = 'object' THEN
    INSERT INTO approval (approval_id, tenant_id, operation_id, action_digest, autonomy_mode, of, state, reasons, expires_at, quorum)
    SELECT a.approval_id, p_tenant, o.operation_id, a.action_digest, o.autonomy_mode, coalesce(a.of, 'action'), 'pending', o.reasons, a.expires_at, coalesce(a.quorum, 1)
    FROM jsonb_to_record(p->'approval') AS a(approval_id text, action_digest text, of text, expires_at bigint, quorum integer);
  END IF;
  IF jsonb_typeof(p->'preview') = 'object' THEN PERFORM begin_preview(o, p->'preview'); END IF;
  PERFORM post_records(p_tenant, p->'records');
  PERFORM reserve(p->'reserve');
  -- As text at once: it is read by nobody here, and a jsonb of it would be taken apart again to be sent.
  RETURN to_json(o);
END $$;

-- As it was; a call whose key was revoked is not readmitted.
CREATE OR REPLACE FUNCTION kernel.readmit(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  n operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  PERFORM assert_rules(p_tenant, p->'rules');
  n := jsonb_populate_record(NULL::operation, p->'operation');
  UPDATE operation o SET
    state = 'admitted', lane = n.lane, autonomy_mode = n.autonomy_mode, risk_score = n.risk_score, risk_basis = n.risk_basis, reasons = n.reasons,
    state_snapshot_id = n.state_snapshot_id, policy_hash = n.policy_hash, tool_definition_digest = n.tool_definition_digest,
    action_digest = n.action_digest, image_digest = n.image_digest, limits = n.limits, reserved = n.reserved, approval_refs = n.approval_refs, approvers = coalesce(n.approvers, 0),
    decision_record_id = n.decision_record_id, decision_hash = n.decision_hash, updated_at = now_ms()
  WHERE o.operation_id = n.operation_id AND o.state = 'held'
  RETURNING o.* INTO n;
  IF NOT FOUND THEN PERFORM decide_again('operation'); END IF;
  IF n.key_revoked THEN PERFORM decide_again('key'); END IF;
  PERFORM assert_unfrozen(p_tenant, n.agent_id, n.tool_id, n.capability_token_id);
  PERFORM close_approval(p->'approval');
  IF p->'labels' <> '[]' THEN PERFORM put_labels(n, p->'labels'); END IF;
  IF p ? 'versions' AND NOT versions_hold(p_tenant, p->'versions') THEN PERFORM decide_again('resource'); END IF;
  PERFORM assert_decided_on(p->'chain', n.workspace_id, p->>'head');
  PERFORM post_records(p_tenant, p->'records');
  PERFORM forget_effect(n.operation_id);
  PERFORM reserve(p->'reserve');
  RETURN to_jsonb(n);
END $$;

-- As it was; the effect of a call whose key was revoked is not committed.
CREATE OR REPLACE FUNCTION kernel.finish_held(p jsonb, p_result bytea, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v jsonb;
  n operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true), hold_rules(p ->> 'tenant_id');
  PERFORM assert_rules(p ->> 'tenant_id', p #> '{held,rules}');
  v := finish(p, p_result, p_payload, p_sig);
  IF v ->> 'verdict' <> 'done' THEN RETURN v; END IF;
  n := jsonb_populate_record(NULL::operation, p #> '{held,operation}');
  UPDATE operation o SET
    autonomy_mode = n.autonomy_mode, risk_score = n.risk_score, risk_basis = n.risk_basis, policy_hash = n.policy_hash,
    tool_definition_digest = n.tool_definition_digest, state_snapshot_id = n.state_snapshot_id, action_digest = n.action_digest, image_digest = n.image_digest,
    approval_refs = n.approval_refs, approvers = coalesce(n.approvers, 0), decision_record_id = n.decision_record_id, decision_hash = n.decision_hash, reasons = o.reasons || coalesce(p #> '{held,said}', '[]')
    WHERE o.operation_id = p ->> 'operation_id' RETURNING o.* INTO n;
  IF n.key_revoked THEN PERFORM decide_again('key'); END IF;
  PERFORM 1 FROM approval a WHERE a.approval_id = n.approval_id AND a.effect_digest = p #>> '{held,effect_digest}';
  IF NOT FOUND THEN PERFORM decide_again('effect'); END IF;
  PERFORM close_approval(p #> '{held,approval}');
  IF p #> '{held,labels}' <> '[]' THEN PERFORM put_labels(n, p #> '{held,labels}'); END IF;
  PERFORM post_records(n.tenant_id, p #> '{held,records}');
  PERFORM forget_effect(n.operation_id);
  PERFORM spend(p #> '{held,spend}');
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(n));
END $$;

GRANT EXECUTE ON FUNCTION kernel.mark_calls_of_key, kernel.assert_key_valid TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.facts(text, text, text, text, text, text, text, integer, text, jsonb, jsonb, text)
  TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.calls_of_revoked_keys TO writ_kernel_worker;
