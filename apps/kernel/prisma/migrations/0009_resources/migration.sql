-- What transactions rely on beside files, and what becomes of a call whose files another call changed.

-- Re-runs of an inline call on a newer head, and what the attempts used that met a conflict there, by dimension: the reservation of the call is
-- for all its attempts.
ALTER TABLE kernel.operation
  ADD COLUMN reruns integer NOT NULL DEFAULT 0,
  ADD COLUMN spent  jsonb   NOT NULL DEFAULT '{}';

-- performing → performed → admitted: the attempt met another call's change of its files, and the call is to run again on a newer head, decided anew. It
-- keeps its reservation, its approvals and its key; its attempt is over, so that a late word of its executor is fenced. p:
--   tenant_id, operation_id, seen {attempt, executor_id, nonce, reruns}; decided {columns of the operation}, rules (those that it was decided under),
--   labels, spent; record {record_id, keyid, digest}.
-- Other rules, anything else than was seen, a cancellation, an effect outside and a lease that has run out are `again`: the facts say what becomes of the call.
CREATE FUNCTION kernel.run_again(p jsonb, p_payload bytea, p_sig bytea) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  op    operation;
  n     operation;
  fault text;
  t     bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p ->> 'tenant_id', true), hold_rules(p ->> 'tenant_id');
  SELECT * INTO op FROM operation o WHERE o.operation_id = p ->> 'operation_id' FOR UPDATE;
  IF NOT FOUND THEN RETURN '{"verdict":"gone"}'; END IF;
  t := now_ms();
  IF op.state <> 'performing' OR op.lane <> 'inline' OR op.effect_started OR op.cancel_requested OR op.lease_until < t
     OR op.attempt IS DISTINCT FROM (p #>> '{seen,attempt}')::integer OR op.executor_id IS DISTINCT FROM p #>> '{seen,executor_id}'
     OR op.nonce IS DISTINCT FROM p #>> '{seen,nonce}' OR op.reruns IS DISTINCT FROM (p #>> '{seen,reruns}')::integer THEN
    RETURN '{"verdict":"again"}';
  END IF;
  IF freeze_on(op.tenant_id, op.agent_id, op.tool_id, op.capability_token_id) IS NOT NULL THEN RETURN '{"verdict":"frozen"}'; END IF;
  fault := chain_fault(op.capability_token_id, t);
  IF fault IS NOT NULL THEN RETURN jsonb_build_object('verdict', fault); END IF;
  IF rules_in_force(op.tenant_id, coalesce(op.session_id, op.capability_token_id), op.workspace_id, NULL) IS DISTINCT FROM p -> 'rules' THEN
    RETURN '{"verdict":"again"}';
  END IF;
  n := jsonb_populate_record(op, p -> 'decided');
  UPDATE operation o SET state = 'performed' WHERE o.operation_id = op.operation_id;
  UPDATE operation o SET
    state = 'admitted', reruns = o.reruns + 1, spent = p -> 'spent', state_snapshot_id = n.state_snapshot_id, action_digest = n.action_digest,
    policy_hash = n.policy_hash, tool_definition_digest = n.tool_definition_digest, autonomy_mode = n.autonomy_mode, risk_score = n.risk_score,
    risk_basis = n.risk_basis, reasons = n.reasons,
    decision_record_id = p #>> '{record,record_id}', decision_hash = p #>> '{record,digest}',
    executor_id = NULL, nonce = NULL, permit_until = NULL, lease_until = NULL, updated_at = t
    WHERE o.operation_id = op.operation_id RETURNING * INTO op;
  IF p -> 'labels' <> '[]' THEN PERFORM put_labels(op, p -> 'labels'); END IF;
  INSERT INTO outbox (record_id, tenant_id, payload, keyid, sig, created_at)
    VALUES (op.decision_record_id, op.tenant_id, p_payload, p #>> '{record,keyid}', p_sig, t);
  RETURN jsonb_build_object('verdict', 'rerun', 'operation', to_jsonb(op));
END $$;

GRANT EXECUTE ON FUNCTION kernel.run_again TO writ_kernel;

-- Things outside of workspaces that calls rely on: a deployment, a ticket, a table of another system. Writ keeps no more of them than a name and a
-- version, which operators and the programs of theirs move by compare-and-swap; what the version means is between them and their agents.
CREATE TABLE kernel.resource (
  resource_id text NOT NULL UNIQUE,
  tenant_id   text NOT NULL REFERENCES kernel.tenant,
  ref         text NOT NULL,
  version     text NOT NULL CHECK (version <> 'absent'),
  created_at  bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_at  bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_by  text NOT NULL,
  PRIMARY KEY (tenant_id, ref)
);
CREATE INDEX resource_by_tenant ON kernel.resource (tenant_id, created_at, resource_id);
ALTER TABLE kernel.resource ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.resource FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.resource TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.resource TO writ_kernel;
GRANT UPDATE (version, updated_at, updated_by) ON kernel.resource TO writ_kernel;

-- Versions by name, of those resources that are there.
CREATE FUNCTION kernel.resource_versions(p_tenant text, p_refs text[]) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  RETURN (SELECT coalesce(jsonb_object_agg(r.ref, r.version), '{}') FROM resource r WHERE r.tenant_id = p_tenant AND r.ref = ANY (p_refs));
END $$;

-- A resource that isn't there has no row to lock, so its name is locked: shared by whoever relies on it, alone by whoever moves it.
CREATE FUNCTION kernel.resource_lock(p_tenant text, p_ref text) RETURNS bigint LANGUAGE sql IMMUTABLE SET search_path = kernel, pg_temp
  AS $$ SELECT hashtextextended('writ.resource.' || p_tenant || '.' || p_ref, 0) $$;

-- Answers whether the resources, [{ref, version}] with `absent` for what isn't there, have these versions; where they have, they keep them until
-- this transaction ends. To be asked after the operation's lock and before those of tokens and workspace.
CREATE FUNCTION kernel.versions_hold(p_tenant text, p_versions jsonb) RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE v record;
BEGIN
  FOR v IN SELECT x.ref, x.version FROM jsonb_to_recordset(p_versions) AS x(ref text, version text) ORDER BY x.ref LOOP
    PERFORM pg_advisory_xact_lock_shared(resource_lock(p_tenant, v.ref));
    IF coalesce((SELECT r.version FROM resource r WHERE r.tenant_id = p_tenant AND r.ref = v.ref), 'absent') <> v.version THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;

GRANT EXECUTE ON FUNCTION kernel.resource_versions, kernel.resource_lock, kernel.versions_hold TO writ_kernel;
