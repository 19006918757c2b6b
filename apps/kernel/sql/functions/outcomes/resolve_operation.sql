-- Resolves an ambiguous operation, once: writes a person's verdict, its signed record and the settlement in one
-- transaction. What the operation used is unknown, so all that it reserved counts as used. Otherwise losing an executor
-- would be a way to get around a budget.
--
-- p: {operation_id, outcome, note, resolved_by, record {record_id, keyid}}. p_payload, p_sig: the bytes of the record
-- and its signature.
--
-- Returns {operation, recorded}. `recorded` is false where the operation was resolved before or isn't ambiguous;
-- nothing was written then. Returns null where the tenant has no such operation.
--
-- Locks: the operation, then budgets last.
CREATE OR REPLACE FUNCTION kernel.resolve_operation(p_tenant text, p jsonb, p_payload bytea, p_sig bytea) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation;
  done  operation;
  links text[];
  t     bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT * INTO op FROM operation WHERE operation_id = p ->> 'operation_id' FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF op.state <> 'ambiguous' OR op.resolution IS NOT NULL THEN
    RETURN jsonb_build_object('operation', to_jsonb(op), 'recorded', false);
  END IF;
  t := now_ms();
  SELECT l.chain INTO links FROM token l WHERE l.capability_token_id = op.capability_token_id;
  UPDATE operation SET
    resolution = p ->> 'outcome', resolution_note = p ->> 'note', resolved_at = t, resolved_by = p ->> 'resolved_by',
    resolution_record_id = p #>> '{record,record_id}', budget_delta = op.reserved, reserved = '{}', updated_at = t
    WHERE operation_id = op.operation_id
    RETURNING * INTO done;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (done.resolution_record_id, op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, t);
  PERFORM settle(links, op.reserved, op.reserved);
  RETURN jsonb_build_object('operation', to_jsonb(done), 'recorded', true);
END $$;
GRANT EXECUTE ON FUNCTION kernel.resolve_operation(text, jsonb, bytea, bytea) TO writ_kernel;
