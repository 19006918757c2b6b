-- What transactions rely on beside files, and what becomes of a call whose files another call changed.

-- Re-runs of an inline call on a newer head, and what the attempts used that met a conflict there, by dimension: the reservation of the call is
-- for all its attempts.
ALTER TABLE kernel.operation
  ADD COLUMN reruns integer NOT NULL DEFAULT 0,
  ADD COLUMN spent  jsonb   NOT NULL DEFAULT '{}';

-- performing → performed → admitted: the attempt met another call's change of its files, and the call is to run again on a newer head. It keeps
-- its decision, its reservation, its approvals and its key; its attempt is over, so that a late word of its executor is fenced. p:
--   tenant_id, operation_id, seen {attempt, executor_id, nonce, reruns}; state_snapshot_id, action_digest, spent; record {record_id, keyid, digest}.
-- Anything else than was seen, a cancellation, an effect outside and a lease that has run out are `again`: the facts say what becomes of the call.
CREATE FUNCTION kernel.run_again(p jsonb, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op operation;
  t  bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true), hold_rules(p ->> 'tenant_id');
  SELECT * INTO op FROM operation o WHERE o.operation_id = p ->> 'operation_id' FOR UPDATE;
  IF NOT FOUND THEN RETURN '{"verdict":"gone"}'; END IF;
  t := now_ms();
  IF op.state <> 'performing' OR op.lane <> 'inline' OR op.effect_started OR op.cancel_requested OR op.lease_until < t
     OR op.attempt IS DISTINCT FROM (p #>> '{seen,attempt}')::integer OR op.executor_id IS DISTINCT FROM p #>> '{seen,executor_id}'
     OR op.nonce IS DISTINCT FROM p #>> '{seen,nonce}' OR op.reruns IS DISTINCT FROM (p #>> '{seen,reruns}')::integer THEN
    RETURN '{"verdict":"again"}';
  END IF;
  IF freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN RETURN '{"verdict":"frozen"}'; END IF;
  IF chain_fault(op.capability_token_id, 0) IS NOT NULL THEN RETURN '{"verdict":"token.revoked"}'; END IF;
  UPDATE operation o SET state = 'performed' WHERE o.operation_id = op.operation_id;
  UPDATE operation o SET
    state = 'admitted', reruns = o.reruns + 1, spent = p -> 'spent', state_snapshot_id = p ->> 'state_snapshot_id', action_digest = p ->> 'action_digest',
    decision_record_id = p #>> '{record,record_id}', decision_hash = p #>> '{record,digest}',
    executor_id = NULL, nonce = NULL, permit_until = NULL, lease_until = NULL, updated_at = t
    WHERE o.operation_id = op.operation_id RETURNING * INTO op;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (op.decision_record_id, op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, t);
  RETURN jsonb_build_object('verdict', 'rerun', 'operation', to_jsonb(op));
END $$;

GRANT EXECUTE ON FUNCTION kernel.run_again TO writ_kernel;
