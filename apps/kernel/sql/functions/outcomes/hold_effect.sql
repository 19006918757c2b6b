-- Holds a call that ran, because its effect needs a person: performed → held.
-- Usage is settled, the effect stays staged, and an approval of exactly this effect is inserted.
-- p: as for kernel.finish, with `states` ["performed", "held"] and the decision that holds it as `record`; also `hold`:
--   approval: {approval_id, action_digest, autonomy_mode, effect_digest, expires_at, reasons, quorum,
--     demands, escalations, reminders}
--   decision_hash: the digest of the record
--   usage_counted_by: who counted the usage, `host` or `agent`; null where it was not counted
-- p_staged: the sealed description of the staged effect. p_payload, p_sig: the record.
--
-- Returns the verdict of kernel.finish, which also gives its errors and locks. That function stores the record's id as
-- that of an outcome; here it becomes the id of a decision, since the call is not over.
-- Raises WR006 (trigger tool_in_force_at_decision) where the tool's definition was replaced since the decision.
-- The kernel then rolls the call back as `tool.changed`.
CREATE OR REPLACE FUNCTION kernel.hold_effect(p jsonb, p_staged bytea, p_payload bytea, p_sig bytea) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v jsonb;
  n operation;
BEGIN
  v := finish(p, NULL, p_payload, p_sig);
  IF v ->> 'verdict' <> 'done' THEN RETURN v; END IF;
  UPDATE operation o SET
    approval_id = p #>> '{hold,approval,approval_id}', decision_record_id = o.outcome_record_id,
    decision_hash = p #>> '{hold,decision_hash}', outcome_record_id = NULL,
    usage_counted_by = p #>> '{hold,usage_counted_by}'
    WHERE o.operation_id = p ->> 'operation_id' RETURNING o.* INTO n;
  UPDATE payload SET staged = p_staged WHERE operation_id = n.operation_id AND erased_at IS NULL;
  INSERT INTO approval
    (approval_id, tenant_id, operation_id, action_digest, autonomy_mode, of, state, reasons, effect_digest, expires_at, quorum,
    demands, escalations, reminders)
  SELECT a.approval_id, n.tenant_id, n.operation_id, a.action_digest, a.autonomy_mode, 'effect', 'pending', a.reasons,
    a.effect_digest, a.expires_at, coalesce(a.quorum, 1), a.demands, a.escalations, coalesce(a.reminders, '{}')
  FROM jsonb_to_record(p #> '{hold,approval}') AS a(approval_id text, action_digest text, autonomy_mode text,
    effect_digest text, expires_at bigint, reasons jsonb, quorum integer, demands jsonb, escalations jsonb,
    reminders bigint[]);
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(n));
END $$;
GRANT EXECUTE ON FUNCTION kernel.hold_effect(jsonb, bytea, bytea, bytea) TO writ_kernel;
