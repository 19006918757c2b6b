-- Erases the content of calls wherever it is stored. Records stay, and so do digests that were made with a salt.
-- Content that is stored by reference is deleted by the next garbage collection of blobs, since nothing refers to it
-- any more.
--
-- p_ids: the calls; the caller has locked them. p_erased: {at, erasure_id, record_id}, stored in `operation.erased`.
-- The trigger kernel.forget_subject clears the data subject.
--
-- Locks: idempotency keys, payloads, kept outputs, previews, votes, session values, approvals, and payload keys last
-- (kernel.forget_payload_keys).
CREATE OR REPLACE FUNCTION kernel.erase_calls(p_tenant text, p_ids text[], p_erased jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  -- The keys stay as tombstones: a call that uses one again is refused as `idempotency.expired`.
  UPDATE idempotency i SET args_fingerprint = NULL FROM operation o WHERE o.operation_id = ANY (p_ids)
    AND i.tenant_id = p_tenant AND i.agent_id = o.agent_id AND i.tool_id = o.tool_id AND i.idempotency_key = o.idempotency_key AND i.operation_id = o.operation_id;
  -- A proposal's digest has no salt, so it would confirm guessed arguments. Sent again, the call gets `conflict`.
  UPDATE operation o SET erased = p_erased, proposal_digest = 'erased', reasons = bare_reasons(o.reasons), fault_message = NULL, fault_hint = NULL, precondition_refs = '[]',
      resolution_note = CASE WHEN o.resolution_note IS NOT NULL THEN 'erased' END, result_ref = NULL, whole_output = NULL
    WHERE o.operation_id = ANY (p_ids);
  UPDATE payload y SET args = NULL, args_ref = NULL, salt = NULL, result = NULL, staged = NULL, requests = NULL, announced = '{}', erased_at = (p_erased->>'at')::bigint WHERE y.operation_id = ANY (p_ids);
  DELETE FROM kept_output k WHERE k.operation_id = ANY (p_ids);
  UPDATE preview v SET fault_message = NULL, would_ask_for = NULL WHERE v.operation_id = ANY (p_ids);
  UPDATE vote v SET comment = NULL FROM approval a WHERE a.operation_id = ANY (p_ids) AND v.approval_id = a.approval_id AND v.comment IS NOT NULL;
  DELETE FROM session_value s USING approval a WHERE a.operation_id = ANY (p_ids) AND s.approval_id = a.approval_id;
  UPDATE approval a SET comment = NULL, reasons = bare_reasons(a.reasons) WHERE a.operation_id = ANY (p_ids);
  PERFORM forget_payload_keys(p_ids);
END $$;
GRANT EXECUTE ON FUNCTION kernel.erase_calls(text, text[], jsonb) TO writ_kernel;
