-- Jobs: scheduled tasks of agents, and each start of one. 02-runs.sql explains how texts are encrypted.

-- A task that an agent gets at due times. The orchestrator inserts and changes it for a caller, and advances `due_at`.
-- It exists until the caller deletes it; sessions and runs that it started remain.
CREATE TABLE orchestrator.job (
  job_id              text COLLATE "C" PRIMARY KEY,
  tenant_id           text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name                text NOT NULL CHECK (name <> ''), -- for people; its sessions have the same name

  -- When it is due.
  state               text NOT NULL CHECK (state IN ('active', 'paused')),
  cron                text NOT NULL,            -- five fields, or a nickname such as `@daily`
  time_zone           text NOT NULL,            -- IANA time zone of these fields
  due_at              bigint,                   -- next time; null while it is paused, and when it never comes due again

  -- Its agent, workspace, token and model.
  agent_id            text COLLATE "C" NOT NULL,
  workspace_id        text COLLATE "C" NOT NULL,
  capability_token_id text COLLATE "C" NOT NULL, -- the agent's token
  run_token_id        text COLLATE "C" NOT NULL, -- the token made from it, under which the job's runs act
  tools               text[] NOT NULL,           -- for display; the kernel enforces the token run_token_id
  dialect             text NOT NULL,             -- as in orchestrator.session
  model               text NOT NULL,             -- name of the model as it is configured
  content             bytea NOT NULL,            -- sealed: input of each start, and its layer of the prompt

  -- Its rules.
  -- `fresh`: each start begins a session; `kept`: each run continues the conversation of the one before.
  conversation        text NOT NULL CHECK (conversation IN ('fresh', 'kept')),
  -- Handling of a start while a run of the job has not ended.
  overlap             text NOT NULL CHECK (overlap IN ('skip', 'queue', 'allow')),
  -- Handling of due times at which no orchestrator was running: no run, or one run for all of them.
  missed              text NOT NULL CHECK (missed IN ('skip', 'run_once')),
  -- When calls of its runs are served among the waiting calls of the tenant.
  scheduling_class    text NOT NULL DEFAULT 'background'
    CHECK (scheduling_class IN ('interactive', 'background', 'maintenance')),
  -- Limits of each run, as in orchestrator.run.
  rounds_max          integer CHECK (rounds_max > 0),
  tokens_max          bigint CHECK (tokens_max > 0),
  cost_max            bigint CHECK (cost_max > 0),

  -- The session in which a kept conversation continues; null until the first start, after a change, and for `fresh`.
  -- There is no foreign key: an erasure may delete the session, and the next start then creates another.
  session_id          text COLLATE "C",

  -- Who created it and who changed it last. Its runs make their calls on behalf of `changed_by`, an API key.
  created_at          bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by          text COLLATE "C" NOT NULL, -- an API key
  changed_at          bigint DEFAULT orchestrator.now_ms() NOT NULL,
  changed_by          text COLLATE "C" NOT NULL,
  principal           text COLLATE "C",          -- the person of `changed_by`; null: the key has none

  -- Its data subject, as an id that the caller chose; its sessions have the same one. Null: none was given.
  data_subject        text COLLATE "C",

  -- One conversation cannot have two active runs.
  CONSTRAINT job_one_conversation CHECK (conversation = 'fresh' OR overlap <> 'allow'),
  CONSTRAINT job_paused CHECK (state = 'active' OR due_at IS NULL)
);
-- Jobs that are due: orchestrator.due_jobs.
CREATE INDEX job_due ON orchestrator.job (due_at) WHERE due_at IS NOT NULL;
-- Pages of a tenant's jobs, newest first.
CREATE INDEX job_listed ON orchestrator.job (tenant_id, created_at DESC, job_id DESC);
ALTER TABLE orchestrator.job ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY job_tenant ON orchestrator.job TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.due_jobs, which runs as the owner.
CREATE POLICY job_due ON orchestrator.job FOR SELECT TO writ_owner USING (true);
-- The id of a job, its tenant and its creator never change.
GRANT SELECT, INSERT, DELETE ON orchestrator.job TO writ_orchestrator;
GRANT UPDATE (name, state, cron, time_zone, agent_id, workspace_id, capability_token_id, run_token_id, tools, dialect,
              model, conversation, overlap, missed, scheduling_class, rounds_max, tokens_max, cost_max, content, session_id, due_at,
              changed_at, changed_by, principal, data_subject)
  ON orchestrator.job TO writ_orchestrator;

-- One start of a job, at a due time or on request. The orchestrator inserts it and later records its result. It is
-- deleted with its job, or 30 days after its creation unless it is still queued.
CREATE TABLE orchestrator.job_start (
  start_id        text COLLATE "C" PRIMARY KEY,
  tenant_id       text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  job_id          text COLLATE "C" NOT NULL,
  due_at          bigint NOT NULL,  -- the due time; for a manual start: when it was requested
  by_hand         boolean NOT NULL, -- it was requested, not due
  idempotency_key text,             -- for a manual start: the same key returns the same start; null: none was sent
  created_at      bigint DEFAULT orchestrator.now_ms() NOT NULL,

  -- `queued`: it waits for a run of the job to end; `skipped`: the overlap rule or a full queue excluded it; `missed`:
  -- it came due while no orchestrator was running; `failed`: no run could begin.
  state           text NOT NULL CHECK (state IN ('queued', 'started', 'skipped', 'missed', 'failed')),
  reason          text,             -- why it was not started: `overlap` or the code of a fault; null for none

  -- The run that it began; null unless it has started. There are no foreign keys: an erasure may delete run and
  -- session.
  session_id      text COLLATE "C",
  run_id          text COLLATE "C",
  started_at      bigint,

  CONSTRAINT job_start_job FOREIGN KEY (job_id) REFERENCES orchestrator.job (job_id) ON DELETE CASCADE,
  CONSTRAINT job_start_started CHECK (
    (state = 'started') = (run_id IS NOT NULL)
    AND (run_id IS NULL) = (session_id IS NULL)
    AND (run_id IS NULL) = (started_at IS NULL))
);
-- Pages of a job's starts, newest first.
CREATE INDEX job_start_listed ON orchestrator.job_start (job_id, created_at DESC, start_id DESC);
-- The start of a job that has waited longest.
CREATE INDEX job_start_queued ON orchestrator.job_start (job_id, due_at) WHERE state = 'queued';
-- INVARIANT (asked once): an idempotency key identifies one start of its job.
CREATE UNIQUE INDEX job_start_asked ON orchestrator.job_start (job_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
-- INVARIANT (one start a due time): a due time has one start, however many replicas check the clock, and whenever one
-- of them dies.
CREATE UNIQUE INDEX job_start_once ON orchestrator.job_start (job_id, due_at) WHERE NOT by_hand;
-- A run belongs to one start. orchestrator.due_jobs finds starts by their runs.
CREATE UNIQUE INDEX job_start_run ON orchestrator.job_start (run_id) WHERE run_id IS NOT NULL;
ALTER TABLE orchestrator.job_start ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY job_start_tenant ON orchestrator.job_start TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.due_jobs, which runs as the owner.
CREATE POLICY job_start_due ON orchestrator.job_start FOR SELECT TO writ_owner USING (true);
-- The request of a start never changes; its result does. Old starts are deleted.
GRANT SELECT, INSERT, DELETE ON orchestrator.job_start TO writ_orchestrator;
GRANT UPDATE (state, reason, session_id, run_id, started_at) ON orchestrator.job_start TO writ_orchestrator;
