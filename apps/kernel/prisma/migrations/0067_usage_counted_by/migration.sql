-- Who counted what a call used in its sandbox, of a call whose effect waits for a person: its outcome says so when a
-- person has decided (ADR 0107). Of every other call the report that ends it says so.
ALTER TABLE kernel.operation ADD COLUMN usage_counted_by text CHECK (usage_counted_by IN ('host', 'agent'));

-- As in 0010, and `hold` says who counted: {approval {…}, decision_hash, usage_counted_by}. A kernel of the version
-- before leaves that out, and nothing is claimed then.
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
    (approval_id, tenant_id, operation_id, action_digest, autonomy_mode, of, state, reasons, effect_digest, expires_at, quorum)
  SELECT a.approval_id, n.tenant_id, n.operation_id, a.action_digest, a.autonomy_mode, 'effect', 'pending', a.reasons,
    a.effect_digest, a.expires_at, coalesce(a.quorum, 1)
  FROM jsonb_to_record(p #> '{hold,approval}') AS a(approval_id text, action_digest text, autonomy_mode text,
    effect_digest text, expires_at bigint, reasons jsonb, quorum integer);
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(n));
END $$;
