-- What workspaces hold, counted as their heads move, and how much they may.
-- INVARIANT (quota): no head moves to a state in which its workspace or its tenant holds more than its quota and more than before, whoever moves it. It is asked
-- in the transaction that moves the head, so that of commits at once none goes past it.

ALTER TABLE kernel.workspace
  -- entries of the head's tree (files, links and directories) and the bytes of their contents, together, as of head_seq = sized_seq; null, or of another seq: not counted yet
  ADD COLUMN files     bigint CHECK (files >= 0),
  ADD COLUMN bytes     bigint CHECK (bytes >= 0),
  ADD COLUMN sized_seq bigint,
  -- null: without bound
  ADD COLUMN files_max bigint CHECK (files_max >= 0),
  ADD COLUMN bytes_max bigint CHECK (bytes_max >= 0);
-- A workspace begins with nothing in it, whoever makes it; those that are there are counted when somebody needs to know.
ALTER TABLE kernel.workspace ALTER COLUMN files SET DEFAULT 0, ALTER COLUMN bytes SET DEFAULT 0, ALTER COLUMN sized_seq SET DEFAULT 0;

ALTER TABLE kernel.tenant
  -- of all its workspaces' heads; null: without bound
  ADD COLUMN files_max bigint CHECK (files_max >= 0),
  ADD COLUMN bytes_max bigint CHECK (bytes_max >= 0);
GRANT UPDATE (files_max, bytes_max) ON kernel.tenant TO writ_kernel;

-- Refuses as WR003 what p_what would hold beyond p_max, where that is more than it holds.
CREATE FUNCTION kernel.verify_room(p_what text, p_limit text, p_unit text, p_max bigint, p_before numeric, p_after numeric) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_after > p_max AND p_after > p_before THEN
    RAISE EXCEPTION '% would hold % %, more than its `%` of %', p_what, p_after, p_unit, p_limit, p_max USING ERRCODE = 'WR003';
  END IF;
END $$;

-- Before a head moves. WR004 where a quota stands and something of what it bounds isn't counted: who moves the head counts it (kernel.uncounted) and tries again.
CREATE FUNCTION kernel.verify_quota() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  q record;
  o record;
BEGIN
  -- Moved by a version that doesn't count.
  IF NEW.sized_seq IS DISTINCT FROM NEW.head_seq THEN NEW.files := NULL; NEW.bytes := NULL; END IF;
  IF NEW.files IS NULL OR NEW.bytes IS NULL THEN NEW.files := NULL; NEW.bytes := NULL; NEW.sized_seq := NULL; END IF;
  SELECT n.files_max, n.bytes_max INTO q FROM tenant n WHERE n.tenant_id = NEW.tenant_id;
  IF coalesce(NEW.files_max, NEW.bytes_max, q.files_max, q.bytes_max) IS NULL THEN RETURN NEW; END IF;
  IF NEW.files IS NULL THEN RAISE EXCEPTION 'what the workspace holds is not counted' USING ERRCODE = 'WR004'; END IF;
  PERFORM verify_room(format('the workspace `%s`', NEW.workspace_id), 'files_max', 'files', NEW.files_max, OLD.files, NEW.files);
  PERFORM verify_room(format('the workspace `%s`', NEW.workspace_id), 'bytes_max', 'bytes', NEW.bytes_max, OLD.bytes, NEW.bytes);
  IF coalesce(q.files_max, q.bytes_max) IS NULL THEN RETURN NEW; END IF;
  -- Heads of one tenant with a quota move one after another from here to COMMIT, so the sum is of what stands. Only as strong as rows that refer to the tenant allow.
  SELECT n.files_max, n.bytes_max INTO q FROM tenant n WHERE n.tenant_id = NEW.tenant_id FOR NO KEY UPDATE;
  SELECT coalesce(sum(w.files), 0) AS files, coalesce(sum(w.bytes), 0) AS bytes, coalesce(bool_or(w.files IS NULL), false) AS uncounted INTO o
    FROM workspace w WHERE w.tenant_id = NEW.tenant_id AND w.workspace_id <> NEW.workspace_id;
  IF o.uncounted THEN RAISE EXCEPTION 'what the tenant holds is not counted' USING ERRCODE = 'WR004'; END IF;
  PERFORM verify_room('the tenant', 'files_max', 'files', q.files_max, o.files + OLD.files, o.files + NEW.files);
  PERFORM verify_room('the tenant', 'bytes_max', 'bytes', q.bytes_max, o.bytes + OLD.bytes, o.bytes + NEW.bytes);
  RETURN NEW;
