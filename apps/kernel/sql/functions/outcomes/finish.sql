-- Ends an operation, or moves it towards its end: new state, settlement, result, new head and signed record are written
-- in one transaction, or nothing is. Called by the kernel (OutcomeWriter), kernel.finish_held and kernel.hold_effect.
--
-- p_result: the sealed result, null where there is none. p_payload, p_sig: bytes and signature of the record.
-- p has these members:
--   tenant_id, operation_id
--   seen: the row that the ending was decided on, {state, attempt, cancel_requested, effect_started, lease_until}
--   speaker: {executor_id, nonce}, the attempt credentials (fencing token); only where an executor reports
--   rules: the rules that the effect was decided under, as kernel.rules_in_force returns them; optional
--   versions: [{ref, version}], external versions that the call relies on, as kernel.external_versions_hold reads them; optional
--   chain_valid: true where the call may end so only while its token chain is valid and no freeze covers it
--   head: {snapshot_id, seq, new_snapshot_id, delta_id, growth}: the head that was decided on, and what becomes of it;
--     absent where no head matters. new_snapshot_id and delta_id are null where the head stays.
--     growth {files, bytes} is what the new snapshot adds. Without growth the workspace counts as uncounted.
--   outside_delta_id: the empty delta of a call that commits an effect outside and changed nothing in the workspace
--   changes: what the call does to resources, tasks and stores, as kernel.apply_changes takes it; optional
--   requests: the sealed list of outgoing requests, base64; optional
--   states: the path from the present state to the new one, e.g. ["performed", "committed"]
--   set: columns of the operation
--   used: amounts by dimension; null keeps the reservation, because the use is unknown
--   record: {record_id, keyid}
--
-- Returns {verdict}. Only `done` has written anything.
--   done       it adds `operation`, the new row
--   settled    the attempt ended before; it adds `state` and `tx_outcome`
--   fenced     the report is another attempt's, or its lease ran out
--   again      something that was decided on has changed: the caller reads the facts and decides again. Where the head
--              moved, it adds `head`.
--   gone       the tenant has no such operation
--   frozen, token.revoked, token.expired: only with chain_valid; the caller ends the call with that fault
--
-- Triggers raise:
--   WR003 where the new head exceeds a quota: the caller ends the call as `workspace.quota`
--   WR007 where the name of a resource that the call makes is taken, and 54000 where the tenant has as many as it may:
--     the caller ends the call with that fault
--   WR009 where another agent is not in the state that the call changes: the caller ends the call with that fault
--   WR031, WR032, WR033, WR035 where the change of an information store can't be published: see kernel.apply_changes
--   WR004 where a quota applies and a size is unknown: the caller counts (kernel.uncounted) and tries again
--   check_violation for a path that the lifecycle does not allow, which is a bug
--
-- Locks, in this order: rules (shared; exclusively where `changes` changes them), operation, external versions (shared), workspace, tenant (by the quota trigger, where
-- the tenant has a quota), payload, information store, budgets in id order.
CREATE OR REPLACE FUNCTION kernel.finish(p jsonb, p_result bytea, p_payload bytea, p_sig bytea) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation;
  fin   operation;
  links text[];
  fault text;
  head  jsonb := p -> 'head';
  t     bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true);
  -- Mostly a call changes no rules, and this check is cheaper.
  IF p ? 'changes' THEN PERFORM lock_rules(p ->> 'tenant_id', p -> 'changes'); ELSE PERFORM hold_rules(p ->> 'tenant_id'); END IF;
  SELECT * INTO op FROM operation WHERE operation_id = p ->> 'operation_id' FOR UPDATE;
  IF NOT FOUND THEN RETURN '{"verdict":"gone"}'; END IF;
  t := now_ms();
  IF p ? 'speaker' THEN
    IF op.attempt IS DISTINCT FROM (p #>> '{seen,attempt}')::integer OR op.executor_id IS DISTINCT FROM p #>> '{speaker,executor_id}'
       OR op.nonce IS DISTINCT FROM p #>> '{speaker,nonce}' THEN
      RETURN '{"verdict":"fenced"}';
    END IF;
    IF op.state <> 'performing' THEN
      RETURN jsonb_build_object('verdict', 'settled', 'state', op.state, 'tx_outcome', op.tx_outcome);
    END IF;
    IF op.lease_until < t THEN RETURN '{"verdict":"fenced"}'; END IF;
  ELSIF op.lease_until IS DISTINCT FROM (p #>> '{seen,lease_until}')::bigint THEN
    RETURN '{"verdict":"again"}';
  END IF;
  IF op.state IS DISTINCT FROM p #>> '{seen,state}' OR op.attempt IS DISTINCT FROM (p #>> '{seen,attempt}')::integer
     OR op.cancel_requested IS DISTINCT FROM (p #>> '{seen,cancel_requested}')::boolean
     OR op.effect_started IS DISTINCT FROM (p #>> '{seen,effect_started}')::boolean THEN
    RETURN '{"verdict":"again"}';
  END IF;
  -- After its deadline a call may end well only where an outside effect may have happened: late beats in doubt.
  IF (p ->> 'chain_valid')::boolean AND op.deadline <= t AND NOT op.effect_started THEN RETURN '{"verdict":"again"}'; END IF;
  IF p ? 'rules' AND rules_in_force(op.tenant_id, coalesce(op.session_id, op.capability_token_id), op.workspace_id, NULL) IS DISTINCT FROM p -> 'rules' THEN
    RETURN '{"verdict":"again"}';
  END IF;

  IF p ? 'versions' AND NOT external_versions_hold(op.tenant_id, p -> 'versions') THEN RETURN '{"verdict":"again"}'; END IF;
  SELECT l.chain INTO links FROM token l WHERE l.capability_token_id = op.capability_token_id;
  IF (p ->> 'chain_valid')::boolean THEN
    IF freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN RETURN '{"verdict":"frozen"}'; END IF;
    -- The rules are held until COMMIT, so a revocation comes wholly before this commit or wholly after it.
    fault := chain_fault(op.capability_token_id, t);
    IF fault IS NOT NULL THEN RETURN jsonb_build_object('verdict', fault); END IF;
  END IF;

  IF head IS NOT NULL AND head ->> 'new_snapshot_id' IS NOT NULL THEN
    UPDATE workspace SET head_snapshot_id = head ->> 'new_snapshot_id', head_seq = head_seq + 1, updated_at = t,
      files = files + (head #>> '{growth,files}')::bigint, bytes = bytes + (head #>> '{growth,bytes}')::bigint, sized_seq = head_seq + 1
      WHERE workspace_id = op.workspace_id AND head_snapshot_id = head ->> 'snapshot_id' AND head_seq = (head ->> 'seq')::bigint;
    IF NOT FOUND THEN RETURN moved_head(op.workspace_id); END IF;
    INSERT INTO snapshot (workspace_id, seq, tenant_id, snapshot_id, parent_snapshot_id, delta_id, operation_id, created_at)
      VALUES (op.workspace_id, (head ->> 'seq')::bigint + 1, op.tenant_id, head ->> 'new_snapshot_id', head ->> 'snapshot_id', head ->> 'delta_id', op.operation_id, t);
  ELSIF head IS NOT NULL THEN
    PERFORM 1 FROM workspace WHERE workspace_id = op.workspace_id AND head_snapshot_id = head ->> 'snapshot_id' AND head_seq = (head ->> 'seq')::bigint FOR SHARE;
    IF NOT FOUND THEN RETURN moved_head(op.workspace_id); END IF;
  END IF;

  -- Each state is a transition that the lifecycle trigger checks. The last one is written with everything else.
  FOR n IN 0 .. jsonb_array_length(p -> 'states') - 2 LOOP
    UPDATE operation SET state = p -> 'states' ->> n WHERE operation_id = op.operation_id;
  END LOOP;
  fin := jsonb_populate_record(op, p -> 'set');
  UPDATE operation SET
    state = p -> 'states' ->> -1, tx_outcome = fin.tx_outcome, fault_code = fin.fault_code, fault_message = fin.fault_message, fault_hint = fin.fault_hint,
    reasons = fin.reasons, result_hash = fin.result_hash, result_ref = fin.result_ref, effect_digest = fin.effect_digest,
    commit_delta_id = coalesce(head ->> 'delta_id', p ->> 'outside_delta_id'), new_snapshot_id = head ->> 'new_snapshot_id', budget_delta = fin.budget_delta,
    reserved = CASE WHEN p -> 'used' = 'null' THEN op.reserved ELSE '{}' END,
    outcome_record_id = p #>> '{record,record_id}', updated_at = t
    WHERE operation_id = op.operation_id RETURNING * INTO fin;
  IF p_result IS NOT NULL THEN
    UPDATE payload SET result = p_result WHERE operation_id = op.operation_id AND erased_at IS NULL;
  END IF;
  IF p ? 'requests' THEN
    UPDATE payload SET requests = decode(p ->> 'requests', 'base64') WHERE operation_id = op.operation_id AND erased_at IS NULL;
  END IF;
  IF p ? 'changes' THEN PERFORM apply_changes(fin, p -> 'changes'); END IF;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (p #>> '{record,record_id}', op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, t);
  IF p -> 'used' <> 'null' THEN PERFORM settle(links, op.reserved, p -> 'used'); END IF;
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(fin));
END $$;
GRANT EXECUTE ON FUNCTION kernel.finish(jsonb, bytea, bytea, bytea) TO writ_kernel;
