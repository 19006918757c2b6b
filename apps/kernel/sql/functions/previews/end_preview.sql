-- Ends a preview: findings, settlement and signed record are written in one transaction. The call stays held.
-- p has these members:
--   tenant_id, operation_id, attempt
--   speaker: {executor_id, nonce}, the attempt credentials; null where the sweep ends a preview whose lease ran out
--   state: `ready`, or `failed` where there is no effect that a person could approve
--   set: {fault_code, fault_message, effect_digest, would_ask_for}
--   used: amounts by dimension
--   approval: {effect_digest, autonomy_mode, quorum, reasons, demands}; null leaves the approval one of the action
--   record: {record_id, keyid}
-- p_staged: the sealed description of the effect, null where there is nothing to show. p_payload, p_sig: the record.
--
-- With `approval`, the pending approval becomes one of exactly this effect. `asked` grows, so that votes on the action
-- no longer count; the quorum never shrinks, and neither do the demands.
--
-- Returns {verdict, operation}, of which only `done` has written anything.
--   done     ended now
--   settled  it had ended before: a report that was sent again
--   fenced   the credentials are another attempt's, or the call is no longer held. With a speaker: the lease ran out;
--            without one: it still lives. The reply has no `operation`.
-- Locks: operation, preview, payload, approval, budgets in id order.
CREATE OR REPLACE FUNCTION kernel.end_preview(p jsonb, p_staged bytea, p_payload bytea, p_sig bytea) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation;
  v     preview;
  fin   preview;
  links text[];
  t     bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true);
  SELECT * INTO op FROM operation WHERE operation_id = p ->> 'operation_id' FOR UPDATE;
  SELECT * INTO v FROM preview WHERE operation_id = op.operation_id FOR UPDATE;
  t := now_ms();
  IF v.operation_id IS NULL OR v.attempt IS DISTINCT FROM (p ->> 'attempt')::integer THEN RETURN '{"verdict":"fenced"}'; END IF;
  IF p -> 'speaker' <> 'null' THEN
    IF v.executor_id IS DISTINCT FROM p #>> '{speaker,executor_id}' OR v.nonce IS DISTINCT FROM p #>> '{speaker,nonce}' THEN RETURN '{"verdict":"fenced"}'; END IF;
    IF v.state IN ('ready', 'failed') THEN RETURN jsonb_build_object('verdict', 'settled', 'operation', to_jsonb(op)); END IF;
    IF v.state <> 'performing' OR v.lease_until < t THEN RETURN '{"verdict":"fenced"}'; END IF;
  ELSIF v.state <> 'performing' OR v.lease_until >= t THEN
    RETURN '{"verdict":"fenced"}';
  END IF;
  IF op.state <> 'held' THEN RETURN '{"verdict":"fenced"}'; END IF;
  fin := jsonb_populate_record(v, p -> 'set');
  UPDATE preview SET state = p ->> 'state', fault_code = fin.fault_code, fault_message = fin.fault_message, effect_digest = fin.effect_digest,
    would_ask_for = fin.would_ask_for, used = p -> 'used', record_id = p #>> '{record,record_id}', reserved = '{}', updated_at = t WHERE operation_id = op.operation_id;
  IF p_staged IS NOT NULL THEN UPDATE payload SET staged = p_staged WHERE operation_id = op.operation_id AND erased_at IS NULL; END IF;
  IF p -> 'approval' <> 'null' THEN
    UPDATE approval SET of = 'effect', effect_digest = p #>> '{approval,effect_digest}', autonomy_mode = p #>> '{approval,autonomy_mode}', reasons = p #> '{approval,reasons}',
      quorum = greatest(quorum, (p #>> '{approval,quorum}')::integer), asked = asked + 1,
      demands = coalesce(nullif(p #> '{approval,demands}', 'null'), demands)
      WHERE approval_id = op.approval_id AND state = 'pending';
  END IF;
  UPDATE operation SET updated_at = t WHERE operation_id = op.operation_id RETURNING * INTO op;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (p #>> '{record,record_id}', op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, t);
  SELECT l.chain INTO links FROM token l WHERE l.capability_token_id = op.capability_token_id;
  PERFORM settle(links, v.reserved, p -> 'used');
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(op));
END $$;
GRANT EXECUTE ON FUNCTION kernel.end_preview(jsonb, bytea, bytea, bytea) TO writ_kernel;
