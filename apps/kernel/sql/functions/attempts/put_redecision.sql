-- Writes the decision of a re-evaluation: the call is `admitted` under it and waits for an executor, with its labels and
-- its record. Returns the operation. For kernel.run_again and kernel.replace_decision, which have locked the rules and
-- the operation and checked both. A permit that is out for the call is fenced.
--
-- p holds, beside what they use themselves:
--   decided  the columns of the new decision; those that it hasn't stay
--   labels   [text]
--   spent    what the attempts so far used, by dimension; absent: nothing more than before
--   record   {record_id, keyid, digest}; p_payload and p_sig are its bytes and its signature
CREATE OR REPLACE FUNCTION kernel.put_redecision(p_operation kernel.operation, p jsonb, p_payload bytea, p_sig bytea, p_now bigint) RETURNS kernel.operation
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op operation;
  n  operation := jsonb_populate_record(p_operation, p -> 'decided');
BEGIN
  UPDATE operation o SET
    state = 'admitted', reruns = o.reruns + 1, spent = coalesce(p -> 'spent', o.spent), state_snapshot_id = n.state_snapshot_id,
    action_digest = n.action_digest, image_digest = n.image_digest, policy_hash = n.policy_hash,
    tool_definition_digest = n.tool_definition_digest, autonomy_mode = n.autonomy_mode, risk_score = n.risk_score,
    risk_basis = n.risk_basis, reasons = n.reasons, redactions = n.redactions,
    decision_record_id = p #>> '{record,record_id}', decision_hash = p #>> '{record,digest}',
    executor_id = NULL, nonce = NULL, permit_until = NULL, lease_until = NULL, updated_at = p_now
    WHERE o.operation_id = p_operation.operation_id RETURNING * INTO op;
  IF p -> 'labels' <> '[]' THEN PERFORM put_labels(op, p -> 'labels'); END IF;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (op.decision_record_id, op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, p_now);
  RETURN op;
END $$;
GRANT EXECUTE ON FUNCTION kernel.put_redecision(kernel.operation, jsonb, bytea, bytea, bigint) TO writ_kernel;
