-- Commands that wait for an image which kernels no longer choose, and that an executor left once: it lacked the image, was lost, or never took the permit.
-- Few calls are ever in this index: an executor takes nearly each with its first permit.
CREATE INDEX operation_left ON kernel.operation (updated_at)
  WHERE lane = 'sandboxed' AND ((state = 'admitted' AND attempt > 0) OR (state = 'dispatched' AND attempt > 1));

-- Run as the worker.
CREATE FUNCTION kernel.waiting_in_other_images(p_images text[], p_reruns_max integer, p_rows integer) RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT o.tenant_id, o.operation_id FROM operation o
  WHERE o.lane = 'sandboxed' AND ((o.state = 'admitted' AND o.attempt > 0) OR (o.state = 'dispatched' AND o.attempt > 1))
    AND o.image_digest <> ALL (p_images) AND o.reruns < p_reruns_max
  ORDER BY o.updated_at LIMIT p_rows
$$;

-- Puts a new decision in the place of the one that named another image, where nothing of the call has run since it was seen. A permit that is out for it is
-- fenced: it is for the state `dispatched` and for this attempt, and the next one has the next number.
CREATE FUNCTION kernel.replace_image(p jsonb, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation;
  n     operation;
  fault text;
  t     bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true), hold_rules(p ->> 'tenant_id');
  SELECT * INTO op FROM operation o WHERE o.operation_id = p ->> 'operation_id' FOR UPDATE;
  IF NOT FOUND THEN RETURN '{"verdict":"gone"}'; END IF;
  t := now_ms();
  IF op.state NOT IN ('admitted', 'dispatched') OR op.lane <> 'sandboxed' OR op.effect_started OR op.cancel_requested
     OR op.attempt IS DISTINCT FROM (p #>> '{seen,attempt}')::integer OR op.decision_record_id IS DISTINCT FROM p #>> '{seen,decision_record_id}' THEN
    RETURN '{"verdict":"again"}';
  END IF;
  IF freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN RETURN '{"verdict":"frozen"}'; END IF;
  fault := chain_fault(op.capability_token_id, t);
  IF fault IS NOT NULL THEN RETURN jsonb_build_object('verdict', fault); END IF;
  IF rules_in_force(op.tenant_id, coalesce(op.session_id, op.capability_token_id), op.workspace_id, NULL) IS DISTINCT FROM p -> 'rules' THEN
    RETURN '{"verdict":"again"}';
  END IF;
  n := jsonb_populate_record(op, p -> 'decided');
  UPDATE operation o SET
    state = 'admitted', reruns = o.reruns + 1, state_snapshot_id = n.state_snapshot_id, action_digest = n.action_digest, image_digest = n.image_digest,
    policy_hash = n.policy_hash, tool_definition_digest = n.tool_definition_digest, autonomy_mode = n.autonomy_mode, risk_score = n.risk_score,
    risk_basis = n.risk_basis, reasons = n.reasons,
    decision_record_id = p #>> '{record,record_id}', decision_hash = p #>> '{record,digest}',
    executor_id = NULL, nonce = NULL, permit_until = NULL, lease_until = NULL, updated_at = t
    WHERE o.operation_id = op.operation_id RETURNING * INTO op;
  IF p -> 'labels' <> '[]' THEN PERFORM put_labels(op, p -> 'labels'); END IF;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (op.decision_record_id, op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, t);
  RETURN jsonb_build_object('verdict', 'replaced', 'operation', to_jsonb(op));
END $$;

GRANT EXECUTE ON FUNCTION kernel.replace_image TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.waiting_in_other_images TO writ_kernel_worker;
