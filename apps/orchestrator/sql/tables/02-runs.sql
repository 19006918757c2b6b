-- Runs: the tasks of a session, what happens in each, and what each costs. Sessions are in 03-sessions.sql.
--
-- The orchestrator encrypts all texts of people, models and tools (AES-256-GCM: nonce ‖ ciphertext ‖ tag, under a key
-- of the tenant); columns marked `sealed` hold them. The database holds ids, states and counts in clear. Costs are
-- millionths of the model's currency.

-- One task of a session, from its input to its end. The orchestrator inserts it on request, and the replica that holds
-- its lease changes it. It is deleted with its session, or by an erasure (orchestrator.forget_runs).
-- INVARIANT (fenced): a replica that drives a run changes it only under the run's last claim, while the lease of that
-- claim is valid. orchestrator.append_event and the orchestrator's statements check `fence` and `lease_until`.
-- Cancelling or waking a run needs no claim.
CREATE TABLE orchestrator.run (
  run_id          text COLLATE "C" PRIMARY KEY,
  tenant_id       text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  session_id      text COLLATE "C" NOT NULL,
  place           integer NOT NULL CHECK (place > 0), -- order in its session, from 1; erased runs leave gaps
  idempotency_key text,                  -- chosen by the caller: the same key returns the same run; null: none was sent

  -- The request.
  model           text NOT NULL,         -- name of the model as it is configured, copied from the session
  content         bytea NOT NULL,        -- sealed: the input
  prompt          bytea,                 -- sealed: prompt and tools as they were when it began; null until then
  -- Its limits. Null: the limit of the orchestrator's configuration applies, or none.
  rounds_max      integer CHECK (rounds_max > 0),
  tokens_max      bigint CHECK (tokens_max > 0),
  cost_max        bigint CHECK (cost_max > 0),

  -- On whose behalf it makes its calls: an API key, with its role and its person when the run was requested.
  created_at      bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by      text COLLATE "C" NOT NULL,
  role            text NOT NULL CHECK (role IN ('admin', 'agent')),
  principal       text COLLATE "C",      -- null: the key has none

  -- Its status. `queued`: not begun; `waiting`: a person has to decide a call, or a sub-agent has to end first.
  state           text DEFAULT 'queued' NOT NULL CHECK (state IN ('queued', 'running', 'waiting', 'ended')),
  waits_for       text[] DEFAULT '{}' NOT NULL, -- operations that a person has to decide, while it waits
  cancel_by       text,                  -- who cancelled it; null: it was not cancelled
  started_at      bigint,                -- null until it begins
  ended_at        bigint,                -- null until it ends
  stopped         text,                  -- why it ended: a value of RUN_STOPPED such as `end`; null until then
  fault           text,                  -- code of the fault that ended it; null for none

  -- What it has done so far. orchestrator.append_event writes these with each event.
  events          integer DEFAULT 0 NOT NULL, -- stored events: the `seq` of the last one
  rounds          integer DEFAULT 0 NOT NULL, -- replies of the model
  input_tokens    bigint DEFAULT 0 NOT NULL,  -- the cached ones are included
  cached_tokens   bigint DEFAULT 0 NOT NULL,
  output_tokens   bigint DEFAULT 0 NOT NULL,
  cost            bigint,                -- null for a model without prices
  -- Most that the model's pending reply may cost. The orchestrator reserves it before it calls the model; the event
  -- with the reply replaces the reservation by the cost. 0: nothing is reserved.
  reserved        bigint DEFAULT 0 NOT NULL CHECK (reserved >= 0),

  -- The claim of the replica that drives it.
  fence           bigint DEFAULT 0 NOT NULL, -- number of claims so far; the last one is the claim that counts
  lease_until     bigint DEFAULT 0 NOT NULL, -- until when the claim lasts; 0: it is not claimed
  wake_at         bigint DEFAULT orchestrator.now_ms() NOT NULL, -- not claimed before

  CONSTRAINT run_ended CHECK ((state = 'ended') = (stopped IS NOT NULL) AND (state = 'ended') = (ended_at IS NOT NULL))
) WITH (fillfactor = 80); -- Rows change with every event: leaves room for new versions in the same page.
-- Runs that have not ended, by when they are due: orchestrator.claim_runs.
CREATE INDEX run_due ON orchestrator.run (wake_at) WHERE state <> 'ended';
-- Sums what a tenant's runs cost within the last day.
CREATE INDEX run_ended_at ON orchestrator.run (tenant_id, ended_at);
-- Usage of a tenant by the time at which runs were requested.
CREATE INDEX run_made ON orchestrator.run (tenant_id, created_at DESC);
-- INVARIANT (one at a time): a session has at most one running or waiting run, over all replicas.
CREATE UNIQUE INDEX run_at_work ON orchestrator.run (session_id) WHERE state IN ('running', 'waiting');
-- INVARIANT (asked once): an idempotency key identifies one run of its session.
CREATE UNIQUE INDEX run_once ON orchestrator.run (session_id, idempotency_key);
-- Runs of a session in their order; each has a distinct position.
CREATE UNIQUE INDEX run_place ON orchestrator.run (session_id, place);
ALTER TABLE orchestrator.run ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY run_tenant ON orchestrator.run TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For the functions that claim, renew, count and erase runs as the owner.
CREATE POLICY run_due ON orchestrator.run TO writ_owner USING (true);
-- The process cannot change the request, the caller or the fence; only orchestrator.claim_runs raises the fence. It
-- cannot delete a single run either: orchestrator.forget_runs does, or the deletion of the session.
GRANT SELECT, INSERT ON orchestrator.run TO writ_orchestrator;
GRANT UPDATE (prompt, state, stopped, fault, waits_for, cancel_by, events, rounds, input_tokens, cached_tokens,
              output_tokens, cost, lease_until, wake_at, started_at, ended_at, reserved)
  ON orchestrator.run TO writ_orchestrator;

