-- Replaces the decision of a waiting call that is bound to a sandbox image or to a definition of its tool which this
-- deployment no longer uses. The call gets the decision of its re-evaluation and waits for an executor. Only calls that
-- haven't begun an external effect.
--
-- p holds:
--   tenant_id, operation_id
--   seen     {attempt, decision_record_id}: the state that the re-evaluation was about
--   decided  the columns of the new decision
--   rules    those that it was decided under, as kernel.rules_in_force returns them, without a history
--   labels   [text]
--   record   {record_id, keyid, digest}; p_payload and p_sig are its bytes and its signature
--
-- Returns {verdict, operation}. `operation` is there with `replaced` only. Nothing was written with any other verdict:
--   replaced  the call is `admitted` with the new decision
--   gone      the tenant has no such operation
--   again     anything differs from what was seen; the next sweep looks at the call again
--   frozen, token.revoked, token.expired
--             the caller ends the call, if it is `admitted`
--
-- Raises WR006 (from the trigger kernel.assert_tool) where the tenant's tool has changed meanwhile; the next
-- sweep looks at the call again.
--
-- Locks: the rules (shared), then the operation, then labels.
--
-- A permit that is out for the call is fenced: the call isn't `dispatched` any more, and its next attempt has another
-- number.
CREATE OR REPLACE FUNCTION kernel.replace_decision(p jsonb, p_payload bytea, p_sig bytea) RETURNS jsonb
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
  IF op.state NOT IN ('admitted', 'dispatched') OR op.effect_started OR op.cancel_requested
     OR op.attempt IS DISTINCT FROM (p #>> '{seen,attempt}')::integer OR op.decision_record_id IS DISTINCT FROM p #>> '{seen,decision_record_id}' THEN
    RETURN '{"verdict":"again"}';
  END IF;
  fault := redecision_fault(op, p -> 'rules', t);
  IF fault IS NOT NULL THEN RETURN jsonb_build_object('verdict', fault); END IF;
  op := put_redecision(op, p, p_payload, p_sig, t);
  RETURN jsonb_build_object('verdict', 'replaced', 'operation', to_jsonb(op));
END $$;
GRANT EXECUTE ON FUNCTION kernel.replace_decision(jsonb, bytea, bytea) TO writ_kernel;
