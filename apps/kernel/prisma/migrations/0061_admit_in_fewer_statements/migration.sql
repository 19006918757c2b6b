-- Admissions in fewer statements: each that PL/pgSQL runs is set up anew, with its plan's tables, indexes, rights and row policies, and that was most of what an admission took (ADR 0086).

-- Expressions that call functions and read no table need no statement: they are evaluated in place, in the order in which they stand. What the locks return is nothing, and not looked at.
CREATE OR REPLACE FUNCTION kernel.hold_rules(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  is_held boolean;
BEGIN
  is_held := pg_advisory_xact_lock_shared(hashtextextended('writ.rules.*', 0)) IS NOT NULL;
  is_held := pg_advisory_xact_lock_shared(hashtextextended('writ.rules.' || p_tenant, 0)) IS NOT NULL;
END $$;

-- Adds the reservations, [{token, dimension, amount}], row by row in the order of tokens and dimensions as bytes: two calls never wait for each other. Call it last. They come so from a kernel that knows of it; where
-- they don't, during an update, they are put in order here.
CREATE OR REPLACE FUNCTION kernel.reserve(p_reserve jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  r jsonb;
BEGIN
  FOR i IN 1 .. jsonb_array_length(p_reserve) - 1 LOOP
    IF (p_reserve -> i ->> 'token' COLLATE "C", p_reserve -> i ->> 'dimension' COLLATE "C") < (p_reserve -> (i - 1) ->> 'token', p_reserve -> (i - 1) ->> 'dimension') THEN
      p_reserve := (SELECT jsonb_agg(x.value ORDER BY x.value ->> 'token' COLLATE "C", x.value ->> 'dimension' COLLATE "C") FROM jsonb_array_elements(p_reserve) AS x);
      EXIT;
    END IF;
  END LOOP;
  FOR i IN 0 .. jsonb_array_length(p_reserve) - 1 LOOP
    r := p_reserve -> i;
    UPDATE budget b SET reserved = b.reserved + (r ->> 'amount')::bigint
    WHERE b.capability_token_id = r ->> 'token' AND b.dimension = r ->> 'dimension' AND b.reserved + b.used + (r ->> 'amount')::bigint <= b.bound;
    IF NOT FOUND THEN PERFORM decide_again('budget'); END IF;
  END LOOP;
END $$;

-- Records, [{record_id, payload, keyid, sig}] with base64 bytes, on their way to the ledger.
CREATE OR REPLACE FUNCTION kernel.post_records(p_tenant text, p_records jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  r jsonb;
BEGIN
  FOR i IN 0 .. jsonb_array_length(p_records) - 1 LOOP
    r := p_records -> i;
    INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig)
    VALUES (r ->> 'record_id', p_tenant, decode(r ->> 'payload', 'base64'), r ->> 'keyid', decode(r ->> 'sig', 'base64'));
  END LOOP;
END $$;

-- The labels of a session and of a workspace, each once, in order.
CREATE FUNCTION kernel.labels_on(p_tenant text, p_session text, p_workspace text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(DISTINCT l.label), '[]') FROM label l
    WHERE l.tenant_id = p_tenant AND ((l.scope = 'session' AND l.id = p_session) OR (l.scope = 'workspace' AND l.id = p_workspace)));
END $$;

CREATE OR REPLACE FUNCTION kernel.rules_in_force(p_tenant text, p_session text, p_workspace text, p_needs jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN jsonb_build_object(
    'policy', (SELECT a.policy_hash FROM policy_activation a WHERE a.tenant_id = p_tenant ORDER BY a.seq DESC LIMIT 1),
    'labels', labels_on(p_tenant, p_session, p_workspace),
    'history', CASE WHEN jsonb_typeof(p_needs) = 'array' THEN session_history(p_tenant, p_session, p_needs) END);
END $$;

-- Whether the tenant's own tool of the name, where it has one, is what the call was decided on.
CREATE FUNCTION kernel.tool_stands(o kernel.operation) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM tool t WHERE t.tenant_id = o.tenant_id AND t.tool_id = o.tool_id AND t.definition_digest IS DISTINCT FROM o.tool_definition_digest);
END $$;

-- A change of the decision.
CREATE OR REPLACE FUNCTION kernel.assert_tool() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF NOT tool_stands(NEW) THEN PERFORM decide_again('tool'); END IF;
  RETURN NEW;
END $$;

-- Of a call that was decided on remembered facts, and that counts nothing of its session's past and destroys nothing: whether all stands that kernel.assert_rules, kernel.assert_remembered,
-- kernel.tool_stands, kernel.assert_unfrozen and, for the call's own token, kernel.assert_decided_on look at. All of it in one statement. False says no more than that they must be asked.
-- Of the past it looks for what the two counts begin with, and counts where there is any. One plan for all parameters, as kernel.session_past, whose indexes it walks.
CREATE FUNCTION kernel.stands_remembered(o kernel.operation, p jsonb) RETURNS boolean
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

-- Writes a decision: operation, payload, claim, approval, record, reservation. Returns the operation's row.
-- p: operation {columns}, own_token {the one that the caller named, where a token for the session stands in its place}, args_ref, claims, rules {as kernel.assert_rules reads them}, labels,
-- chain [ids] | null, head | null, versions, remembered {as kernel.assert_remembered reads it}, key, approval {columns} | null, preview | null, records, reserve.
-- Sent again with the same operation id it writes nothing and raises WR001 or WR002, so that who asks reads what there is.
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
    -- Of this tenant: sent twice at once, and now there is a decision to return. Of another: it can't be seen, and never will be.
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
    IF NOT stands THEN PERFORM assert_unfrozen(p_tenant, o.agent_id, o.tool_id, o.capability_token_id); END IF;
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

-- kernel.admit, which alone makes operations, asks about the tool itself. A change of the decision still is asked about by the trigger.
DROP TRIGGER tool_in_force_at_insert ON kernel.operation;
-- Most calls are born admitted, as the table of transitions lets them; a specification tries every state.
DROP TRIGGER operation_born ON kernel.operation;
CREATE TRIGGER operation_born BEFORE INSERT ON kernel.operation FOR EACH ROW WHEN (NEW.state <> 'admitted') EXECUTE FUNCTION kernel.refuse_transition();

GRANT EXECUTE ON FUNCTION kernel.labels_on, kernel.tool_stands, kernel.stands_remembered TO writ_kernel;
