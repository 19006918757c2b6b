-- Policy sets of tenants, which of them is in force, and the labels that calls leave on sessions and workspaces. What a call is decided under is
-- read by kernel.rules_in_force and asserted, under a lock, by the statement that writes the decision: so a change of rules comes wholly before a
-- decision or wholly after it, on every replica at once.

-- Immutable. The hash is over the completed document; one document is stored once, under the name that stands in it.
CREATE TABLE kernel.policy_set (
  tenant_id   text NOT NULL REFERENCES kernel.tenant,
  policy_hash text NOT NULL CHECK (policy_hash ~ '^[0-9a-f]{64}$'),
  name        text NOT NULL,
  -- the how manieth set of that name
  version     integer NOT NULL CHECK (version > 0),
  document    jsonb NOT NULL,
  created_by  text NOT NULL,
  created_at  bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, policy_hash),
  UNIQUE (tenant_id, name, version)
);
CREATE INDEX policy_set_by_tenant ON kernel.policy_set (tenant_id, created_at, policy_hash);

-- Appended only; the newest is in force. A tenant without one has the default set.
CREATE TABLE kernel.policy_activation (
  tenant_id    text NOT NULL,
  seq          bigint NOT NULL CHECK (seq > 0),
  policy_hash  text NOT NULL,
  activated_by text NOT NULL,
  at           bigint NOT NULL DEFAULT kernel.now_ms(),
  note         text,
  PRIMARY KEY (tenant_id, seq),
  FOREIGN KEY (tenant_id, policy_hash) REFERENCES kernel.policy_set
);

-- What flowed into a session or a workspace, and the first call that brought it. Never removed. A call without a session has its token's id as one.
CREATE TABLE kernel.label (
  tenant_id    text NOT NULL,
  scope        text NOT NULL CHECK (scope IN ('session', 'workspace')),
  id           text NOT NULL,
  label        text NOT NULL,
  operation_id text NOT NULL,
  at           bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, scope, id, label)
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['policy_set','policy_activation','label'] LOOP
    EXECUTE format('ALTER TABLE kernel.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE kernel.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY one_tenant ON kernel.%I TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant())', t);
  END LOOP;
END $$;
GRANT SELECT, INSERT ON kernel.policy_set, kernel.policy_activation, kernel.label TO writ_kernel;

-- What a session did before, for the sets that ask: a session's calls of one tool in the order of time.
CREATE INDEX operation_history ON kernel.operation (tenant_id, (coalesce(session_id, capability_token_id)), tool_id, created_at);

-- Counts what the needs ask for, [{id, tools, patterns, task_classes|null, outcome, window_ms|null, most}], by their ids; none further than `most`, and with p_at as it was then. Only calls that
-- were let run count: refused and held ones weren't, and neither were dry runs, which never had a lane.
CREATE FUNCTION kernel.session_history(p_tenant text, p_session text, p_needs jsonb, p_at bigint DEFAULT NULL) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_object_agg(n.id, (
        SELECT count(*) FROM (
          SELECT 1 FROM operation o
          WHERE o.tenant_id = p_tenant AND coalesce(o.session_id, o.capability_token_id) = p_session AND o.tool_id = ANY (n.tools || tools_like(p_tenant, n.patterns))
            AND o.created_at >= coalesce(coalesce(p_at, now_ms()) - n.window_ms, 0) AND (p_at IS NULL OR o.created_at < p_at) AND (n.task_classes IS NULL OR o.task_class = ANY (n.task_classes))
            AND o.lane IS NOT NULL AND o.state NOT IN ('proposed', 'held', 'refused')
            AND (n.outcome = 'admitted' OR (o.state IN ('committed', 'no_op') AND o.fault_code IS NULL))
          LIMIT n.most) AS counted)), '{}')
    FROM jsonb_to_recordset(p_needs) AS n(id text, tools text[], patterns text[], task_classes text[], outcome text, window_ms bigint, most bigint));
END $$;

-- What of the tenant's rules a call is judged under: the hash of the policy in force (null: the default set), the labels of its session and its
-- workspace, and the counts that its policy needs (null where it needs none).
CREATE FUNCTION kernel.rules_in_force(p_tenant text, p_session text, p_workspace text, p_needs jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object(
      'policy', (SELECT a.policy_hash FROM policy_activation a WHERE a.tenant_id = p_tenant ORDER BY a.seq DESC LIMIT 1),
      'labels', (SELECT coalesce(jsonb_agg(DISTINCT l.label), '[]') FROM label l
                 WHERE l.tenant_id = p_tenant AND ((l.scope = 'session' AND l.id = p_session) OR (l.scope = 'workspace' AND l.id = p_workspace))),
      'history', CASE WHEN jsonb_typeof(p_needs) = 'array' THEN session_history(p_tenant, p_session, p_needs) END));
