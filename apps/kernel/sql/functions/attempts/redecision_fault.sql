-- Returns why a call can't get the decision of its re-evaluation now; null if it can. For kernel.run_again and
-- kernel.replace_decision, which have locked the rules and the operation.
--
-- p_operation: the call; p_rules: those that it was decided under, as kernel.rules_in_force returns them, without a
-- history; p_now: in ms since the epoch.
--
-- `frozen`: a freeze covers the call. `token.revoked`, `token.expired`: its chain can't be used any more. `again`: other
-- rules are in force.
CREATE OR REPLACE FUNCTION kernel.redecision_fault(p_operation kernel.operation, p_rules jsonb, p_now bigint) RETURNS text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation := p_operation;
  fault text;
BEGIN
  IF freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN RETURN 'frozen'; END IF;
  fault := chain_fault(op.capability_token_id, p_now);
  IF fault IS NOT NULL THEN RETURN fault; END IF;
  IF rules_in_force(op.tenant_id, coalesce(op.session_id, op.capability_token_id), op.workspace_id, NULL) IS DISTINCT FROM p_rules THEN
    RETURN 'again';
  END IF;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.redecision_fault(kernel.operation, jsonb, bigint) TO writ_kernel;
