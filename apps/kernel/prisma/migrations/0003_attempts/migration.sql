-- From admission to the end of an operation: permits, leases, commits. Each function is one round trip and one transaction; it sets the
-- tenant itself, so that row-level security holds inside. Who changes a row locks in this order, everywhere: the tenant's rules (shared), operation,
-- workspace, budget (one row at a time in id order, last before COMMIT).

-- INVARIANT (one table): the rows of libs/lifecycle, each pair once; a spec compares the two.
CREATE TABLE kernel.transition (
  from_state text NOT NULL,
  to_state   text NOT NULL,
  PRIMARY KEY (from_state, to_state)
);
INSERT INTO kernel.transition (from_state, to_state) VALUES
  ('proposed','admitted'),
  ('proposed','refused'),
  ('proposed','held'),
  ('proposed','no_op'),
  ('admitted','dispatched'),
  ('admitted','refused'),
  ('admitted','rolled_back'),
  ('held','admitted'),
  ('held','refused'),
  ('held','performed'),
  ('held','rolled_back'),
  ('held','ambiguous'),
  ('dispatched','performing'),
  ('dispatched','admitted'),
  ('dispatched','rolled_back'),
  ('performing','performed'),
  ('performing','admitted'),
  ('performing','rolled_back'),
  ('performing','ambiguous'),
  ('performed','committed'),
  ('performed','rolled_back'),
  ('performed','no_op'),
  ('performed','held'),
  ('performed','admitted'),
  ('performed','ambiguous');
GRANT SELECT ON kernel.transition TO writ_kernel, writ_kernel_worker;

CREATE FUNCTION kernel.refuse_transition() RETURNS trigger LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  before text := CASE WHEN TG_OP = 'INSERT' THEN 'proposed' ELSE OLD.state END;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM transition WHERE from_state = before AND to_state = NEW.state) THEN
    RAISE EXCEPTION 'no transition leads from % to %', before, NEW.state USING ERRCODE = 'check_violation', CONSTRAINT = 'operation_lifecycle';
  END IF;
  RETURN NEW;
END $$;
-- A row is born as `proposed` decides; only that is ever written.
CREATE TRIGGER operation_born BEFORE INSERT ON kernel.operation FOR EACH ROW EXECUTE FUNCTION kernel.refuse_transition();
CREATE TRIGGER operation_moves BEFORE UPDATE OF state ON kernel.operation FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION kernel.refuse_transition();

