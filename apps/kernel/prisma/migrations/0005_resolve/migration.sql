-- What a person, or the system that an effect went to, found out about an ambiguous call. The state stays `ambiguous`: that is what Writ itself
-- knows. The finding stands beside it, is made once, moves no workspace, and ends the reservation.

ALTER TABLE kernel.operation
  ADD COLUMN resolution           text CHECK (resolution IN ('committed', 'rolled_back')),
  ADD COLUMN resolution_note      text,
  ADD COLUMN resolved_at          bigint,
  ADD COLUMN resolved_by          text,
  ADD COLUMN resolution_record_id text,
  ADD CONSTRAINT resolved_whole CHECK (
    CASE WHEN resolution IS NULL THEN num_nonnulls(resolution_note, resolved_at, resolved_by, resolution_record_id) = 0
         ELSE state = 'ambiguous' AND num_nulls(resolution_note, resolved_at, resolved_by, resolution_record_id) = 0 END);

-- What waits for somebody to find out.
CREATE INDEX operation_unresolved ON kernel.operation (tenant_id, created_at, operation_id) WHERE state = 'ambiguous' AND resolution IS NULL;

-- Resolves an ambiguous operation, once, with its signed record and the settlement in one transaction. What it used is unknown, so all that was
-- reserved counts as used: losing an executor is no way around a budget. p: operation_id, outcome, note, resolved_by, record {record_id, keyid}.
-- Returns {operation, recorded}; `recorded` is false where it was resolved before or isn't ambiguous, and then nothing was written. Null where it
-- isn't the tenant's. Locks in the one order: operation, budget rows last.
CREATE FUNCTION kernel.resolve_operation(p_tenant text, p jsonb, p_payload bytea, p_sig bytea) RETURNS jsonb
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

GRANT EXECUTE ON FUNCTION kernel.resolve_operation TO writ_kernel;
