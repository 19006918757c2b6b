-- Previews: a held call is run once without being committed, so that a person sees its effect and approves exactly that. A preview is a row of its
-- own: it moves no operation out of `held`, has attempts, permits and leases of its own, and reserves and settles a budget of its own.
-- Locks in the one order: the tenant's rules (shared), operation, preview, workspace, budgets last.

CREATE TABLE kernel.preview (
  operation_id      text PRIMARY KEY REFERENCES kernel.operation,
  tenant_id         text NOT NULL,
  lane              text NOT NULL CHECK (lane IN ('inline', 'sandboxed')),
  -- waiting → dispatched → performing → ready (its effect is staged and may be approved) | failed; abandoned: its call left `held` before
  state             text NOT NULL CHECK (state IN ('waiting', 'dispatched', 'performing', 'ready', 'failed', 'abandoned')),
  -- how often an effect was asked for: once more after the first one went stale
  round             integer NOT NULL DEFAULT 1 CHECK (round BETWEEN 1 AND 2),
  -- the state that it runs on, and the action with that state: what its permits bind to
  state_snapshot_id text NOT NULL,
  action_digest     text NOT NULL,
  image_digest      text,
  limits            jsonb NOT NULL,
  reserved          jsonb NOT NULL,
  -- fenced as an operation's attempt is; grows with every permit
  attempt           integer NOT NULL DEFAULT 0,
  leases_lost       integer NOT NULL DEFAULT 0,
  executor_id       text,
  nonce             text,
  permit_until      bigint,
  lease_until       bigint,
  started_at        bigint,
  -- the end
  fault_code        text,
  fault_message     text,
  effect_digest     text,
  -- what it would have asked for, [{kind, what}]: null before it ended
  would_ask_for     jsonb,
  used              jsonb,
  record_id         text,
  created_at        bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_at        bigint NOT NULL DEFAULT kernel.now_ms()
);
CREATE INDEX preview_waiting ON kernel.preview (lane, tenant_id, created_at, operation_id) WHERE state = 'waiting';
CREATE INDEX preview_under_way ON kernel.preview (state, tenant_id) WHERE state IN ('dispatched', 'performing');

ALTER TABLE kernel.preview ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.preview FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.preview TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
CREATE POLICY all_tenants ON kernel.preview TO writ_kernel_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON kernel.preview TO writ_kernel;
GRANT SELECT, UPDATE (state, attempt, leases_lost, executor_id, nonce, permit_until, lease_until, started_at, updated_at) ON kernel.preview TO writ_kernel_worker;

-- Of an approval of an effect: exactly that one. Contents of staged effects stay wanted while their approval is pending: they are roots of any
-- collection of garbage in the blob store.
ALTER TABLE kernel.approval ADD COLUMN effect_digest text;
ALTER TABLE kernel.approval ADD CONSTRAINT effect_named CHECK (of <> 'effect' OR effect_digest IS NOT NULL);

-- superseded: a person edited the arguments, and the call was proposed anew as another one.
ALTER TABLE kernel.approval DROP CONSTRAINT approval_state_check;
ALTER TABLE kernel.approval ADD CONSTRAINT approval_state_check CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded'));

-- Asks for the preview of a call that is being held. p: limits, reserved. The caller reserves.
CREATE FUNCTION kernel.begin_preview(o kernel.operation, p jsonb) RETURNS void LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  INSERT INTO preview (operation_id, tenant_id, lane, state, state_snapshot_id, action_digest, image_digest, limits, reserved)
  VALUES (o.operation_id, o.tenant_id, o.lane, 'waiting', o.state_snapshot_id, o.action_digest, o.image_digest, p->'limits', p->'reserved');
$$;

-- A call has left `held`: what was staged for it is forgotten, and a preview that hasn't ended is fenced and gives back what it reserved, but for
-- the time since it was redeemed. Call it last: it locks budgets.
CREATE FUNCTION kernel.forget_effect(p_operation text) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v     preview;
  t     bigint := now_ms();
  links text[];