-- `attempt` grows with every permit; this counts the executors that were lost, and bounds the retries.
ALTER TABLE kernel.operation ADD COLUMN leases_lost integer NOT NULL DEFAULT 0;
DROP INDEX kernel.operation_waiting;
CREATE INDEX operation_waiting ON kernel.operation (lane, tenant_id, created_at, operation_id) WHERE state = 'admitted';
-- Until when a call waits for an executor: its deadline, else two days (one may have gone by with a person). A call that no executor takes, such as
-- one for an image that none has any more, must not wait and hold its budget for ever.
CREATE FUNCTION kernel.waits_until(p_deadline bigint, p_created_at bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  AS $$ SELECT coalesce(p_deadline, p_created_at + 172800000) $$;
CREATE INDEX operation_overdue ON kernel.operation (kernel.waits_until(deadline, created_at)) WHERE state = 'admitted';
-- Whoever sends a record claims it for a while, so that replicas don't send the same ones.
ALTER TABLE kernel.outbox ADD COLUMN claimed_until bigint NOT NULL DEFAULT 0;
GRANT UPDATE (claimed_until) ON kernel.outbox TO writ_kernel_worker;
-- The worker moves operations between waiting and dispatched; it ends none.
REVOKE UPDATE ON kernel.operation FROM writ_kernel_worker;
GRANT UPDATE (state, attempt, executor_id, nonce, permit_until, lease_until, leases_lost, updated_at) ON kernel.operation TO writ_kernel_worker;

-- Turns a reservation into use along a chain. Rows are updated one by one in id order: an update of several at once takes their locks in
-- any order and deadlocks. Never more is used than was reserved.
CREATE FUNCTION kernel.settle(p_chain text[], p_reserved jsonb, p_used jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  row record;
BEGIN
  IF p_reserved = '{}' THEN RETURN; END IF;
  FOR row IN
    SELECT b.capability_token_id, b.dimension, r.value::bigint AS reserved, least(r.value::bigint, coalesce((p_used ->> b.dimension)::bigint, 0)) AS used
    FROM jsonb_each_text(p_reserved) r JOIN budget b ON b.dimension = r.key
    WHERE b.capability_token_id = ANY (p_chain)
    ORDER BY b.capability_token_id, b.dimension
  LOOP
    UPDATE budget SET reserved = budget.reserved - row.reserved, used = budget.used + row.used
    WHERE capability_token_id = row.capability_token_id AND dimension = row.dimension;
  END LOOP;
END $$;

-- Takes waiting calls of a lane, round-robin over tenants from the one after p_after, or from p_after itself where p_left of its turn are left: up to `weight` of a tenant a
-- visit (twice as many each further round, so that few visits serve a tenant that waits alone), up to `cap` of it dispatched or performing, of those p_most times its weight in
-- this lane unless that is null, up to p_outstanding dispatched in the lane. A call that has waited too long stays for the sweeper.
-- Returns {calls: [...], more: whether others may still wait, place: the last tenant served, left: what is left of its turn}. Run as the worker. One at a time per lane: the
-- bounds are counts, and what another replica is just adding can't be counted.
CREATE FUNCTION kernel.dispatch(p_lane text, p_outstanding integer, p_ttl_ms bigint, p_after text, p_left integer, p_most integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t        bigint;
  room     integer;
  place    text := p_after;
  turn     integer := p_left;
  resumes  boolean := p_left > 0;
  waiting  text;
  share    integer;
  weighs   integer;
  taken    jsonb;
  calls    jsonb := '[]';
  more     boolean := false;
  round    bigint := 1;
  wrapped  boolean := false;
  progress boolean := false;
  -- Bounds one pass when thousands of tenants wait at their caps; the next pass goes on from there.
  visits   integer := 512;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('writ.dispatch.' || p_lane));
  t := now_ms();
  SELECT p_outstanding - count(*) INTO room FROM operation o WHERE o.state = 'dispatched' AND o.lane = p_lane;
  LOOP
    IF room <= 0 OR visits = 0 THEN
      more := true;
      EXIT;
    END IF;
    visits := visits - 1;
    SELECT w.tenant_id INTO waiting FROM operation w
      WHERE w.state = 'admitted' AND w.lane = p_lane AND w.tenant_id >= place AND (resumes OR w.tenant_id > place) AND kernel.waits_until(w.deadline, w.created_at) > t
      ORDER BY w.tenant_id LIMIT 1;
    IF NOT FOUND THEN
      EXIT WHEN wrapped AND NOT progress;
      -- A pass may begin in the middle, so the first time round is no whole one.
      IF wrapped THEN round := round * 2; END IF;
      wrapped := true; progress := false; place := ''; turn := 0; resumes := false;
      CONTINUE;
    END IF;
    resumes := resumes AND waiting = place;
    place := waiting;
    IF NOT resumes THEN turn := 0; END IF;
    CONTINUE WHEN stands_still(waiting);
    SELECT CASE WHEN resumes THEN turn ELSE least(n.weight * round, 1000000) END,
        least(n.cap - count(b.operation_id), p_most * n.weight - count(b.operation_id) FILTER (WHERE b.lane = p_lane))
      INTO turn, share FROM tenant n LEFT JOIN operation b ON b.tenant_id = n.tenant_id AND b.state IN ('dispatched', 'performing')
      WHERE n.tenant_id = place GROUP BY n.tenant_id, n.weight, n.cap;
    resumes := false;
    weighs := least(turn, room);
    more := more OR share < weighs;
    WITH next AS (
      SELECT w.operation_id FROM operation w
      WHERE w.state = 'admitted' AND w.lane = p_lane AND w.tenant_id = place AND kernel.waits_until(w.deadline, w.created_at) > t
        AND freeze_on(w.tenant_id, w.agent_id, w.tool_id, w.capability_token_id) IS NULL
      ORDER BY w.created_at, w.operation_id LIMIT greatest(0, least(weighs, share)) FOR UPDATE SKIP LOCKED),
    sent AS (
      UPDATE operation o SET state = 'dispatched', attempt = o.attempt + 1, permit_until = t + p_ttl_ms,
             executor_id = NULL, nonce = NULL, lease_until = NULL, updated_at = t
      FROM next WHERE o.operation_id = next.operation_id
      RETURNING o.operation_id, o.tenant_id, o.attempt, o.tool_id, o.action_digest, o.image_digest, o.traceparent)
    SELECT coalesce(jsonb_agg(to_jsonb(sent)), '[]') INTO taken FROM sent;
    calls := calls || taken;
    room := room - jsonb_array_length(taken);
    -- A turn ends with what waits: nothing is saved up.
    turn := CASE WHEN jsonb_array_length(taken) < least(weighs, share) THEN 0 ELSE turn - jsonb_array_length(taken) END;
    progress := progress OR taken <> '[]';
    -- Somebody else holds the row for a moment.
    more := more OR (taken = '[]' AND share > 0);
  END LOOP;
  RETURN jsonb_build_object('calls', calls, 'more', more, 'place', place, 'left', turn, 'issued_at', t, 'expires_at', t + p_ttl_ms);
END $$;

-- Takes back a permit that could not be published. Run as the worker.
CREATE FUNCTION kernel.undispatch(p_operation text, p_attempt integer) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  UPDATE operation SET state = 'admitted', permit_until = NULL, updated_at = now_ms()
    WHERE operation_id = p_operation AND attempt = p_attempt AND state = 'dispatched';
  RETURN FOUND;
END $$;
-- For the two counts; partial, so they hold only what is under way.
CREATE INDEX operation_under_way ON kernel.operation (tenant_id) WHERE state IN ('dispatched', 'performing');

-- dispatched → performing for one attempt, once. The same executor with the same nonce may ask again and gets the same answer.
-- A call that must not run any more is left as it is and named by the verdict: its end needs a record.
CREATE FUNCTION kernel.redeem(p_tenant text, p_operation text, p_attempt integer, p_action_digest text, p_executor text, p_nonce text, p_lease_ms bigint)
RETURNS TABLE (verdict text, operation jsonb, tokens jsonb, head jsonb, args bytea, args_ref jsonb, salt bytea, rules jsonb, now bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  op operation;
  t  bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), hold_rules(p_tenant);
  UPDATE operation o SET state = 'performing', executor_id = p_executor, nonce = p_nonce, lease_until = t + p_lease_ms, updated_at = t
    WHERE o.operation_id = p_operation AND o.state = 'dispatched' AND o.attempt = p_attempt AND o.action_digest = p_action_digest
      AND o.permit_until >= t AND (o.deadline IS NULL OR o.deadline > t) AND chain_fault(o.capability_token_id, t) IS NULL
      AND freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NULL
    RETURNING * INTO op;
  IF FOUND THEN
    verdict := 'redeemed';
  ELSE
    -- Read without a lock: a permit of the past, sent again and again, must not keep the dispatcher from its row.
    SELECT * INTO op FROM operation o WHERE o.operation_id = p_operation;
    verdict := CASE
      WHEN op.operation_id IS NULL OR op.attempt < p_attempt OR op.action_digest IS DISTINCT FROM p_action_digest THEN 'permit.invalid'
      WHEN op.attempt > p_attempt THEN 'permit.expired'
      WHEN op.state = 'performing' AND op.executor_id = p_executor AND op.nonce = p_nonce THEN 'redeemed'
      WHEN op.state = 'admitted' THEN 'permit.expired'
      WHEN op.state <> 'dispatched' THEN 'permit.spent'
      WHEN op.permit_until < t THEN 'permit.expired'
      WHEN op.deadline <= t THEN 'deadline'
      WHEN freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN 'frozen'
      ELSE coalesce(chain_fault(op.capability_token_id, t), 'permit.expired')
    END;
  END IF;
  operation := to_jsonb(op);
  now := t;
  IF verdict = 'redeemed' THEN
    SELECT jsonb_agg(to_jsonb(k) ORDER BY array_position(l.chain, k.capability_token_id)) INTO tokens
      FROM token l JOIN token k ON k.capability_token_id = ANY (l.chain) WHERE l.capability_token_id = op.capability_token_id;
    SELECT jsonb_build_object('snapshot_id', w.head_snapshot_id, 'seq', w.head_seq) INTO head FROM workspace w WHERE w.workspace_id = op.workspace_id;
    SELECT p.args, p.args_ref, p.salt INTO args, args_ref, salt FROM payload p WHERE p.operation_id = p_operation;
    rules := rules_in_force(p_tenant, coalesce(op.session_id, op.capability_token_id), op.workspace_id, NULL);
  END IF;
  RETURN NEXT;
END $$;

-- Why a chain of tokens doesn't serve any more: null, `token.revoked` or `token.expired`.
CREATE FUNCTION kernel.chain_fault(p_token text, p_now bigint) RETURNS text LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN bool_or(k.revoked_at IS NOT NULL) THEN 'token.revoked'
                WHEN bool_or((k.grant_json ->> 'expires_at')::bigint <= p_now) THEN 'token.expired' END
    FROM token l JOIN token k ON k.capability_token_id = ANY (l.chain) WHERE l.capability_token_id = p_token);
END $$;

-- Extends a lease that still lives; with p_effect it also notes, durably, that an external effect is about to start. No row: fenced.
-- `stop` says that the call must end now; then no effect is noted and none may be started, and the lease is left to run out: an executor
-- that hangs, or doesn't obey, must not keep a call for ever. An attempt has the call's own time, and two minutes beside it for what goes
-- in and out; it is counted from the last moment at which it can have begun.
CREATE FUNCTION kernel.renew(p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_lease_ms bigint, p_effect boolean)
RETURNS TABLE (lease_until bigint, stop boolean) LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), CASE WHEN p_effect THEN hold_rules(p_tenant) END;
  RETURN QUERY
    WITH speaker AS (
      SELECT o.operation_id, now_ms() AS t, o.cancel_requested OR chain_fault(o.capability_token_id, now_ms()) IS NOT NULL OR (coalesce(o.deadline <= now_ms(), false) AND NOT o.effect_started)
             OR freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL
             OR now_ms() > o.permit_until + coalesce((o.limits ->> 'wall_ms')::bigint, 0) + 120000 AS stop
      FROM operation o
      WHERE o.operation_id = p_operation AND o.state = 'performing' AND o.attempt = p_attempt AND o.executor_id = p_executor AND o.nonce = p_nonce
      FOR UPDATE)
    UPDATE operation o SET lease_until = CASE WHEN s.stop THEN o.lease_until ELSE s.t + p_lease_ms END,
           effect_started = o.effect_started OR (p_effect AND NOT s.stop), updated_at = s.t
    FROM speaker s WHERE o.operation_id = s.operation_id AND o.lease_until >= s.t
    RETURNING o.lease_until, s.stop;
