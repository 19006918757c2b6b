-- Sends a call back to its queue whose attempt met another call's change of the same files. The call runs again on a
-- newer head, with the decision of its re-evaluation. It keeps its reservation, its approvals and its idempotency key.
-- Its attempt is over, so a late report of the executor is fenced. Only calls of the lane `inline` run again.
--
-- p holds:
--   tenant_id, operation_id
--   seen     {attempt, executor_id, nonce, reruns}: the attempt that the re-evaluation was about
--   decided  the columns of the new decision
--   rules    those that it was decided under, as kernel.rules_in_force returns them, without a history
--   labels   [text]
--   spent    what the attempts so far used, by dimension
--   record   {record_id, keyid, digest}; p_payload and p_sig are its bytes and its signature
--
-- Returns {verdict, operation}. `operation` is there with `rerun` only. Nothing was written with any other verdict:
--   rerun    the call is `admitted` again
--   gone     the tenant has no such operation
--   again    anything differs from what was seen: other rules, another attempt, a cancellation, an external effect, or
--            a lease that has run out. The caller reads the facts again and decides on them.
--   frozen, token.revoked, token.expired
--            a freeze covers the call, or its chain can't be used any more; the caller does the same as for `again`
--
-- Raises WR006 (from the trigger kernel.assert_tool) where the tenant's tool has changed meanwhile.
--
-- Locks: the rules (shared), then the operation, then labels.
--
-- The state goes through `performed`: the attempt has run to its end. `performing` to `admitted` is for a lost attempt.
CREATE OR REPLACE FUNCTION kernel.run_again(p jsonb, p_payload bytea, p_sig bytea) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation;
  fault text;
  t     bigint;
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
  fault := redecision_fault(op, p -> 'rules', t);
  IF fault IS NOT NULL THEN RETURN jsonb_build_object('verdict', fault); END IF;
  UPDATE operation o SET state = 'performed' WHERE o.operation_id = op.operation_id;
  op := put_redecision(op, p, p_payload, p_sig, t);
  RETURN jsonb_build_object('verdict', 'rerun', 'operation', to_jsonb(op));
END $$;
GRANT EXECUTE ON FUNCTION kernel.run_again(jsonb, bytea, bytea) TO writ_kernel;