END $$;

-- Returns where the rules are what was decided under; under kernel.hold_rules they are until COMMIT. Otherwise WR001. p: session, workspace, needs, seen.
-- Calls that count what the session did come one after another: of two that may each be the last, one is decided again. So do calls that destroy
-- something, which bring past: {operation, asked, seen}.
CREATE FUNCTION kernel.assert_rules(p_tenant text, p jsonb) RETURNS void LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF jsonb_typeof(p -> 'needs') = 'array' OR p ? 'past' THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('writ.session.' || p_tenant || '.' || (p ->> 'session'), 0));
  END IF;
  IF rules_in_force(p_tenant, p ->> 'session', p ->> 'workspace', p -> 'needs') IS DISTINCT FROM p -> 'seen' THEN PERFORM decide_again('rules'); END IF;
  IF p ? 'past' AND session_past(p_tenant, p ->> 'session', p #>> '{past,operation}', p #> '{past,asked}') -> 'destructive_calls' IS DISTINCT FROM p #> '{past,seen}' THEN
    PERFORM decide_again('past');
  END IF;
END $$;

-- Puts labels on the session of an admitted call and, where it may write, on its workspace.
CREATE FUNCTION kernel.put_labels(o kernel.operation, p_labels jsonb) RETURNS void LANGUAGE plpgsql VOLATILE SET search_path = kernel, pg_temp AS $$
BEGIN
  INSERT INTO label (tenant_id, scope, id, label, operation_id)
  SELECT o.tenant_id, s.scope, s.id, l.label, o.operation_id
  FROM (VALUES ('session', coalesce(o.session_id, o.capability_token_id)), ('workspace', CASE WHEN o.mutating THEN o.workspace_id END)) AS s(scope, id),
    jsonb_array_elements_text(p_labels) AS l(label)
  WHERE s.id IS NOT NULL
  ORDER BY s.scope, l.label
  ON CONFLICT DO NOTHING;
END $$;

-- Puts a set in force: one statement, so that decisions wait for no round trip. p: seen (the newest activation's seq, 0 for none), policy_hash, name, document, note, activated_by, activated_as,
-- record. A set that isn't stored yet, a shipped one, is. Returns {activation, name, version}; WR001 where another was activated since `seen`.
CREATE FUNCTION kernel.activate_policy(p_tenant text, p jsonb) RETURNS jsonb LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  s policy_set;
  a policy_activation;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true), pg_advisory_xact_lock(hashtextextended('writ.policy_sets.' || p_tenant, 0));
  INSERT INTO policy_set (tenant_id, policy_hash, name, version, document, created_by)
  SELECT p_tenant, p->>'policy_hash', p->>'name', coalesce(max(k.version), 0) + 1, p->'document', p->>'activated_by' FROM policy_set k WHERE k.tenant_id = p_tenant AND k.name = p->>'name'
  ON CONFLICT (tenant_id, policy_hash) DO NOTHING;
  SELECT * INTO s FROM policy_set k WHERE k.tenant_id = p_tenant AND k.policy_hash = p->>'policy_hash';
  PERFORM change_rules(p_tenant);
  IF (SELECT coalesce(max(x.seq), 0) FROM policy_activation x WHERE x.tenant_id = p_tenant) <> (p->>'seen')::bigint THEN PERFORM decide_again('policy'); END IF;
  INSERT INTO policy_activation (tenant_id, seq, policy_hash, activated_by, activated_as, note)
  VALUES (p_tenant, (p->>'seen')::bigint + 1, s.policy_hash, p->>'activated_by', p->>'activated_as', p->>'note') RETURNING * INTO a;
  PERFORM post_records(p_tenant, jsonb_build_array(p->'record'));
  RETURN jsonb_build_object('activation', to_jsonb(a), 'name', s.name, 'version', s.version);
END $$;

GRANT EXECUTE ON FUNCTION
  kernel.activate_policy, kernel.session_history, kernel.rules_in_force, kernel.assert_rules, kernel.put_labels TO writ_kernel;
