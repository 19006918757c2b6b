-- Whom the content of a call is about, by an id of the caller's: content can be erased by it. No record names it, and an erased call names it no more.
ALTER TABLE kernel.operation ADD COLUMN data_subject text;
COMMENT ON COLUMN kernel.operation.data_subject IS 'an id of the caller''s for the person whose data the call holds; null: none was named, and it counts as its agent''s';
CREATE INDEX operation_by_subject ON kernel.operation (tenant_id, data_subject, created_at, operation_id) WHERE data_subject IS NOT NULL;

ALTER TABLE kernel.erasure ADD COLUMN subject text;
ALTER TABLE kernel.erasure DROP CONSTRAINT erasure_selector_check, DROP CONSTRAINT names_what_it_selects;
ALTER TABLE kernel.erasure
  ADD CONSTRAINT erasure_selector_check CHECK (selector IN ('operation', 'session', 'subject', 'before')),
  ADD CONSTRAINT names_what_it_selects CHECK ((operation_id IS NOT NULL) = (selector = 'operation') AND (session_id IS NOT NULL) = (selector = 'session') AND (subject IS NOT NULL) = (selector = 'subject'));

-- As in 0031, with calls by subject. Calls that name none are their agent's, and each of both has its index.
CREATE OR REPLACE FUNCTION kernel.calls_to_erase(e kernel.erasure, p_rows integer) RETURNS SETOF kernel.operation LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  IF e.selector = 'operation' THEN
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.operation_id = e.operation_id AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id);
  ELSIF e.selector = 'session' THEN
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.session_id = e.session_id AND o.created_at < e.until
      AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows;
  ELSIF e.selector = 'subject' THEN
    RETURN QUERY
      (SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.data_subject = e.subject AND o.created_at < e.until
        AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows)
      UNION ALL
      (SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.agent_id = e.subject AND o.data_subject IS NULL AND o.created_at < e.until
        AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows)
      ORDER BY created_at, operation_id LIMIT p_rows;
  ELSE
    RETURN QUERY SELECT o.* FROM operation o WHERE o.tenant_id = e.tenant_id AND o.created_at < e.until
      AND (o.created_at, o.operation_id) > (e.passed_at, e.passed_id) ORDER BY o.created_at, o.operation_id LIMIT p_rows;
  END IF;
END $$;

CREATE FUNCTION kernel.forget_subject() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  NEW.data_subject := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER operation_erased BEFORE UPDATE OF erased ON kernel.operation FOR EACH ROW
  WHEN (NEW.erased IS NOT NULL AND NEW.data_subject IS NOT NULL) EXECUTE FUNCTION kernel.forget_subject();

-- As in 0002, with the subject.
CREATE OR REPLACE FUNCTION kernel.admit(p_tenant text, p jsonb, p_args bytea, p_salt bytea, p_fingerprint bytea) RETURNS json
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  o operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  PERFORM assert_rules(p_tenant, p->'rules');
  o := jsonb_populate_record(NULL::operation, p->'operation');
  IF p ? 'remembered' THEN PERFORM assert_remembered(o, p->'remembered'); END IF;
  IF p_fingerprint IS NOT NULL THEN
    -- Waits for another that is claiming the same key: when that one commits, this is a replay.
    INSERT INTO idempotency (tenant_id, agent_id, tool_id, idempotency_key, operation_id, args_fingerprint, capability_token_id)
    VALUES (p_tenant, o.agent_id, o.tool_id, o.idempotency_key, o.operation_id, p_fingerprint, coalesce(p->>'own_token', o.capability_token_id))
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN PERFORM decide_again('idempotency'); END IF;
  END IF;
  INSERT INTO operation AS made (
    operation_id, tenant_id, agent_id, tool_id, capability_token_id, workspace_id, session_id, session_mode, proposed_by, proposal_digest,
    state, mutating, lane, task_class, autonomy_mode, risk_score, risk_basis, reasons, provenance, precondition_refs, idempotency_key,
    state_snapshot_id, policy_hash, tool_definition_digest, args_hash, action_digest, image_digest, limits, reserved, deadline, approval_id, approval_refs,
    tx_outcome, fault_code, fault_message, fault_hint, decision_record_id, decision_hash, traceparent, proposers, data_subject)
  VALUES (
    o.operation_id, p_tenant, o.agent_id, o.tool_id, o.capability_token_id, o.workspace_id, o.session_id, o.session_mode, o.proposed_by, o.proposal_digest,
    o.state, o.mutating, o.lane, o.task_class, o.autonomy_mode, o.risk_score, o.risk_basis, o.reasons, o.provenance, o.precondition_refs, o.idempotency_key,
    o.state_snapshot_id, o.policy_hash, o.tool_definition_digest, o.args_hash, o.action_digest, o.image_digest, o.limits, o.reserved, o.deadline, o.approval_id, o.approval_refs,
    o.tx_outcome, o.fault_code, o.fault_message, o.fault_hint, o.decision_record_id, o.decision_hash, o.traceparent, coalesce(o.proposers, '{}'), o.data_subject)
  ON CONFLICT DO NOTHING
  RETURNING made.* INTO o;
  IF NOT FOUND THEN
    -- Of this tenant: sent twice at once, and now there is a decision to return. Of another: it can't be seen, and never will be.
    IF EXISTS (SELECT 1 FROM operation seen WHERE seen.operation_id = p#>>'{operation,operation_id}') THEN PERFORM decide_again('operation'); END IF;
    RAISE EXCEPTION 'the operation id is taken' USING ERRCODE = 'WR002';
  END IF;
  IF p->'labels' <> '[]' THEN PERFORM put_labels(o, p->'labels'); END IF;
  IF p ? 'versions' AND NOT versions_hold(p_tenant, p->'versions') THEN PERFORM decide_again('resource'); END IF;
  IF jsonb_typeof(p->'chain') = 'array' THEN
    PERFORM assert_unfrozen(p_tenant, o.agent_id, o.tool_id, o.capability_token_id);
    PERFORM assert_decided_on(p->'chain', o.workspace_id, p->>'head');
  END IF;
  INSERT INTO payload (operation_id, tenant_id, args, args_ref, salt) VALUES (o.operation_id, p_tenant, p_args, nullif(p->'args_ref', 'null'), p_salt);
  IF jsonb_typeof(p->'approval') = 'object' THEN
    INSERT INTO approval (approval_id, tenant_id, operation_id, action_digest, autonomy_mode, of, state, reasons, expires_at, quorum)
    SELECT a.approval_id, p_tenant, o.operation_id, a.action_digest, o.autonomy_mode, coalesce(a.of, 'action'), 'pending', o.reasons, a.expires_at, coalesce(a.quorum, 1)
    FROM jsonb_to_record(p->'approval') AS a(approval_id text, action_digest text, of text, expires_at bigint, quorum integer);
  END IF;
  IF jsonb_typeof(p->'preview') = 'object' THEN PERFORM begin_preview(o, p->'preview'); END IF;
  PERFORM post_records(p_tenant, p->'records');
  PERFORM reserve(p->'reserve');
  -- As text at once: it is read by nobody here, and a jsonb of it would be taken apart again to be sent.
  RETURN to_json(o);
END $$;