-- One event of a run: a reply, an answered call, the end. orchestrator.append_event writes it. It is deleted with its
-- run.
-- INVARIANT (one history): each position of a run has one event (primary key), and events never change.
CREATE TABLE orchestrator.run_event (
  run_id    text COLLATE "C" NOT NULL,
  seq       integer NOT NULL CHECK (seq > 0), -- position in the run, from 1, without gaps
  tenant_id text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  event     bytea NOT NULL, -- sealed: the event, bound to its run and its position
  at        bigint DEFAULT orchestrator.now_ms() NOT NULL, -- when it was stored
  CONSTRAINT run_event_pkey PRIMARY KEY (run_id, seq),
  CONSTRAINT run_event_run FOREIGN KEY (run_id) REFERENCES orchestrator.run (run_id) ON DELETE CASCADE
);
ALTER TABLE orchestrator.run_event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY run_event_tenant ON orchestrator.run_event TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- Events are inserted and read, never changed.
GRANT SELECT, INSERT ON orchestrator.run_event TO writ_orchestrator;

-- One model that some replica has or had. Replicas report their models while they claim runs (orchestrator.claim_runs).
-- Rows remain when no replica has the model any more; their number is bounded by the models ever configured. It belongs
-- to no tenant, so it has no row-level security. Only claim_runs reads it, as the owner: no role has a grant.
CREATE TABLE orchestrator.driven_model (
  model   text COLLATE "C" PRIMARY KEY, -- name of the model as it is configured
  seen_at bigint NOT NULL               -- when a replica reported it last, to about five seconds
);

-- What one erased run used. The transaction that erases a run inserts its counts here, so that an erasure neither hides
-- nor frees what was spent. Rows are never deleted.
CREATE TABLE orchestrator.spent (
  run_id        text COLLATE "C" PRIMARY KEY,
  tenant_id     text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),

  -- The dimensions by which usage is summed.
  session_id    text COLLATE "C" NOT NULL,
  agent_id      text COLLATE "C" NOT NULL,
  model         text NOT NULL,
  created_at    bigint NOT NULL, -- when the run was requested
  ended_at      bigint,          -- null: it was erased before it began

  -- As in orchestrator.run.
  input_tokens  bigint NOT NULL,
  cached_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost          bigint           -- null for a model without prices
);
-- Usage of a tenant by the time at which runs were requested.
CREATE INDEX spent_made ON orchestrator.spent (tenant_id, created_at DESC);
ALTER TABLE orchestrator.spent ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY spent_tenant ON orchestrator.spent TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- Counts are inserted and read, never changed.
GRANT SELECT, INSERT ON orchestrator.spent TO writ_orchestrator;
