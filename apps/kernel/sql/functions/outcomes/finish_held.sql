-- Commits the staged effect of a held call that a person approved: held → performed → committed, or no_op.
-- The call's decision is replaced by the one made at approval. One transaction; any verdict but `done` wrote nothing.
--
-- p: as for kernel.finish, with `held`:
--   operation: columns of the new decision
--   approval: as kernel.close_approval reads it
--   effect_digest: the effect that the person saw
--   rules: as kernel.assert_rules reads them
--   labels: labels that the call puts on its session and workspace
--   said: reasons for the caller, appended to those that held the call
--   records: as kernel.post_records reads them
--   spend: what the approval costs beyond what is settled, as kernel.spend reads it
-- p_result, p_payload, p_sig and the reply: as for kernel.finish.
--
-- Raises WR001 where rules, effect or approval changed, or a budget is used up; also where the API key that proposed
-- the call was revoked (`key`). Raises WR006 where the tool changed. The caller then reads the held call again. WR003,
-- WR004: as for kernel.finish.
-- Locks: rules (shared), session (by kernel.assert_rules), those of kernel.finish, approval, preview, budgets.
CREATE OR REPLACE FUNCTION kernel.finish_held(p jsonb, p_result bytea, p_payload bytea, p_sig bytea) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v jsonb;
  n operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true), hold_rules(p ->> 'tenant_id');
  PERFORM assert_rules(p ->> 'tenant_id', p #> '{held,rules}');
  v := finish(p, p_result, p_payload, p_sig);
  IF v ->> 'verdict' <> 'done' THEN RETURN v; END IF;
  n := jsonb_populate_record(NULL::operation, p #> '{held,operation}');
  UPDATE operation o SET
    autonomy_mode = n.autonomy_mode, risk_score = n.risk_score, risk_basis = n.risk_basis, policy_hash = n.policy_hash,
    tool_definition_digest = n.tool_definition_digest, state_snapshot_id = n.state_snapshot_id, action_digest = n.action_digest, image_digest = n.image_digest,
    approval_refs = n.approval_refs, approvers = coalesce(n.approvers, 0), demands_met = n.demands_met, decision_record_id = n.decision_record_id, decision_hash = n.decision_hash, reasons = o.reasons || coalesce(p #> '{held,said}', '[]')
    WHERE o.operation_id = p ->> 'operation_id' RETURNING o.* INTO n;
  IF n.key_revoked THEN PERFORM decide_again('key'); END IF;
  PERFORM 1 FROM approval a WHERE a.approval_id = n.approval_id AND a.effect_digest = p #>> '{held,effect_digest}';
  IF NOT FOUND THEN PERFORM decide_again('effect'); END IF;
  PERFORM close_approval(p #> '{held,approval}');
  IF p #> '{held,labels}' <> '[]' THEN PERFORM put_labels(n, p #> '{held,labels}'); END IF;
  PERFORM post_records(n.tenant_id, p #> '{held,records}');
  PERFORM forget_effect(n.operation_id);
  PERFORM spend(p #> '{held,spend}');
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(n));
END $$;
GRANT EXECUTE ON FUNCTION kernel.finish_held(jsonb, bytea, bytea, bytea) TO writ_kernel;
