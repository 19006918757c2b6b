-- Sessions of agents, their runs, and what happened in each. What people and models said, and what tools answered, is sealed by the process: this
-- database holds ids, states and counts in clear. Times are milliseconds since the epoch by this database's clock.

CREATE TABLE orchestrator.session (
  session_id          text COLLATE "C" NOT NULL,
  tenant_id           text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name                text CHECK (name <> ''),
  agent_id            text COLLATE "C" NOT NULL,
  workspace_id        text COLLATE "C" NOT NULL,
  capability_token_id text COLLATE "C" NOT NULL,
  dialect             text NOT NULL,
  model               text NOT NULL,
  -- sealed: its own layer of the prompt, and the conversation that it begins with
  content             bytea NOT NULL,
  forked_run          text COLLATE "C",
  forked_after        integer,
  created_at          bigint NOT NULL DEFAULT orchestrator.now_ms(),
  created_by          text COLLATE "C" NOT NULL,
  CONSTRAINT session_pkey PRIMARY KEY (session_id),
  CONSTRAINT session_forked CHECK ((forked_run IS NULL) = (forked_after IS NULL))
);
CREATE INDEX session_listed ON orchestrator.session (tenant_id, created_at DESC, session_id DESC);

CREATE TABLE orchestrator.run (
  run_id          text COLLATE "C" NOT NULL,
  tenant_id       text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  session_id      text COLLATE "C" NOT NULL,
  -- which run of its session it is, from 1
  place           integer NOT NULL CHECK (place > 0),
  idempotency_key text,
  model           text NOT NULL,
  -- sealed: what was asked
  content         bytea NOT NULL,
  -- sealed: prompt and tools as they were when it began; null until then
  prompt          bytea,
  rounds_max      integer CHECK (rounds_max > 0),
  tokens_max      bigint CHECK (tokens_max > 0),
  -- millionths of the model's currency
  cost_max        bigint CHECK (cost_max > 0),
  state           text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'waiting', 'ended')),
  stopped         text,
  fault           text,
  -- operations that somebody has to decide, while it waits
  waits_for       text[] NOT NULL DEFAULT '{}',
  cancel_by       text,
  events          integer NOT NULL DEFAULT 0,
  rounds          integer NOT NULL DEFAULT 0,
  input_tokens    bigint NOT NULL DEFAULT 0,
  cached_tokens   bigint NOT NULL DEFAULT 0,
  output_tokens   bigint NOT NULL DEFAULT 0,
  -- null for a model without prices
  cost            bigint,
  -- who drives it: each claim is a number of its own, and nobody appends under an older one
  fence           bigint NOT NULL DEFAULT 0,
  lease_until     bigint NOT NULL DEFAULT 0,
  wake_at         bigint NOT NULL DEFAULT orchestrator.now_ms(),
  created_at      bigint NOT NULL DEFAULT orchestrator.now_ms(),
  -- the key on whose behalf it makes its calls
  created_by      text COLLATE "C" NOT NULL,
  role            text NOT NULL CHECK (role IN ('admin', 'agent')),
  principal       text COLLATE "C",
  started_at      bigint,
  ended_at        bigint,
  CONSTRAINT run_pkey PRIMARY KEY (run_id),
  CONSTRAINT run_session FOREIGN KEY (session_id) REFERENCES orchestrator.session ON DELETE CASCADE,
  CONSTRAINT run_ended CHECK ((state = 'ended') = (stopped IS NOT NULL) AND (state = 'ended') = (ended_at IS NOT NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX run_place ON orchestrator.run (session_id, place);
CREATE UNIQUE INDEX run_once ON orchestrator.run (session_id, idempotency_key);
-- INVARIANT (one at a time): a session has one run at work, whoever drives it.
CREATE UNIQUE INDEX run_at_work ON orchestrator.run (session_id) WHERE state IN ('running', 'waiting');
CREATE INDEX run_due ON orchestrator.run (wake_at) WHERE state <> 'ended';
CREATE INDEX run_made ON orchestrator.run (tenant_id, created_at DESC);

CREATE TABLE orchestrator.run_event (
  run_id    text COLLATE "C" NOT NULL,
  -- INVARIANT (one history): the place of an event is taken once, whoever appends
  seq       integer NOT NULL CHECK (seq > 0),
  tenant_id text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  -- sealed
  event     bytea NOT NULL,
  at        bigint NOT NULL DEFAULT orchestrator.now_ms(),
  CONSTRAINT run_event_pkey PRIMARY KEY (run_id, seq),
  CONSTRAINT run_event_run FOREIGN KEY (run_id) REFERENCES orchestrator.run ON DELETE CASCADE
);

ALTER TABLE orchestrator.session ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.session FORCE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.run ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.run FORCE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.run_event ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.run_event FORCE ROW LEVEL SECURITY;
CREATE POLICY session_tenant ON orchestrator.session TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY run_tenant ON orchestrator.run TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY run_event_tenant ON orchestrator.run_event TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For the functions below, which run as the owner: forced row-level security binds it too, and nobody logs in as it.
CREATE POLICY run_due ON orchestrator.run TO writ_owner USING (true);

GRANT SELECT, INSERT, DELETE ON orchestrator.session TO writ_orchestrator;
-- Also what lets it lock a session while a run finds its place.
GRANT UPDATE (name) ON orchestrator.session TO writ_orchestrator;
GRANT SELECT, INSERT ON orchestrator.run, orchestrator.run_event TO writ_orchestrator;
GRANT UPDATE (prompt, state, stopped, fault, waits_for, cancel_by, events, rounds, input_tokens, cached_tokens, output_tokens, cost, lease_until, wake_at, started_at, ended_at)
  ON orchestrator.run TO writ_orchestrator;

-- Claims runs that are due, of all tenants: the one question about them that no tenant asks, and it is answered with ids alone. A run comes after
-- those before it in its session have ended, unless it is only to be cancelled. A tenant has p_tenant_max under way at most. `fence` counts the
-- claims: who comes back after its lease ran out has no say.
CREATE FUNCTION orchestrator.claim_runs(p_rows integer, p_tenant_max integer, p_lease_ms bigint)
RETURNS TABLE (tenant_id text, run_id text, fence bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t bigint := now_ms();
BEGIN
  RETURN QUERY
    WITH busy AS (SELECT r.tenant_id, count(*) AS n FROM run r WHERE r.state <> 'ended' AND r.lease_until >= t GROUP BY r.tenant_id),
    due AS (
      SELECT r.run_id, r.tenant_id, r.wake_at, row_number() OVER (PARTITION BY r.tenant_id ORDER BY r.wake_at, r.run_id) AS n
      FROM run r
      WHERE r.state <> 'ended' AND r.wake_at <= t AND r.lease_until < t AND (r.cancel_by IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM run b WHERE b.session_id = r.session_id AND b.place < r.place AND b.state <> 'ended'))),
    fair AS (
      SELECT due.run_id FROM due LEFT JOIN busy ON busy.tenant_id = due.tenant_id
      WHERE due.n <= p_tenant_max - coalesce(busy.n, 0) ORDER BY due.n, due.wake_at LIMIT p_rows),
    held AS (
      SELECT r.run_id FROM run r WHERE r.run_id IN (SELECT f.run_id FROM fair f) AND r.state <> 'ended' AND r.lease_until < t
      FOR UPDATE SKIP LOCKED)
    UPDATE run r SET fence = r.fence + 1, lease_until = t + p_lease_ms FROM held WHERE r.run_id = held.run_id
    RETURNING r.tenant_id, r.run_id, r.fence;
END $$;

-- Renews the leases that are still held, and tells which of those runs somebody wants cancelled.
CREATE FUNCTION orchestrator.renew_runs(p_runs text[], p_fences bigint[], p_lease_ms bigint)
RETURNS TABLE (run_id text, cancelled boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  WITH asked AS (SELECT a.run_id, a.fence FROM unnest(p_runs, p_fences) AS a(run_id, fence)),
  -- In one order: replicas that renew at once wait for each other.
  held AS (
    SELECT r.run_id FROM run r JOIN asked a ON a.run_id = r.run_id AND a.fence = r.fence WHERE r.state <> 'ended' AND r.lease_until >= now_ms()
    ORDER BY r.run_id FOR UPDATE OF r)
  UPDATE run r SET lease_until = now_ms() + p_lease_ms FROM held WHERE r.run_id = held.run_id
  RETURNING r.run_id, r.cancel_by IS NOT NULL
$$;

REVOKE ALL ON FUNCTION orchestrator.claim_runs, orchestrator.renew_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.claim_runs, orchestrator.renew_runs TO writ_orchestrator;
