-- Runs: the tasks of a session, what happens in each, and what each costs. Sessions are in 03-sessions.sql.
--
-- The orchestrator seals what people, models and tools say (AES-256-GCM: nonce ‖ ciphertext ‖ tag, under a key of the
-- tenant). The database holds ids, states and counts in clear. Costs are millionths of the model's currency.

-- One task of a session, from its input to its end. The orchestrator inserts it when somebody asks for it, and the
-- replica that holds its lease changes it. It goes with its session, or with an erasure (orchestrator.forget_runs).
-- INVARIANT (fenced): whoever drives a run changes it under its last claim alone, while the lease of that claim lasts.
-- orchestrator.append_event and the orchestrator's statements check `fence` and `lease_until`. To cancel or to wake a
-- run needs no claim.
CREATE TABLE orchestrator.run (
  run_id          text COLLATE "C" PRIMARY KEY,
  tenant_id       text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  session_id      text COLLATE "C" NOT NULL,
  place           integer NOT NULL CHECK (place > 0), -- order in its session, from 1; erased runs leave gaps
  idempotency_key text,                  -- chosen by the caller: the same key answers the same run; null: none was sent

  -- What was asked.
  model           text NOT NULL,         -- name of the model as it is configured, copied from the session
  content         bytea NOT NULL,        -- sealed: the input
  prompt          bytea,                 -- sealed: prompt and tools as they were when it began; null until then
  -- Its limits. Null: the limit of the orchestrator's configuration applies, or none.
  rounds_max      integer CHECK (rounds_max > 0),
  tokens_max      bigint CHECK (tokens_max > 0),
  cost_max        bigint CHECK (cost_max > 0),

  -- On whose behalf it makes its calls: an API key, its role and its person when the run was asked for.
  created_at      bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by      text COLLATE "C" NOT NULL,
  role            text NOT NULL CHECK (role IN ('admin', 'agent')),
  principal       text COLLATE "C",      -- null: the key has none

  -- How it stands. `queued`: not begun; `waiting`: a person has to decide a call, or a sub-agent has to end first.
  state           text DEFAULT 'queued' NOT NULL CHECK (state IN ('queued', 'running', 'waiting', 'ended')),
  waits_for       text[] DEFAULT '{}' NOT NULL, -- operations that somebody has to decide, while it waits
  cancel_by       text,                  -- who asked for its end; null: nobody did
  started_at      bigint,                -- null until it begins
  ended_at        bigint,                -- null until it ends
  stopped         text,                  -- why it ended: a word of RUN_STOPPED such as `end`; null until then
  fault           text,                  -- code of the fault that ended it; null for none

  -- What it has done so far. orchestrator.append_event writes these with each event.
  events          integer DEFAULT 0 NOT NULL, -- events kept: the `seq` of the last one
  rounds          integer DEFAULT 0 NOT NULL, -- replies of the model
  input_tokens    bigint DEFAULT 0 NOT NULL,  -- the cached ones are included
  cached_tokens   bigint DEFAULT 0 NOT NULL,
  output_tokens   bigint DEFAULT 0 NOT NULL,
  cost            bigint,                -- null for a model without prices
  -- What the reply that the run waits for may cost. The orchestrator reserves it before it asks the model, and the
  -- event that keeps the reply settles it. 0: nothing is reserved.
  reserved        bigint DEFAULT 0 NOT NULL CHECK (reserved >= 0),

  -- Who drives it.
  fence           bigint DEFAULT 0 NOT NULL, -- number of claims so far; the last one is the claim that counts
  lease_until     bigint DEFAULT 0 NOT NULL, -- until when the claim lasts; 0: nobody holds it
  wake_at         bigint DEFAULT orchestrator.now_ms() NOT NULL, -- nobody claims it before

  CONSTRAINT run_ended CHECK ((state = 'ended') = (stopped IS NOT NULL) AND (state = 'ended') = (ended_at IS NOT NULL))
) WITH (fillfactor = 80); -- Rows change with every event: room for their new versions in the same page.
-- Runs that have not ended, by when they are due: orchestrator.claim_runs.
CREATE INDEX run_due ON orchestrator.run (wake_at) WHERE state <> 'ended';
-- What a tenant's runs cost within the last day.
CREATE INDEX run_ended_at ON orchestrator.run (tenant_id, ended_at);
-- Usage of a tenant by the time at which runs were asked for.
CREATE INDEX run_made ON orchestrator.run (tenant_id, created_at DESC);
-- INVARIANT (one at a time): a session has one run at work, whoever drives it.
CREATE UNIQUE INDEX run_at_work ON orchestrator.run (session_id) WHERE state IN ('running', 'waiting');
-- INVARIANT (asked once): an idempotency key stands for one run of its session.
CREATE UNIQUE INDEX run_once ON orchestrator.run (session_id, idempotency_key);
-- Runs of a session in their order, each in a place of its own.
CREATE UNIQUE INDEX run_place ON orchestrator.run (session_id, place);
ALTER TABLE orchestrator.run ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY run_tenant ON orchestrator.run TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For the functions that claim, renew, count and erase runs as the owner.
CREATE POLICY run_due ON orchestrator.run TO writ_owner USING (true);
-- The process cannot change what was asked, on whose behalf, or the fence: orchestrator.claim_runs alone raises that.
-- It cannot remove a run alone either: orchestrator.forget_runs does, or the end of the session.
GRANT SELECT, INSERT ON orchestrator.run TO writ_orchestrator;
GRANT UPDATE (prompt, state, stopped, fault, waits_for, cancel_by, events, rounds, input_tokens, cached_tokens,
              output_tokens, cost, lease_until, wake_at, started_at, ended_at, reserved)
  ON orchestrator.run TO writ_orchestrator;

