-- Erasing what was said. Whom a session or a job is about, by an id of the caller's: no view shows it, and texts can be erased by it.
ALTER TABLE orchestrator.session ADD COLUMN data_subject text COLLATE "C";
ALTER TABLE orchestrator.job ADD COLUMN data_subject text COLLATE "C";
CREATE INDEX session_by_subject ON orchestrator.session (tenant_id, data_subject) WHERE data_subject IS NOT NULL;
CREATE INDEX session_forked ON orchestrator.session (forked_run) WHERE forked_run IS NOT NULL;
GRANT UPDATE (data_subject) ON orchestrator.job TO writ_orchestrator;
-- A fork that outlives what it was forked from forgets it.
GRANT UPDATE (content, forked_run, forked_after) ON orchestrator.session TO writ_orchestrator;

-- What each erasure takes, by round: kept before the kernel is told, and told before anything goes. Ids alone. INVARIANT (no way back): no run begins in a session that stands
-- here, and no session is forked from it.
CREATE TABLE orchestrator.erasure (
  erasure_id  text COLLATE "C" NOT NULL,
  -- from 1
  round       integer NOT NULL CHECK (round > 0),
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  -- those that go whole
  session_ids text[] NOT NULL,
  -- those that go of sessions which stay
  run_ids     text[] NOT NULL,
  -- forks that stay, and lose the conversation that they began with
  fork_ids    text[] NOT NULL,
  marked_at   bigint NOT NULL DEFAULT orchestrator.now_ms(),
  gone_at     bigint,
  CONSTRAINT erasure_pkey PRIMARY KEY (erasure_id, round)
);
CREATE INDEX erasure_open ON orchestrator.erasure (tenant_id) WHERE gone_at IS NULL;
ALTER TABLE orchestrator.erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.erasure FORCE ROW LEVEL SECURITY;
CREATE POLICY erasure_tenant ON orchestrator.erasure TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
GRANT SELECT, INSERT, UPDATE (gone_at) ON orchestrator.erasure TO writ_orchestrator;

-- Takes the runs of a round that is settled, and no others: nobody takes a run out of a session's history but by an erasure. What is below them goes along.
CREATE FUNCTION orchestrator.forget_runs(p_erasure text, p_round integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  DELETE FROM run r USING erasure e
  WHERE e.erasure_id = p_erasure AND e.round = p_round AND e.gone_at IS NULL AND e.tenant_id = current_setting('writ.tenant_id', true)
    AND r.run_id = ANY (e.run_ids) AND r.tenant_id = e.tenant_id AND r.state = 'ended'
$$;
-- For the function above, which runs as the owner: forced row-level security binds it too, and nobody logs in as it.
CREATE POLICY erasure_due ON orchestrator.erasure FOR SELECT TO writ_owner USING (true);
REVOKE ALL ON FUNCTION orchestrator.forget_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.forget_runs TO writ_orchestrator;
