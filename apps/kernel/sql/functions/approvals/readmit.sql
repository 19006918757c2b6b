-- Admits a held call after the re-evaluation that a person's approval starts. Returns the row of the operation, which
-- is `admitted`.
--
-- p holds:
--   operation     {operation_id, and the columns that are set below}
--   approval      as kernel.close_approval takes it
--   rules, labels, chain, head, versions, reserve, records
--                 as kernel.admit takes them
--
-- Raises WR001; the caller reads the held call and decides again:
--   operation  the call isn't held any more
--   key        the API key that proposed it was revoked
--   external version   one that it depends on has changed
-- Raises WR006 where the tenant's tool has changed (trigger kernel.assert_tool); the caller does the same.
-- It also raises those of kernel.assert_rules, kernel.assert_unfrozen, kernel.close_approval, kernel.assert_decided_on
-- and kernel.reserve.
--
-- Locks, in this order: the rules (shared), the session, the operation, the approval, delegations, labels, external versions by
-- name (shared), the workspace's row (shared), the preview, and budgets last.
CREATE OR REPLACE FUNCTION kernel.readmit(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  n operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  PERFORM assert_rules(p_tenant, p->'rules');
  n := jsonb_populate_record(NULL::operation, p->'operation');
  UPDATE operation o SET
    state = 'admitted', lane = n.lane, autonomy_mode = n.autonomy_mode, risk_score = n.risk_score, risk_basis = n.risk_basis, reasons = n.reasons, redactions = n.redactions,
    state_snapshot_id = n.state_snapshot_id, policy_hash = n.policy_hash, tool_definition_digest = n.tool_definition_digest,
    action_digest = n.action_digest, image_digest = n.image_digest, limits = n.limits, reserved = n.reserved, approval_refs = n.approval_refs, approvers = coalesce(n.approvers, 0), demands_met = n.demands_met,
    decision_record_id = n.decision_record_id, decision_hash = n.decision_hash, updated_at = now_ms()
  WHERE o.operation_id = n.operation_id AND o.state = 'held'
  RETURNING o.* INTO n;
  IF NOT FOUND THEN PERFORM decide_again('operation'); END IF;
  IF n.key_revoked THEN PERFORM decide_again('key'); END IF;
  PERFORM assert_unfrozen(p_tenant, n.agent_id, n.tool_id, n.capability_token_id);
  PERFORM close_approval(p->'approval');
  IF p->'labels' <> '[]' THEN PERFORM put_labels(n, p->'labels'); END IF;
  IF p ? 'versions' AND NOT external_versions_hold(p_tenant, p->'versions') THEN PERFORM decide_again('external version'); END IF;
  PERFORM assert_decided_on(p->'chain', n.workspace_id, p->>'head');
  PERFORM post_records(p_tenant, p->'records');
  PERFORM forget_effect(n.operation_id);
  PERFORM reserve(p->'reserve');
  RETURN to_jsonb(n);
END $$;
GRANT EXECUTE ON FUNCTION kernel.readmit(text, jsonb) TO writ_kernel;
