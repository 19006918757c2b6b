-- Keys of calls. What a call was given and returned is sealed under the key of the one it is about: the person whom the caller named, else its session. A key goes in the
-- transaction that erases the last of its calls, and no copy of what it sealed opens any more. Calls of before are under their tenant's key, and stay so.

CREATE TABLE kernel.payload_key (
  -- drawn by the kernel, 128 random bits; it names nobody, and neither does the row
  key_id     text PRIMARY KEY,
  tenant_id  text NOT NULL,
  -- under the tenant's data key: nonce, ciphertext, tag
  sealed     bytea NOT NULL,
  created_at bigint NOT NULL DEFAULT kernel.now_ms(),
  -- no call is admitted under it from then on
  until      bigint NOT NULL
);
COMMENT ON TABLE kernel.payload_key IS 'what the content of calls is sealed under; in no backup that is kept for longer than content may be';
ALTER TABLE kernel.payload_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.payload_key FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.payload_key TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE, UPDATE (until) ON kernel.payload_key TO writ_kernel;

-- Beside the call for whoever seals more of it; beside the content for whoever asks if a key still seals any. The row of a call is updated at each step, so the index is there.
ALTER TABLE kernel.operation ADD COLUMN payload_key text;
COMMENT ON COLUMN kernel.operation.payload_key IS 'the key that its content is sealed under; null: its tenant''s';
ALTER TABLE kernel.payload ADD COLUMN key_id text;
CREATE INDEX payload_by_key ON kernel.payload (key_id) WHERE key_id IS NOT NULL AND erased_at IS NULL;

-- Puts the key of a call there, where it comes along, and keeps it there until this transaction ends. Otherwise WR001. A key admits calls for a day: one who is busy for
-- years has many keys, and each goes with its last call.
CREATE FUNCTION kernel.hold_payload_key(p_tenant text, p_key text, p_sealed bytea) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF p_sealed IS NOT NULL THEN
    INSERT INTO payload_key (key_id, tenant_id, sealed, until) VALUES (p_key, p_tenant, p_sealed, now_ms() + 86400000) ON CONFLICT DO NOTHING;
  END IF;
  -- In memory, not on the row, which every call of its holder would write else. Whoever takes keys away waits for it, and looks for calls then.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('writ.payload-key.' || p_key, 0));
  PERFORM 1 FROM payload_key k WHERE k.key_id = p_key AND k.until > now_ms();
  IF NOT FOUND THEN PERFORM decide_again('payload_key'); END IF;
END $$;

-- Takes the keys of calls that were erased just now: one that seals no other call goes, and under the others no call is admitted any more, so that they go with those they seal.
CREATE FUNCTION kernel.forget_payload_keys(p_ids text[]) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  keys text[];
  v_key text;
BEGIN
  SELECT array_agg(DISTINCT y.key_id ORDER BY y.key_id) INTO keys FROM payload y WHERE y.operation_id = ANY (p_ids) AND y.key_id IS NOT NULL;
  IF keys IS NULL THEN RETURN; END IF;
  -- Last of all that an erasure locks, and in order: whoever holds one of them waits for budgets alone. The next statement sees what they have admitted.
  FOREACH v_key IN ARRAY keys LOOP PERFORM pg_advisory_xact_lock(hashtextextended('writ.payload-key.' || v_key, 0)); END LOOP;
  DELETE FROM payload_key k WHERE k.key_id = ANY (keys) AND NOT EXISTS (SELECT 1 FROM payload y WHERE y.key_id = k.key_id AND y.erased_at IS NULL);
  UPDATE payload_key k SET until = now_ms() WHERE k.key_id = ANY (keys) AND k.until > now_ms();
END $$;
GRANT EXECUTE ON FUNCTION kernel.hold_payload_key, kernel.forget_payload_keys TO writ_kernel;

-- As in 0031, with the keys. Takes the content of calls away, wherever it stands. What is by reference goes with the next collection: nothing names it any more.
CREATE OR REPLACE FUNCTION kernel.erase_calls(p_tenant text, p_ids text[], p_erased jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  -- The tombstones first: keys are locked before operations, as everywhere.
  UPDATE idempotency i SET args_fingerprint = NULL FROM operation o WHERE o.operation_id = ANY (p_ids)
    AND i.tenant_id = p_tenant AND i.agent_id = o.agent_id AND i.tool_id = o.tool_id AND i.idempotency_key = o.idempotency_key AND i.operation_id = o.operation_id;
  -- The digest of a proposal is over its arguments, without a salt: whoever guesses them could tell. Asked about as the same operation again, the call is another one then.
  UPDATE operation o SET erased = p_erased, proposal_digest = 'erased', reasons = bare_reasons(o.reasons), fault_message = NULL, fault_hint = NULL, precondition_refs = '[]',
      resolution_note = CASE WHEN o.resolution_note IS NOT NULL THEN 'erased' END, result_ref = NULL, whole_output = NULL
    WHERE o.operation_id = ANY (p_ids);
  UPDATE payload y SET args = NULL, args_ref = NULL, salt = NULL, result = NULL, staged = NULL, requests = NULL, announced = '{}', erased_at = (p_erased->>'at')::bigint WHERE y.operation_id = ANY (p_ids);
  DELETE FROM kept_output k WHERE k.operation_id = ANY (p_ids);
  UPDATE preview v SET fault_message = NULL, would_ask_for = NULL WHERE v.operation_id = ANY (p_ids);
  UPDATE vote v SET comment = NULL FROM approval a WHERE a.operation_id = ANY (p_ids) AND v.approval_id = a.approval_id AND v.comment IS NOT NULL;
  DELETE FROM session_value s USING approval a WHERE a.operation_id = ANY (p_ids) AND s.approval_id = a.approval_id;
  UPDATE approval a SET comment = NULL, reasons = bare_reasons(a.reasons) WHERE a.operation_id = ANY (p_ids);
  PERFORM forget_payload_keys(p_ids);
END $$;

-- As in 0032, with the key that the content is sealed under.
CREATE OR REPLACE FUNCTION kernel.admit(p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea) RETURNS json
LANGUAGE plpgsql SET search_path = kernel, pg_temp SET plan_cache_mode = force_generic_plan AS $$
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
  IF p->'labels' <> '[]' THEN PERFORM put_labels(o, p->'labels'); END IF;
  IF p ? 'versions' AND NOT versions_hold(p_tenant, p->'versions') THEN PERFORM decide_again('resource'); END IF;
  IF jsonb_typeof(p->'chain') = 'array' THEN
    PERFORM assert_unfrozen(p_tenant, o.agent_id, o.tool_id, o.capability_token_id);
    PERFORM assert_decided_on(p->'chain', o.workspace_id, p->>'head');
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