BEGIN
  UPDATE payload SET staged = NULL WHERE operation_id = p_operation AND staged IS NOT NULL;
  SELECT * INTO v FROM preview WHERE operation_id = p_operation AND state IN ('waiting', 'dispatched', 'performing') FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE preview SET state = 'abandoned', used = spent_of(v, t), reserved = '{}', updated_at = t WHERE operation_id = p_operation;
  SELECT l.chain INTO links FROM operation o JOIN token l ON l.capability_token_id = o.capability_token_id WHERE o.operation_id = p_operation;
  PERFORM settle(links, v.reserved, spent_of(v, t));
END $$;

-- What a preview that nobody reported counts as having used: a container has one processor, so time bounds both.
CREATE FUNCTION kernel.spent_of(v kernel.preview, p_now bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN v.state = 'performing' THEN jsonb_build_object('wall_ms', p_now - v.started_at, 'cpu_ms', p_now - v.started_at) ELSE '{}' END
$$;

-- Gives up the preview of a call that goes on without it. Its own transaction: what it had reserved is there for the admission that follows.
CREATE FUNCTION kernel.abandon_preview(p_tenant text, p_operation text) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  PERFORM 1 FROM operation WHERE operation_id = p_operation FOR UPDATE;
  PERFORM forget_effect(p_operation);
END $$;

-- Takes waiting previews of a lane, the oldest of each tenant first, up to p_outstanding dispatched of either kind: runs fill twice the free slots and
-- previews get what is left of them once. One at a time per lane, with kernel.dispatch. Run as the worker.
CREATE FUNCTION kernel.dispatch_previews(p_lane text, p_outstanding integer, p_ttl_ms bigint) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  t     bigint;
  room  integer;
  calls jsonb;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM preview w WHERE w.state = 'waiting' AND w.lane = p_lane) THEN RETURN '{"calls":[],"more":false,"issued_at":0,"expires_at":0}'; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('writ.dispatch.' || p_lane));
  t := now_ms();
  room := p_outstanding - (SELECT count(*) FROM operation o WHERE o.state = 'dispatched' AND o.lane = p_lane)
    - (SELECT count(*) FROM preview w WHERE w.state = 'dispatched' AND w.lane = p_lane);
  WITH RECURSIVE waits AS (
    (SELECT w.tenant_id FROM preview w WHERE w.state = 'waiting' AND w.lane = p_lane ORDER BY w.tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT w.tenant_id FROM preview w WHERE w.state = 'waiting' AND w.lane = p_lane AND w.tenant_id > s.tenant_id ORDER BY w.tenant_id LIMIT 1)
    FROM waits s WHERE s.tenant_id IS NOT NULL),
  turns AS (
    SELECT x.operation_id, x.created_at, x.nth FROM waits s JOIN tenant n ON n.tenant_id = s.tenant_id CROSS JOIN LATERAL (
      SELECT w.operation_id, w.created_at, row_number() OVER (ORDER BY w.created_at, w.operation_id) AS nth
      FROM preview w JOIN operation c ON c.operation_id = w.operation_id
      WHERE w.state = 'waiting' AND w.lane = p_lane AND w.tenant_id = s.tenant_id AND freeze_on(c.tenant_id, c.agent_id, c.tool_id, c.capability_token_id) IS NULL
      ORDER BY w.created_at, w.operation_id
      LIMIT greatest(0, least(room, n.cap
        - (SELECT count(*) FROM operation b WHERE b.tenant_id = s.tenant_id AND b.state IN ('dispatched', 'performing'))
        - (SELECT count(*) FROM preview b WHERE b.tenant_id = s.tenant_id AND b.state IN ('dispatched', 'performing'))))) x),
  next AS (
    SELECT v.operation_id FROM preview v JOIN turns USING (operation_id) ORDER BY turns.nth, turns.created_at LIMIT greatest(0, room) FOR UPDATE OF v SKIP LOCKED),
  sent AS (
    UPDATE preview v SET state = 'dispatched', attempt = v.attempt + 1, permit_until = t + p_ttl_ms,
           executor_id = NULL, nonce = NULL, lease_until = NULL, started_at = NULL, updated_at = t
    FROM next, operation o WHERE v.operation_id = next.operation_id AND o.operation_id = v.operation_id
    RETURNING v.operation_id, v.tenant_id, v.attempt, o.tool_id, v.action_digest, v.image_digest, o.traceparent)
  SELECT coalesce(jsonb_agg(to_jsonb(sent)), '[]') INTO calls FROM sent;
  RETURN jsonb_build_object('calls', calls, 'issued_at', t, 'expires_at', t + p_ttl_ms,
    'more', EXISTS (SELECT 1 FROM preview w WHERE w.state = 'waiting' AND w.lane = p_lane));
