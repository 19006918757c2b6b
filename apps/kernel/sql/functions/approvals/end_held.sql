-- Ends a held call without running it: it was denied, it expired, it was cancelled, or it was approved and then refused
-- by the re-evaluation. Returns the row of the operation. The new state is `refused`. Where an effect of a run was
-- staged it is `rolled_back`, or `ambiguous` where that run began an external effect.
--
-- p holds:
--   operation  {operation_id, state, tx_outcome, fault_code, fault_message, fault_hint, reasons, outcome_record_id,
--              approval_refs}
--   approval   as kernel.close_approval takes it
--   rules      as kernel.assert_rules takes them, where the re-evaluation refuses the call; else absent
--   records    as kernel.post_records takes them
--
-- Raises WR001 `operation` where the call isn't held any more, and those of kernel.close_approval. With `rules` it also
-- raises `rules` or `past` where others are in force, and `freeze`: under a freeze the call stays held. The caller
-- reads the held call and decides again.
--
-- Locks: the rules (shared) and the session, both only with `rules`; the operation; the approval; delegations; the
-- preview; and budgets last, where a preview gives back what it reserved.
CREATE OR REPLACE FUNCTION kernel.end_held(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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
GRANT EXECUTE ON FUNCTION kernel.end_held(text, jsonb) TO writ_kernel;
