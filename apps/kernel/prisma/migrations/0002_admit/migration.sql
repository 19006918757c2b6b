-- Admission, and what becomes of a held call. Each function is one transaction and one round trip: it sets the tenant, asserts what was
-- decided on, and writes decision, reservation and signed record together.
-- SQLSTATE WR001 says that the facts moved between reading and writing: nothing was written, decide again. WR002: the operation id is taken.
-- Functions are plpgsql also where SQL would do: Postgres keeps a plpgsql statement's plan for the connection, and plans an SQL function's at every call.
-- Locks are taken in one order everywhere: the tenant's rules (shared), idempotency key, operation, workspace (shared), budgets by id last.

GRANT EXECUTE ON FUNCTION kernel.now_ms(), kernel.tenant() TO writ_kernel, writ_kernel_worker;

-- Whether records of the tenant wait too long is asked at every admission.
CREATE INDEX outbox_of_tenant ON kernel.outbox (tenant_id, created_at);
-- A record is some 2 KB and gone within a second: it isn't worth compressing, and stays in its row up to the size of a page.
ALTER TABLE kernel.outbox SET (toast_tuple_target = 8160);
CREATE INDEX approval_of_operation ON kernel.approval (operation_id);

-- Everything that an admission is decided on, as of one statement's start. The chain is leaf first; a token of another tenant isn't there.
CREATE FUNCTION kernel.facts(
  p_tenant text, p_operation text, p_agent text, p_tool text, p_key text, p_token text, p_workspace text, p_rows_max integer, p_session text, p_needs jsonb, p_past jsonb
) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_chain text[];
  v_oldest bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT min(x.created_at) INTO v_oldest FROM outbox x;
  SELECT t.chain INTO v_chain FROM token t WHERE t.capability_token_id = p_token;
  RETURN jsonb_build_object(
    'now', now_ms(),
    'existing', (SELECT to_jsonb(o) FROM operation o WHERE o.operation_id = p_operation),
    'claim', (
      SELECT jsonb_build_object('fingerprint', encode(i.args_fingerprint, 'hex'), 'capability_token_id', i.capability_token_id, 'operation', to_jsonb(o))
      FROM idempotency i JOIN operation o ON o.operation_id = i.operation_id
      WHERE i.tenant_id = p_tenant AND i.agent_id = p_agent AND i.tool_id = p_tool AND i.idempotency_key = p_key),
    'chain', coalesce((
      SELECT jsonb_agg(to_jsonb(t) || jsonb_build_object('budgets', (
          SELECT coalesce(jsonb_object_agg(b.dimension, jsonb_build_object('reserved', b.reserved, 'used', b.used)), '{}')
          FROM budget b WHERE b.capability_token_id = t.capability_token_id))
        ORDER BY array_position(v_chain, t.capability_token_id) DESC)
      FROM token t WHERE t.capability_token_id = ANY (v_chain)), '[]'),
    'agent', EXISTS (SELECT 1 FROM agent a WHERE a.agent_id = p_agent),
    'head', (SELECT w.head_snapshot_id FROM workspace w WHERE w.workspace_id = p_workspace),
    'frozen', freeze_on(p_tenant, p_agent, p_tool, p_token),
    'rules', rules_in_force(p_tenant, p_session, p_workspace, p_needs),
    'past', CASE WHEN jsonb_typeof(p_past) = 'object' THEN session_past(p_tenant, p_session, p_operation, p_past) END,
    'queue_full', queue_is_full(p_tenant),
    'outbox_oldest', v_oldest,
    -- Records that are on their way within a second needn't be counted: that many can't gather in it.
    'outbox_rows', CASE WHEN v_oldest < now_ms() - 1000 THEN (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT p_rows_max + 1) x) ELSE 0 END);
END $$;

