-- Requests a second preview of a held call, on the present head, because its staged effect no longer applies there.
-- The approval becomes one of the action again, and votes on the stale effect no longer count. A call is previewed
-- twice at most. A call whose effect was held after its run has no preview row yet, so the row is inserted.
--
-- p has these members:
--   operation_id, approval_id
--   effect_digest: of the stale effect
--   lane, state_snapshot_id, action_digest, image_digest, limits: of the new preview
--   reserved: amounts by dimension; reserve: the same, as kernel.reserve reads it
--   rules: as kernel.assert_rules reads them
--   chain: ids of the token chain
--   records: as kernel.post_records reads them
-- Returns the operation's row.
--
-- Raises WR001 `rules`, `past`, `operation`, `freeze`, `approval`, `preview`, `token` or `budget`: the caller
-- (PreviewAgain) reads the held call again.
-- Locks: rules (shared), the session (by kernel.assert_rules), operation, approval, payload, preview, budgets.
CREATE OR REPLACE FUNCTION kernel.preview_again(p_tenant text, p jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  PERFORM assert_rules(p_tenant, p -> 'rules');
  UPDATE operation SET updated_at = now_ms() WHERE operation_id = p ->> 'operation_id' AND state = 'held' RETURNING * INTO op;
  IF NOT FOUND THEN PERFORM decide_again('operation'); END IF;
  PERFORM assert_unfrozen(p_tenant, op.agent_id, op.tool_id, op.capability_token_id);
  UPDATE approval SET of = 'action', effect_digest = NULL, asked = asked + 1
    WHERE approval_id = p ->> 'approval_id' AND state = 'pending' AND effect_digest = p ->> 'effect_digest';
  IF NOT FOUND THEN PERFORM decide_again('approval'); END IF;
  UPDATE payload SET staged = NULL WHERE operation_id = op.operation_id;
  INSERT INTO preview AS v (operation_id, tenant_id, lane, state, round, state_snapshot_id, action_digest, image_digest, limits, reserved)
  VALUES (op.operation_id, p_tenant, p ->> 'lane', 'waiting', 2, p ->> 'state_snapshot_id', p ->> 'action_digest', p ->> 'image_digest', p -> 'limits', p -> 'reserved')
  ON CONFLICT (operation_id) DO UPDATE SET state = 'waiting', round = 2, state_snapshot_id = excluded.state_snapshot_id, action_digest = excluded.action_digest,
    image_digest = excluded.image_digest, limits = excluded.limits, reserved = excluded.reserved, leases_lost = 0, effect_digest = NULL, would_ask_for = NULL,
    fault_code = NULL, fault_message = NULL, used = NULL, updated_at = now_ms()
    WHERE v.round = 1 AND v.state = 'ready';
  IF NOT FOUND THEN PERFORM decide_again('preview'); END IF;
  PERFORM assert_decided_on(p -> 'chain', op.workspace_id, NULL);
  PERFORM post_records(p_tenant, p -> 'records');
  PERFORM reserve(p -> 'reserve');
  RETURN to_jsonb(op);
END $$;
GRANT EXECUTE ON FUNCTION kernel.preview_again(text, jsonb) TO writ_kernel;