END $$;
CREATE TRIGGER workspace_quota BEFORE UPDATE OF head_snapshot_id ON kernel.workspace FOR EACH ROW EXECUTE FUNCTION kernel.verify_quota();

-- Workspaces of the tenant that aren't counted, or the one that is named if it isn't: [{workspace_id, snapshot_id, seq}].
CREATE FUNCTION kernel.uncounted(p_tenant text, p_workspace text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('workspace_id', w.workspace_id, 'snapshot_id', w.head_snapshot_id, 'seq', w.head_seq)), '[]')
    FROM workspace w WHERE w.tenant_id = p_tenant AND w.files IS NULL AND (p_workspace IS NULL OR w.workspace_id = p_workspace));
END $$;

-- What was counted at a head, if it still is the head; else whoever needs it counts again.
CREATE FUNCTION kernel.put_size(p_tenant text, p_workspace text, p_seq bigint, p_files bigint, p_bytes bigint) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE workspace w SET files = p_files, bytes = p_bytes, sized_seq = p_seq WHERE w.workspace_id = p_workspace AND w.head_seq = p_seq AND w.files IS NULL;
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.verify_room, kernel.verify_quota, kernel.uncounted, kernel.put_size TO writ_kernel;

-- As in 0003, and what the move adds is counted with it: head {…, growth {files, bytes}}; without growth what the workspace holds is not counted from then on.
CREATE OR REPLACE FUNCTION kernel.finish(p jsonb, p_result bytea, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation;
  fin   operation;
  links text[];
  fault text;
  head  jsonb := p -> 'head';
  t     bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true), hold_rules(p ->> 'tenant_id');
  SELECT * INTO op FROM operation WHERE operation_id = p ->> 'operation_id' FOR UPDATE;
  IF NOT FOUND THEN RETURN '{"verdict":"gone"}'; END IF;
  t := now_ms();
  IF p ? 'speaker' THEN
    IF op.attempt IS DISTINCT FROM (p #>> '{seen,attempt}')::integer OR op.executor_id IS DISTINCT FROM p #>> '{speaker,executor_id}'
       OR op.nonce IS DISTINCT FROM p #>> '{speaker,nonce}' THEN
      RETURN '{"verdict":"fenced"}';
    END IF;
    IF op.state <> 'performing' THEN
      RETURN jsonb_build_object('verdict', 'settled', 'state', op.state, 'tx_outcome', op.tx_outcome);
    END IF;
    IF op.lease_until < t THEN RETURN '{"verdict":"fenced"}'; END IF;
  ELSIF op.lease_until IS DISTINCT FROM (p #>> '{seen,lease_until}')::bigint THEN
    RETURN '{"verdict":"again"}';
  END IF;
  IF op.state IS DISTINCT FROM p #>> '{seen,state}' OR op.attempt IS DISTINCT FROM (p #>> '{seen,attempt}')::integer
     OR op.cancel_requested IS DISTINCT FROM (p #>> '{seen,cancel_requested}')::boolean
     OR op.effect_started IS DISTINCT FROM (p #>> '{seen,effect_started}')::boolean THEN
    RETURN '{"verdict":"again"}';
  END IF;
  -- A call that ends well ends before its deadline, unless something outside may have happened: then coming late is better than doubt.
  IF (p ->> 'chain_valid')::boolean AND op.deadline <= t AND NOT op.effect_started THEN RETURN '{"verdict":"again"}'; END IF;
  IF p ? 'rules' AND rules_in_force(op.tenant_id, coalesce(op.session_id, op.capability_token_id), op.workspace_id, NULL) IS DISTINCT FROM p -> 'rules' THEN
    RETURN '{"verdict":"again"}';
  END IF;

  IF p ? 'versions' AND NOT versions_hold(op.tenant_id, p -> 'versions') THEN RETURN '{"verdict":"again"}'; END IF;
  SELECT l.chain INTO links FROM token l WHERE l.capability_token_id = op.capability_token_id;
  IF (p ->> 'chain_valid')::boolean THEN
    IF freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN RETURN '{"verdict":"frozen"}'; END IF;
    -- Under the rules held until COMMIT: a revocation comes wholly before this commit or wholly after it.
    fault := chain_fault(op.capability_token_id, t);
    IF fault IS NOT NULL THEN RETURN jsonb_build_object('verdict', fault); END IF;
  END IF;

  IF head IS NOT NULL AND head ->> 'new_snapshot_id' IS NOT NULL THEN
    UPDATE workspace SET head_snapshot_id = head ->> 'new_snapshot_id', head_seq = head_seq + 1, updated_at = t,
      files = files + (head #>> '{growth,files}')::bigint, bytes = bytes + (head #>> '{growth,bytes}')::bigint, sized_seq = head_seq + 1
      WHERE workspace_id = op.workspace_id AND head_snapshot_id = head ->> 'snapshot_id' AND head_seq = (head ->> 'seq')::bigint;
    IF NOT FOUND THEN RETURN moved_head(op.workspace_id); END IF;
    INSERT INTO snapshot (workspace_id, seq, tenant_id, snapshot_id, parent_snapshot_id, delta_id, operation_id, created_at)
      VALUES (op.workspace_id, (head ->> 'seq')::bigint + 1, op.tenant_id, head ->> 'new_snapshot_id', head ->> 'snapshot_id', head ->> 'delta_id', op.operation_id, t);
  ELSIF head IS NOT NULL THEN
    PERFORM 1 FROM workspace WHERE workspace_id = op.workspace_id AND head_snapshot_id = head ->> 'snapshot_id' AND head_seq = (head ->> 'seq')::bigint FOR SHARE;
    IF NOT FOUND THEN RETURN moved_head(op.workspace_id); END IF;
  END IF;

  -- Every step is a transition of its own; the last one is written with all that the end brings.
  FOR n IN 0 .. jsonb_array_length(p -> 'states') - 2 LOOP
    UPDATE operation SET state = p -> 'states' ->> n WHERE operation_id = op.operation_id;
  END LOOP;
  fin := jsonb_populate_record(op, p -> 'set');
  UPDATE operation SET
    state = p -> 'states' ->> -1, tx_outcome = fin.tx_outcome, fault_code = fin.fault_code, fault_message = fin.fault_message, fault_hint = fin.fault_hint,
    reasons = fin.reasons, result_hash = fin.result_hash, result_ref = fin.result_ref, effect_digest = fin.effect_digest,
    commit_delta_id = coalesce(head ->> 'delta_id', p ->> 'outside_delta_id'), new_snapshot_id = head ->> 'new_snapshot_id', budget_delta = fin.budget_delta,
    reserved = CASE WHEN p -> 'used' = 'null' THEN op.reserved ELSE '{}' END,
    outcome_record_id = p #>> '{record,record_id}', updated_at = t
    WHERE operation_id = op.operation_id RETURNING * INTO fin;
  IF p_result IS NOT NULL THEN
    UPDATE payload SET result = p_result WHERE operation_id = op.operation_id AND erased_at IS NULL;
  END IF;
  IF p ? 'requests' THEN
    UPDATE payload SET requests = decode(p ->> 'requests', 'base64') WHERE operation_id = op.operation_id AND erased_at IS NULL;
  END IF;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (p #>> '{record,record_id}', op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, t);
  IF p -> 'used' <> 'null' THEN PERFORM settle(links, op.reserved, p -> 'used'); END IF;
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(fin));
END $$;