CREATE FUNCTION kernel.decide_again(p_what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the facts moved: %', p_what USING ERRCODE = 'WR001';
END $$;

-- Returns where the chain stands, neither revoked nor expired, and, where a head is named, it is the head: until this transaction ends, since its caller holds the rules
-- (kernel.hold_rules), which a revocation changes, and the head is locked. Otherwise WR001.
CREATE FUNCTION kernel.assert_decided_on(p_chain jsonb, p_workspace text, p_head text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v_token text;
BEGIN
  -- One by one: chains are short, and each is one step into the index.
  FOR v_token IN SELECT jsonb_array_elements_text(p_chain) LOOP
    PERFORM 1 FROM token t WHERE t.capability_token_id = v_token AND t.revoked_at IS NULL AND (t.grant_json ->> 'expires_at')::bigint > now_ms();
    IF NOT FOUND THEN PERFORM decide_again('token'); END IF;
  END LOOP;
  IF p_head IS NOT NULL THEN
    PERFORM 1 FROM workspace w WHERE w.workspace_id = p_workspace AND w.head_snapshot_id = p_head FOR SHARE;
    IF NOT FOUND THEN PERFORM decide_again('workspace'); END IF;
  END IF;
END $$;

-- Returns where facts that were remembered instead of read, {now, head, session, past {asked, seen} | null, room | null}, would be read as they are remembered: of all that kernel.facts says, what nothing else in an
-- admission asserts. The clock may be behind by as long as a call may wait for a connection; records that wait longer than they should are counted by who reads. With room, there is room for so many calls of the tenant:
-- its caller admits them on this one look, which is the dearest of all. One whose room isn't there for as many is decided by who reads, to the call.
CREATE FUNCTION kernel.assert_remembered(o kernel.operation, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE t bigint := now_ms();
BEGIN
  IF t - (p->>'now')::bigint NOT BETWEEN -50 AND 1000 THEN PERFORM decide_again('time'); END IF;
  IF p->'room' IS DISTINCT FROM 'null' THEN
    IF (SELECT min(x.created_at) FROM outbox x) < t - 1000 THEN PERFORM decide_again('outbox'); END IF;
    IF queue_is_full(o.tenant_id, (p->>'room')::integer) THEN PERFORM decide_again('queue'); END IF;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM workspace w WHERE w.workspace_id = o.workspace_id AND w.head_snapshot_id = p->>'head') THEN PERFORM decide_again('workspace'); END IF;
  IF p->'past' <> 'null' AND session_past(o.tenant_id, p->>'session', o.operation_id, p#>'{past,asked}') IS DISTINCT FROM p#>'{past,seen}' THEN PERFORM decide_again('past'); END IF;
END $$;

-- Adds the reservations, [{token, dimension, amount}], row by row in id order: two calls never wait for each other. Call it last.
CREATE FUNCTION kernel.reserve(p_reserve jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM jsonb_to_recordset(p_reserve) AS x(token text, dimension text, amount bigint) ORDER BY x.token, x.dimension LOOP
    UPDATE budget b SET reserved = b.reserved + r.amount
    WHERE b.capability_token_id = r.token AND b.dimension = r.dimension AND b.reserved + b.used + r.amount <= b.bound;
    IF NOT FOUND THEN PERFORM decide_again('budget'); END IF;
  END LOOP;
END $$;

-- Records, [{record_id, payload, keyid, sig}] with base64 bytes, on their way to the ledger.
CREATE FUNCTION kernel.post_records(p_tenant text, p_records jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig)
  SELECT x.record_id, p_tenant, decode(x.payload, 'base64'), x.keyid, decode(x.sig, 'base64')
  FROM jsonb_to_recordset(p_records) AS x(record_id text, payload text, keyid text, sig text);
END $$;

-- Writes a decision: operation, payload, claim, approval, record, reservation. Returns the operation's row.
-- p: operation {columns}, own_token {the one that the caller named, where a token for the session stands in its place}, args_ref, claims, rules {as kernel.assert_rules reads them}, labels, chain [ids] | null, head | null, approval {columns} | null,
-- preview {limits, reserved} | null, remembered {as kernel.assert_remembered reads it}, reserve [...], records [...]. A refusal brings no chain, head, claim or reservation: it asserts and takes nothing.
CREATE FUNCTION kernel.admit(p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea) RETURNS json
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  PERFORM assert_rules(p_tenant, p->'rules');
  o := jsonb_populate_record(NULL::operation, p->'operation');
  IF p ? 'remembered' THEN PERFORM assert_remembered(o, p->'remembered'); END IF;
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
    tx_outcome, fault_code, fault_message, fault_hint, decision_record_id, decision_hash, traceparent, proposers)
  VALUES (
    o.operation_id, p_tenant, o.agent_id, o.tool_id, o.capability_token_id, o.workspace_id, o.session_id, o.session_mode, o.proposed_by, o.proposal_digest,
    o.state, o.mutating, o.lane, o.task_class, o.autonomy_mode, o.risk_score, o.risk_basis, o.reasons, o.provenance, o.precondition_refs, o.idempotency_key,
    o.state_snapshot_id, o.policy_hash, o.tool_definition_digest, o.args_hash, o.action_digest, o.image_digest, o.limits, o.reserved, o.deadline, o.approval_id, o.approval_refs,
    o.tx_outcome, o.fault_code, o.fault_message, o.fault_hint, o.decision_record_id, o.decision_hash, o.traceparent, coalesce(o.proposers, '{}'))
  ON CONFLICT DO NOTHING
  RETURNING made.* INTO o;
  IF NOT FOUND THEN
    -- Of this tenant: sent twice at once, and now there is a decision to return. Of another: it can't be seen, and never will be.
    IF EXISTS (SELECT 1 FROM operation seen WHERE seen.operation_id = p#>>'{operation,operation_id}') THEN PERFORM decide_again('operation'); END IF;
    RAISE EXCEPTION 'the operation id is taken' USING ERRCODE = 'WR002';
  END IF;
  IF p->'labels' <> '[]' THEN PERFORM put_labels(o, p->'labels'); END IF;
  IF p ? 'versions' AND NOT versions_hold(p_tenant, p->'versions') THEN PERFORM decide_again('resource'); END IF;
  IF jsonb_typeof(p->'chain') = 'array' THEN
    PERFORM assert_unfrozen(p_tenant, o.agent_id, o.tool_id, o.capability_token_id);
    PERFORM assert_decided_on(p->'chain', o.workspace_id, p->>'head');
  END IF;
  INSERT INTO payload (operation_id, tenant_id, args, args_ref, salt) VALUES (o.operation_id, p_tenant, p_args, nullif(p->'args_ref', 'null'), p_salt);
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

-- What a decision about a held call reads beside kernel.facts: the call, what hides its arguments, and its approval.
CREATE FUNCTION kernel.held_call(p_tenant text, p_approval text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (
    SELECT jsonb_build_object('now', now_ms(), 'approval', to_jsonb(a), 'operation', to_jsonb(o),
      'args', encode(y.args, 'base64'), 'args_ref', y.args_ref, 'staged', encode(y.staged, 'base64'),
      'preview', (SELECT to_jsonb(v) FROM preview v WHERE v.operation_id = o.operation_id), 'votes', votes_of(a),
      'policy_author', (SELECT x.activated_as FROM policy_activation x WHERE x.policy_hash = o.policy_hash ORDER BY x.seq DESC LIMIT 1))
    FROM approval a JOIN operation o ON o.operation_id = a.operation_id JOIN payload y ON y.operation_id = a.operation_id
    WHERE a.approval_id = p_approval);
END $$;

-- Decides a pending approval, once, with the vote that decides it; its caller has locked the operation.
CREATE FUNCTION kernel.close_approval(p_approval jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  UPDATE approval a SET state = p_approval->>'state', decided_at = now_ms(), decided_by = p_approval->>'decided_by', comment = p_approval->>'comment',
    superseded_by = p_approval->>'superseded_by', session_token_id = p_approval#>>'{token,capability_token_id}'
  WHERE a.approval_id = p_approval->>'approval_id' AND a.state = 'pending';
  IF NOT FOUND THEN PERFORM decide_again('approval'); END IF;
  IF jsonb_typeof(p_approval->'token') = 'object' THEN PERFORM put_session_token(tenant(), p_approval->'token'); END IF;
  IF jsonb_typeof(p_approval->'value') = 'object' THEN PERFORM put_value(tenant(), p_approval->'value'); END IF;
  IF jsonb_typeof(p_approval->'vote') = 'object' THEN PERFORM put_vote(tenant(), p_approval->'vote'); END IF;
END $$;

-- held → admitted, decided anew with an approval. p: operation {the columns below}, approval {…}, rules, labels, chain, head, reserve, records.
CREATE FUNCTION kernel.readmit(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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

-- held → refused: denied, expired, cancelled, or approved and refused when decided anew; with the effect of a run staged, → rolled_back. It reserves
-- nothing. p: operation {operation_id, state, tx_outcome, fault_code, fault_message, fault_hint, reasons, outcome_record_id, approval_refs}, approval {…}, records;
-- rules {as kernel.assert_rules reads them}, where it is those that refuse: then they are asserted, and under a freeze the call stays held.
CREATE FUNCTION kernel.end_held(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  e operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  IF p ? 'rules' THEN
    PERFORM hold_rules(p_tenant);
    PERFORM assert_rules(p_tenant, p->'rules');
  END IF;
  e := jsonb_populate_record(NULL::operation, p->'operation');
  UPDATE operation o SET
    state = e.state, tx_outcome = e.tx_outcome, fault_code = e.fault_code, fault_message = e.fault_message, fault_hint = e.fault_hint,
    reasons = e.reasons, outcome_record_id = e.outcome_record_id, approval_refs = e.approval_refs, updated_at = now_ms()
  WHERE o.operation_id = e.operation_id AND o.state = 'held'
  RETURNING o.* INTO e;
  IF NOT FOUND THEN PERFORM decide_again('operation'); END IF;
  IF p ? 'rules' THEN PERFORM assert_unfrozen(p_tenant, e.agent_id, e.tool_id, e.capability_token_id); END IF;
  PERFORM close_approval(p->'approval');
  PERFORM post_records(p_tenant, p->'records');
  PERFORM forget_effect(e.operation_id);
  RETURN to_jsonb(e);
END $$;

-- Asks for the end of a call that runs: its executor is told, and what it reports is rolled back. Returns {operation, recorded}: the first
-- to ask leaves a record. Null for a call that doesn't run.
CREATE FUNCTION kernel.request_cancel(p_tenant text, p_operation text, p_records jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO v FROM operation o WHERE o.operation_id = p_operation AND o.state IN ('performing', 'performed') FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF v.cancel_requested THEN RETURN jsonb_build_object('operation', to_jsonb(v), 'recorded', false); END IF;
  UPDATE operation o SET cancel_requested = true, updated_at = now_ms() WHERE o.operation_id = p_operation RETURNING o.* INTO v;
  PERFORM post_records(p_tenant, p_records);
  RETURN jsonb_build_object('operation', to_jsonb(v), 'recorded', true);
END $$;

-- Held calls whose time is over, of all tenants, oldest first.
CREATE FUNCTION kernel.overdue_approvals(p_limit integer) RETURNS TABLE (tenant_id text, approval_id text)
LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  SELECT a.tenant_id, a.approval_id FROM approval a WHERE a.state = 'pending' AND a.expires_at <= now_ms() ORDER BY a.expires_at LIMIT p_limit;
$$;

GRANT EXECUTE ON FUNCTION
  kernel.facts, kernel.decide_again, kernel.assert_decided_on, kernel.assert_remembered, kernel.reserve, kernel.post_records, kernel.admit,
  kernel.held_call, kernel.close_approval, kernel.readmit, kernel.end_held, kernel.request_cancel TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.overdue_approvals TO writ_kernel_worker;
