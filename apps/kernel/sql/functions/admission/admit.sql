-- Writes the decision about a proposed call in one transaction: operation, idempotency key, approval, payload, record
-- and reservation. Returns the row of the operation.
--
-- p_args: the sealed arguments, null where they are stored by reference. p_salt: the sealed salt of the arguments'
-- hash. p_fingerprint: a digest of the arguments. It is null where the call claims no idempotency key; a refusal claims
-- none.
--
-- p holds:
--   operation    the columns of the row
--   key          base64, the wrapped key that the payload is sealed under; absent where the database has it already
--   own_token    the token that the caller named, where the call is admitted under a session grant's token; else null
--   args_ref     where arguments that are stored by reference are, or null
--   rules        what the call was decided under, as kernel.assert_rules takes it
--   labels       the labels that the call adds, [text]
--   chain        the ids of the token's chain for an admitted or held call; null for a refusal
--   head         the workspace's head, where the call depends on it; else null
--   versions     the external versions that the call depends on, as kernel.external_versions_hold takes them; or absent
--   remembered   as kernel.assert_remembered takes it, where the call was decided on cached facts; or absent
--   approval     {approval_id, action_digest, of, quorum, expires_at, demands, escalations, reminders} for a held call;
--                else null
--   preview      {limits, reserved} for a held call that runs in a preview first; else null
--   reserve      as kernel.reserve takes it
--   records      as kernel.post_records takes them
-- A refusal asserts no facts but the rules, and it reserves nothing.
--
-- Raises:
--   WR001  a fact has changed since it was read: idempotency, operation, rules, past, external version, freeze, key, token,
--          workspace, budget, or one of kernel.assert_remembered. The caller reads the facts and decides again, five
--          times at most. Sent twice, the call raises WR001 `operation`, and the caller returns the decision that
--          exists.
--   WR002  another tenant has the operation id. The caller answers `conflict`.
--   WR005  the payload key is gone or retired. The caller makes a new one and decides again.
--   WR006  the tool has another definition by now. The caller decides again.
--
-- Locks, in this order: the rules of the deployment and of the tenant (shared), the session where the call counts what
-- the session did, the idempotency key, the operation, labels, external versions by name (shared), the workspace's row
-- (shared), the payload key (shared), and budgets last.
--
-- An admission on cached facts asserts them with one statement, kernel.stands_remembered, where it can. Each statement
-- that PL/pgSQL runs costs a set-up, and these are most of the time that an admission takes (ADR 0086).
CREATE OR REPLACE FUNCTION kernel.admit(p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea)
RETURNS json
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
  -- kernel.stands_remembered can assert the facts: the rules count nothing, no room in the queue is asked for.
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
    -- Waits for a transaction that claims the same key. When that one commits, this call is a replay.
    INSERT INTO idempotency (tenant_id, agent_id, tool_id, idempotency_key, operation_id, args_fingerprint, capability_token_id)
    VALUES (p_tenant, o.agent_id, o.tool_id, o.idempotency_key, o.operation_id, p_fingerprint, coalesce(p->>'own_token', o.capability_token_id))
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN PERFORM decide_again('idempotency'); END IF;
  END IF;
  INSERT INTO operation AS made (
    operation_id, tenant_id, agent_id, tool_id, capability_token_id, workspace_id, session_id, session_mode, proposed_by, proposal_digest,
    state, mutating, lane, task_class, scheduling_class, autonomy_mode, risk_score, risk_basis, reasons, redactions, provenance, precondition_refs, idempotency_key,
    state_snapshot_id, policy_hash, tool_definition_digest, resource_ids, args_hash, action_digest, image_digest, limits, reserved, deadline, approval_id, approval_refs,
    tx_outcome, fault_code, fault_message, fault_hint, decision_record_id, decision_hash, traceparent, proposers, person, data_subject, payload_key, retention)
  VALUES (
    o.operation_id, p_tenant, o.agent_id, o.tool_id, o.capability_token_id, o.workspace_id, o.session_id, o.session_mode, o.proposed_by, o.proposal_digest,
    o.state, o.mutating, o.lane, o.task_class, coalesce(o.scheduling_class, 'interactive'), o.autonomy_mode, o.risk_score, o.risk_basis, o.reasons, o.redactions, o.provenance, o.precondition_refs, o.idempotency_key,
    o.state_snapshot_id, o.policy_hash, o.tool_definition_digest, coalesce(o.resource_ids, '{}'), o.args_hash, o.action_digest, o.image_digest, o.limits, o.reserved, o.deadline, o.approval_id, o.approval_refs,
    o.tx_outcome, o.fault_code, o.fault_message, o.fault_hint, o.decision_record_id, o.decision_hash, o.traceparent, coalesce(o.proposers, '{}'), o.person, o.data_subject, o.payload_key,
    CASE WHEN o.retention = 'hashes' OR (SELECT n.payload_mode FROM tenant n WHERE n.tenant_id = p_tenant) = 'hashes' THEN 'hashes' ELSE 'full' END)
  ON CONFLICT DO NOTHING
  RETURNING made.* INTO o;
  IF NOT FOUND THEN
    -- A row of this tenant is visible: the call was sent twice, and there is a decision to return. A row of another
    -- tenant is hidden by row-level security and always will be.
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
  IF NOT stands AND o.state IN ('admitted', 'held') AND NOT tool_stands(o) THEN RAISE EXCEPTION 'the facts moved: tool' USING ERRCODE = 'WR006'; END IF;
  IF p->'labels' <> '[]' THEN PERFORM put_labels(o, p->'labels'); END IF;
  IF p ? 'versions' AND NOT external_versions_hold(p_tenant, p->'versions') THEN PERFORM decide_again('external version'); END IF;
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
    INSERT INTO approval (approval_id, tenant_id, operation_id, action_digest, autonomy_mode, of, state, reasons, expires_at, quorum, demands, escalations, reminders)
    SELECT a.approval_id, p_tenant, o.operation_id, a.action_digest, o.autonomy_mode, coalesce(a.of, 'action'), 'pending', o.reasons, a.expires_at, coalesce(a.quorum, 1),
      a.demands, a.escalations, coalesce(a.reminders, '{}')
    FROM jsonb_to_record(p->'approval') AS a(approval_id text, action_digest text, of text, expires_at bigint, quorum integer,
      demands jsonb, escalations jsonb, reminders bigint[]);
  END IF;
  IF jsonb_typeof(p->'preview') = 'object' THEN PERFORM begin_preview(o, p->'preview'); END IF;
  PERFORM post_records(p_tenant, p->'records');
  PERFORM reserve(p->'reserve');
  -- json, not jsonb: nothing reads it here, and a jsonb would have to be turned into text to be sent.
  RETURN to_json(o);
END $$;
GRANT EXECUTE ON FUNCTION kernel.admit(text, jsonb, bytea, bytea, bytea) TO writ_kernel;