END $$;

-- Takes back a permit that could not be published. Run as the worker.
CREATE FUNCTION kernel.undispatch_preview(p_operation text, p_attempt integer) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  UPDATE preview SET state = 'waiting', permit_until = NULL, updated_at = now_ms() WHERE operation_id = p_operation AND attempt = p_attempt AND state = 'dispatched';
  RETURN FOUND;
END $$;

-- The operation as its preview runs it.
CREATE FUNCTION kernel.previewed(o kernel.operation, v kernel.preview) RETURNS jsonb LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp AS $$
  SELECT to_jsonb(o) || jsonb_build_object('attempt', v.attempt, 'lane', v.lane, 'state_snapshot_id', v.state_snapshot_id, 'action_digest', v.action_digest,
    'image_digest', v.image_digest, 'limits', v.limits, 'reserved', v.reserved, 'executor_id', v.executor_id, 'nonce', v.nonce,
    'permit_until', v.permit_until, 'lease_until', v.lease_until)
$$;

-- dispatched → performing for one attempt of a preview, once; answers as kernel.redeem does. A call whose token no longer serves is not previewed.
CREATE FUNCTION kernel.redeem_preview(p_tenant text, p_operation text, p_attempt integer, p_action_digest text, p_executor text, p_nonce text, p_lease_ms bigint)
RETURNS TABLE (verdict text, operation jsonb, tokens jsonb, head jsonb, args bytea, args_ref jsonb, salt bytea, rules jsonb, now bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE
  op kernel.operation;
  v  preview;
  t  bigint := now_ms();
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT o.* INTO op FROM kernel.operation o WHERE o.operation_id = p_operation FOR SHARE;
  SELECT p.* INTO v FROM preview p WHERE p.operation_id = p_operation FOR UPDATE;
  verdict := CASE
    WHEN v.operation_id IS NULL OR v.attempt < p_attempt OR v.action_digest IS DISTINCT FROM p_action_digest THEN 'permit.invalid'
    WHEN v.attempt > p_attempt THEN 'permit.expired'
    WHEN v.state = 'performing' AND v.executor_id = p_executor AND v.nonce = p_nonce THEN 'redeemed'
    WHEN v.state IN ('waiting', 'abandoned') THEN 'permit.expired'
    WHEN v.state <> 'dispatched' THEN 'permit.spent'
    WHEN v.permit_until < t OR op.state <> 'held' OR freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN 'permit.expired'
    ELSE 'fresh' END;
  IF verdict = 'fresh' AND chain_fault(op.capability_token_id, t) IS NOT NULL THEN
    PERFORM forget_effect(p_operation);
    verdict := 'permit.expired';
  ELSIF verdict = 'fresh' THEN
    UPDATE preview p SET state = 'performing', executor_id = p_executor, nonce = p_nonce, lease_until = t + p_lease_ms, started_at = t, updated_at = t
      WHERE p.operation_id = p_operation RETURNING p.* INTO v;
    verdict := 'redeemed';
  END IF;
  operation := previewed(op, v);
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

-- Extends the lease of a preview; no row: fenced. Nothing outside may be begun by one, so with p_effect it is told to stop.
CREATE FUNCTION kernel.renew_preview(p_tenant text, p_operation text, p_attempt integer, p_executor text, p_nonce text, p_lease_ms bigint, p_effect boolean)
RETURNS TABLE (lease_until bigint, stop boolean) LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN QUERY
    WITH speaker AS (
      SELECT v.operation_id, now_ms() AS t, p_effect OR chain_fault(o.capability_token_id, now_ms()) IS NOT NULL
             OR freeze_on(o.tenant_id, o.agent_id, o.tool_id, o.capability_token_id) IS NOT NULL
             OR now_ms() > v.permit_until + coalesce((v.limits ->> 'wall_ms')::bigint, 0) + 120000 AS stop
      FROM preview v JOIN operation o ON o.operation_id = v.operation_id
      WHERE v.operation_id = p_operation AND v.state = 'performing' AND v.attempt = p_attempt AND v.executor_id = p_executor AND v.nonce = p_nonce
      FOR UPDATE OF v)
    UPDATE preview v SET lease_until = CASE WHEN s.stop THEN v.lease_until ELSE s.t + p_lease_ms END, updated_at = s.t
    FROM speaker s WHERE v.operation_id = s.operation_id AND v.lease_until >= s.t
    RETURNING v.lease_until, s.stop;
END $$;

-- What the end of a preview is decided on: kernel.attempt_facts of the call as previewed, with the preview and the approval that waits for it.
CREATE FUNCTION kernel.preview_facts(p_tenant text, p_operation text) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE facts jsonb;
BEGIN
  facts := attempt_facts(p_tenant, p_operation);
  RETURN (
    SELECT facts || jsonb_build_object('operation', previewed(o, v), 'preview', to_jsonb(v), 'approval', to_jsonb(a))
    FROM preview v JOIN operation o ON o.operation_id = v.operation_id LEFT JOIN approval a ON a.approval_id = o.approval_id
    WHERE v.operation_id = p_operation);
END $$;

-- Ends a preview with its record and settlement. p: tenant_id, operation_id, attempt, speaker {executor_id, nonce} | null for one that is lost,
-- state ready | failed, set {columns of the preview}, used by dimension, approval {effect_digest, autonomy_mode, reasons} | null: then the approval is of
-- the effect, record {record_id, keyid}. Returns {verdict: done | settled | fenced, operation}.
CREATE FUNCTION kernel.end_preview(p jsonb, p_staged bytea, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation;
  v     preview;
  fin   preview;
  links text[];
  t     bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true);
  SELECT * INTO op FROM operation WHERE operation_id = p ->> 'operation_id' FOR UPDATE;
  SELECT * INTO v FROM preview WHERE operation_id = op.operation_id FOR UPDATE;
  t := now_ms();
  IF v.operation_id IS NULL OR v.attempt IS DISTINCT FROM (p ->> 'attempt')::integer THEN RETURN '{"verdict":"fenced"}'; END IF;
  IF p -> 'speaker' <> 'null' THEN
    IF v.executor_id IS DISTINCT FROM p #>> '{speaker,executor_id}' OR v.nonce IS DISTINCT FROM p #>> '{speaker,nonce}' THEN RETURN '{"verdict":"fenced"}'; END IF;
    IF v.state IN ('ready', 'failed') THEN RETURN jsonb_build_object('verdict', 'settled', 'operation', to_jsonb(op)); END IF;
    IF v.state <> 'performing' OR v.lease_until < t THEN RETURN '{"verdict":"fenced"}'; END IF;
  ELSIF v.state <> 'performing' OR v.lease_until >= t THEN
    RETURN '{"verdict":"fenced"}';
  END IF;
  IF op.state <> 'held' THEN RETURN '{"verdict":"fenced"}'; END IF;
  fin := jsonb_populate_record(v, p -> 'set');
  UPDATE preview SET state = p ->> 'state', fault_code = fin.fault_code, fault_message = fin.fault_message, effect_digest = fin.effect_digest,
    would_ask_for = fin.would_ask_for, used = p -> 'used', record_id = p #>> '{record,record_id}', reserved = '{}', updated_at = t WHERE operation_id = op.operation_id;
  IF p_staged IS NOT NULL THEN UPDATE payload SET staged = p_staged WHERE operation_id = op.operation_id AND erased_at IS NULL; END IF;
  IF p -> 'approval' <> 'null' THEN
    UPDATE approval SET of = 'effect', effect_digest = p #>> '{approval,effect_digest}', autonomy_mode = p #>> '{approval,autonomy_mode}', reasons = p #> '{approval,reasons}',
      quorum = greatest(quorum, (p #>> '{approval,quorum}')::integer), asked = asked + 1
      WHERE approval_id = op.approval_id AND state = 'pending';
  END IF;
  UPDATE operation SET updated_at = t WHERE operation_id = op.operation_id RETURNING * INTO op;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (p #>> '{record,record_id}', op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, t);
  SELECT l.chain INTO links FROM token l WHERE l.capability_token_id = op.capability_token_id;
  PERFORM settle(links, v.reserved, p -> 'used');
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(op));
END $$;

-- Asks for one more preview of a call whose staged effect went stale, on the head of now. p: operation_id, approval_id, effect_digest (the stale one),
-- lane, state_snapshot_id, action_digest, image_digest, limits, reserved, rules {as kernel.assert_rules reads them}, chain, reserve [...], records [...].
CREATE FUNCTION kernel.preview_again(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
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

-- Counts what a person's yes costs beyond what was settled before: row by row in id order. Call it last.
CREATE FUNCTION kernel.spend(p_spend jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM jsonb_to_recordset(p_spend) AS x(token text, dimension text, amount bigint) ORDER BY x.token, x.dimension LOOP
    UPDATE budget b SET used = b.used + r.amount
    WHERE b.capability_token_id = r.token AND b.dimension = r.dimension AND b.reserved + b.used + r.amount <= b.bound;
    IF NOT FOUND THEN PERFORM decide_again('budget'); END IF;
  END LOOP;
END $$;

-- held → performed → committed | no_op: a person approved the staged effect. p is kernel.finish's, and `held`: {operation {columns of the new decision},
-- approval {…}, effect_digest, rules {as kernel.assert_rules reads them}, labels, records [...], spend [...]}. Anything but `done` wrote nothing.
CREATE FUNCTION kernel.finish_held(p jsonb, p_result bytea, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v jsonb;
  n operation;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true), hold_rules(p ->> 'tenant_id');
  PERFORM assert_rules(p ->> 'tenant_id', p #> '{held,rules}');
  v := finish(p, p_result, p_payload, p_sig);
  IF v ->> 'verdict' <> 'done' THEN RETURN v; END IF;
  n := jsonb_populate_record(NULL::operation, p #> '{held,operation}');
  UPDATE operation o SET
    autonomy_mode = n.autonomy_mode, risk_score = n.risk_score, risk_basis = n.risk_basis, policy_hash = n.policy_hash,
    tool_definition_digest = n.tool_definition_digest, state_snapshot_id = n.state_snapshot_id, action_digest = n.action_digest, image_digest = n.image_digest,
    approval_refs = n.approval_refs, approvers = coalesce(n.approvers, 0), decision_record_id = n.decision_record_id, decision_hash = n.decision_hash, reasons = o.reasons || coalesce(p #> '{held,said}', '[]')
    WHERE o.operation_id = p ->> 'operation_id' RETURNING o.* INTO n;
  PERFORM 1 FROM approval a WHERE a.approval_id = n.approval_id AND a.effect_digest = p #>> '{held,effect_digest}';
  IF NOT FOUND THEN PERFORM decide_again('effect'); END IF;
  PERFORM close_approval(p #> '{held,approval}');
  IF p #> '{held,labels}' <> '[]' THEN PERFORM put_labels(n, p #> '{held,labels}'); END IF;
  PERFORM post_records(n.tenant_id, p #> '{held,records}');
  PERFORM forget_effect(n.operation_id);
  PERFORM spend(p #> '{held,spend}');
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(n));
END $$;

-- performed → held: the effect of a call that ran needs a person. Settled as used; the delta stays staged. p is kernel.finish's with `states`
-- [performed, held], and `hold`: {approval {approval_id, action_digest, autonomy_mode, effect_digest, expires_at, reasons}, decision_hash}.
CREATE FUNCTION kernel.hold_effect(p jsonb, p_staged bytea, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v jsonb;
  n operation;
BEGIN
  v := finish(p, NULL, p_payload, p_sig);
  IF v ->> 'verdict' <> 'done' THEN RETURN v; END IF;
  UPDATE operation o SET
    approval_id = p #>> '{hold,approval,approval_id}', decision_record_id = o.outcome_record_id, decision_hash = p #>> '{hold,decision_hash}', outcome_record_id = NULL
    WHERE o.operation_id = p ->> 'operation_id' RETURNING o.* INTO n;
  UPDATE payload SET staged = p_staged WHERE operation_id = n.operation_id AND erased_at IS NULL;
  INSERT INTO approval (approval_id, tenant_id, operation_id, action_digest, autonomy_mode, of, state, reasons, effect_digest, expires_at, quorum)
  SELECT a.approval_id, n.tenant_id, n.operation_id, a.action_digest, a.autonomy_mode, 'effect', 'pending', a.reasons, a.effect_digest, a.expires_at, coalesce(a.quorum, 1)
  FROM jsonb_to_record(p #> '{hold,approval}') AS a(approval_id text, action_digest text, autonomy_mode text, effect_digest text, expires_at bigint, reasons jsonb, quorum integer);
  RETURN jsonb_build_object('verdict', 'done', 'operation', to_jsonb(n));
END $$;

-- Previews that nobody spoke for in time wait again, while executors may still be tried. Run as the worker. Returns how many, by lane.
CREATE FUNCTION kernel.requeue_previews(p_leases_max integer, p_rows integer) RETURNS TABLE (lane text, count bigint)
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
#variable_conflict use_column
DECLARE t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH stale AS (
      SELECT v.operation_id, v.state = 'performing' AS lost FROM preview v
      WHERE (v.state = 'dispatched' AND v.permit_until < t) OR (v.state = 'performing' AND v.lease_until < t AND v.leases_lost + 1 < p_leases_max)
      ORDER BY v.updated_at LIMIT p_rows FOR UPDATE SKIP LOCKED),
    back AS (
      UPDATE preview v SET state = 'waiting', leases_lost = v.leases_lost + s.lost::integer, executor_id = NULL, nonce = NULL,
             permit_until = NULL, lease_until = NULL, started_at = NULL, updated_at = t
      FROM stale s WHERE v.operation_id = s.operation_id RETURNING v.lane)
    SELECT b.lane, count(*) FROM back b GROUP BY b.lane;
END $$;

-- Previews that lost their last executor, and so need their end recorded. Run as the worker; the tenant's role ends them.
CREATE FUNCTION kernel.lost_previews(p_leases_max integer, p_rows integer) RETURNS TABLE (tenant_id text, operation_id text)
LANGUAGE sql SET search_path = kernel, pg_temp AS $$
  SELECT v.tenant_id, v.operation_id FROM preview v
  WHERE v.state = 'performing' AND v.lease_until < now_ms() AND v.leases_lost + 1 >= p_leases_max ORDER BY v.lease_until LIMIT p_rows
$$;

GRANT EXECUTE ON FUNCTION
  kernel.begin_preview, kernel.forget_effect, kernel.spent_of, kernel.abandon_preview, kernel.previewed, kernel.redeem_preview, kernel.renew_preview,
  kernel.preview_facts, kernel.end_preview, kernel.preview_again, kernel.spend, kernel.finish_held, kernel.hold_effect TO writ_kernel;
GRANT EXECUTE ON FUNCTION kernel.dispatch_previews, kernel.undispatch_preview, kernel.requeue_previews, kernel.lost_previews TO writ_kernel_worker;