END $$;

-- What an ending is decided on: the operation, its chain root first, the head, the encrypted arguments.
CREATE FUNCTION kernel.attempt_facts(p_tenant text, p_operation text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  facts jsonb;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT jsonb_build_object(
    'now', now_ms(),
    'operation', to_jsonb(o),
    'tokens', (SELECT jsonb_agg(to_jsonb(k) ORDER BY array_position(l.chain, k.capability_token_id))
               FROM token l JOIN token k ON k.capability_token_id = ANY (l.chain) WHERE l.capability_token_id = o.capability_token_id),
    'head', (SELECT jsonb_build_object('snapshot_id', w.head_snapshot_id, 'seq', w.head_seq) FROM workspace w WHERE w.workspace_id = o.workspace_id),
    'frozen', freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id),
    'args', encode(y.args, 'base64'), 'args_ref', y.args_ref,
    'rules', rules_in_force(p_tenant, coalesce(o.session_id, o.capability_token_id), o.workspace_id, NULL))
  INTO facts FROM operation o JOIN payload y ON y.operation_id = o.operation_id WHERE o.operation_id = p_operation;
  RETURN facts;
END $$;

-- Ends an operation: state, settlement, result and signed record in one transaction, or nothing. `p` holds
--   tenant_id, operation_id;
--   seen: the row as it was decided on (state, attempt, cancel_requested, effect_started, lease_until); anything else now is `again`;
--   speaker {executor_id, nonce} for a report: another's is `fenced`, one of an ended attempt gets the stored outcome (`settled`);
--   rules: those that the effect was decided under; others now are `again`;
--   chain_valid: refuse as `frozen` where a freeze covers the call, as `token.revoked` or `token.expired` where a token of the chain is;
--   head {snapshot_id, seq, new_snapshot_id|null, delta_id|null}: the head decided on, and what becomes of it; moved is `again` with the head;
--   outside_delta_id: the empty delta that a call commits which did something outside and nothing here; requests: sealed, base64, of those that asked to leave;
--   states: the path to the end, e.g. [performed, committed]; set: columns of the operation; used: by dimension, null keeps the reservation;
--   record {record_id, keyid}. The bytes of result and record come beside it.
CREATE FUNCTION kernel.finish(p jsonb, p_result bytea, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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
    UPDATE workspace SET head_snapshot_id = head ->> 'new_snapshot_id', head_seq = head_seq + 1, updated_at = t
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

CREATE FUNCTION kernel.moved_head(p_workspace text) RETURNS jsonb LANGUAGE sql VOLATILE SET search_path = kernel, pg_temp AS $$
  SELECT jsonb_build_object('verdict', 'again', 'head', jsonb_build_object('snapshot_id', w.head_snapshot_id, 'seq', w.head_seq))
  FROM workspace w WHERE w.workspace_id = p_workspace
$$;

-- What nobody spoke for in time goes back to the queue: unredeemed permits, and leases lost before any external effect while executors may
-- still be tried. Run as the worker. Returns how much came back, by lane and by whether an executor was lost.
CREATE FUNCTION kernel.requeue(p_leases_max integer, p_rows integer) RETURNS TABLE (lane text, lost boolean, count bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH unredeemed AS (
      SELECT o.operation_id FROM operation o
      WHERE o.state = 'dispatched' AND o.permit_until < t ORDER BY o.permit_until LIMIT p_rows FOR UPDATE SKIP LOCKED),
    unspoken AS (
      SELECT o.operation_id FROM operation o
      WHERE o.state = 'performing' AND o.lease_until < t AND NOT o.effect_started AND NOT o.cancel_requested AND o.leases_lost + 1 < p_leases_max
        AND freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NULL
      ORDER BY o.lease_until LIMIT p_rows FOR UPDATE SKIP LOCKED),
    stale AS (SELECT u.operation_id, false AS lost FROM unredeemed u UNION ALL SELECT u.operation_id, true FROM unspoken u),
    back AS (
      UPDATE operation o SET state = 'admitted', leases_lost = o.leases_lost + s.lost::integer, executor_id = NULL, nonce = NULL,
             permit_until = NULL, lease_until = NULL, updated_at = t
      FROM stale s WHERE o.operation_id = s.operation_id RETURNING o.lane, s.lost)
    SELECT b.lane, b.lost, count(*) FROM back b GROUP BY b.lane, b.lost;
END $$;

-- Operations that have come to an end without a report, and so need a record. Run as the worker; the tenant's role ends them.
CREATE FUNCTION kernel.overdue(p_leases_max integer, p_rows integer) RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    (SELECT o.tenant_id, o.operation_id FROM operation o
     WHERE o.state = 'performing' AND o.lease_until < t AND (o.effect_started OR o.cancel_requested OR o.leases_lost + 1 >= p_leases_max
       OR freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL)
     ORDER BY o.lease_until LIMIT p_rows)
    UNION ALL
    (SELECT o.tenant_id, o.operation_id FROM operation o WHERE o.state = 'admitted' AND kernel.waits_until(o.deadline, o.created_at) <= t
     ORDER BY kernel.waits_until(o.deadline, o.created_at) LIMIT p_rows);
END $$;

-- Claims records that nobody has sent for a while, oldest first, for one sender. Run as the worker.
CREATE FUNCTION kernel.claim_records(p_older_ms bigint, p_claim_ms bigint, p_rows integer)
RETURNS TABLE (record_id text, tenant_id text, payload bytea, keyid text, sig bytea)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH due AS (
      SELECT o.record_id FROM outbox o WHERE o.created_at < t - p_older_ms AND o.claimed_until < t
      ORDER BY o.created_at, o.record_id LIMIT p_rows FOR UPDATE SKIP LOCKED)
    UPDATE outbox x SET claimed_until = t + p_claim_ms FROM due WHERE x.record_id = due.record_id
    RETURNING x.record_id, x.tenant_id, x.payload, x.keyid, x.sig;
END $$;

-- Forgets records that the ledger has. Losing this in a crash only sends them once more, so it needn't wait for the disk. Run as the worker.
CREATE FUNCTION kernel.drop_records(p_records text[]) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM outbox WHERE record_id = ANY (p_records);
END $$;

GRANT EXECUTE ON FUNCTION
  kernel.settle, kernel.redeem, kernel.chain_fault, kernel.renew, kernel.attempt_facts, kernel.finish, kernel.moved_head TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.waits_until TO writ_kernel, writ_kernel_worker;
GRANT EXECUTE ON FUNCTION
  kernel.dispatch, kernel.undispatch, kernel.requeue, kernel.overdue, kernel.claim_records, kernel.drop_records TO writ_kernel_worker;