-- One event of a run: a reply, an answered call, the end. orchestrator.append_event writes it. It goes with its run.
-- INVARIANT (one history): whoever appends, a place of a run is taken once (primary key), and events never change.
CREATE TABLE orchestrator.run_event (
  run_id    text COLLATE "C" NOT NULL,
  seq       integer NOT NULL CHECK (seq > 0), -- place in the run, from 1, without gaps
  tenant_id text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  event     bytea NOT NULL, -- sealed: the event, bound to its run and its place
  at        bigint DEFAULT orchestrator.now_ms() NOT NULL, -- when it was kept
  CONSTRAINT run_event_pkey PRIMARY KEY (run_id, seq),
  CONSTRAINT run_event_run FOREIGN KEY (run_id) REFERENCES orchestrator.run (run_id) ON DELETE CASCADE
);
ALTER TABLE orchestrator.run_event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY run_event_tenant ON orchestrator.run_event TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- Events are kept and read, never changed.
GRANT SELECT, INSERT ON orchestrator.run_event TO writ_orchestrator;

-- One model that some replica has or had. Replicas say so while they claim runs (orchestrator.claim_runs). Rows stay
-- when no replica has the model any more; they are as few as the models that were ever configured.
-- It is about no tenant, so it has no row-level security. Only claim_runs reads it, as the owner: no role has a grant.
CREATE TABLE orchestrator.driven_model (
  model   text COLLATE "C" PRIMARY KEY, -- name of the model as it is configured
  seen_at bigint NOT NULL               -- when a replica named it last, to about five seconds
);

-- What one erased run used. Whoever erases a run inserts its counts here in the same transaction, so that an erasure
-- neither hides nor frees what was spent. Rows stay.
CREATE TABLE orchestrator.spent (
  run_id        text COLLATE "C" PRIMARY KEY,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),

  -- What usage is summed by.
  session_id    text COLLATE "C" NOT NULL,
  agent_id      text COLLATE "C" NOT NULL,
  model         text NOT NULL,
  created_at    bigint NOT NULL, -- when the run was asked for
  ended_at      bigint,          -- null: it was erased before it began

  -- As in orchestrator.run.
  input_tokens  bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost          bigint           -- null for a model without prices
);
-- Usage of a tenant by the time at which runs were asked for.
CREATE INDEX spent_made ON orchestrator.spent (tenant_id, created_at DESC);
ALTER TABLE orchestrator.spent ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY spent_tenant ON orchestrator.spent TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- Counts are kept and read, never changed.
GRANT SELECT, INSERT ON orchestrator.spent TO writ_orchestrator;
