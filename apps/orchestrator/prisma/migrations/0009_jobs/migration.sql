-- Jobs: tasks that agents are given by the clock, and each start of one. What is asked is sealed by the process, as what is said in sessions is. Times
-- are milliseconds since the epoch by this database's clock. The tools that a job lists stand in its token, which the kernel keeps; here they are shown.

CREATE TABLE orchestrator.job (
  job_id              text COLLATE "C" NOT NULL,
  tenant_id           text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name                text NOT NULL CHECK (name <> ''),
  state               text NOT NULL CHECK (state IN ('active', 'paused')),
  cron                text NOT NULL,
  time_zone           text NOT NULL,
  agent_id            text COLLATE "C" NOT NULL,
  workspace_id        text COLLATE "C" NOT NULL,
  -- the agent's token, and the one that was made of it for the job's runs
  capability_token_id text COLLATE "C" NOT NULL,
  run_token_id        text COLLATE "C" NOT NULL,
  tools               text[] NOT NULL,
  dialect             text NOT NULL,
  model               text NOT NULL,
  conversation        text NOT NULL CHECK (conversation IN ('fresh', 'kept')),
  overlap             text NOT NULL CHECK (overlap IN ('skip', 'queue', 'allow')),
  missed              text NOT NULL CHECK (missed IN ('skip', 'run_once')),
  rounds_max          integer CHECK (rounds_max > 0),
  tokens_max          bigint CHECK (tokens_max > 0),
  cost_max            bigint CHECK (cost_max > 0),
  -- sealed: what is asked at each start, and the session's own layer of the prompt
  content             bytea NOT NULL,
  -- where the conversation that is kept goes on
  session_id          text COLLATE "C",
  -- when it is due next; null while it is paused, and when it never is again
  due_at              bigint,
  created_at          bigint NOT NULL DEFAULT orchestrator.now_ms(),
  created_by          text COLLATE "C" NOT NULL,
  -- the key on whose behalf its runs make their calls: who said last what the job is
  changed_at          bigint NOT NULL DEFAULT orchestrator.now_ms(),
  changed_by          text COLLATE "C" NOT NULL,
  principal           text COLLATE "C",
  CONSTRAINT job_pkey PRIMARY KEY (job_id),
  CONSTRAINT job_one_conversation CHECK (conversation = 'fresh' OR overlap <> 'allow'),
  CONSTRAINT job_paused CHECK (state = 'active' OR due_at IS NULL)
);
CREATE INDEX job_listed ON orchestrator.job (tenant_id, created_at DESC, job_id DESC);
CREATE INDEX job_due ON orchestrator.job (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE orchestrator.job_start (
  start_id        text COLLATE "C" NOT NULL,
  tenant_id       text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  job_id          text COLLATE "C" NOT NULL,
  due_at          bigint NOT NULL,
  -- somebody asked for it
  by_hand         boolean NOT NULL,
  idempotency_key text,
  state           text NOT NULL CHECK (state IN ('queued', 'started', 'skipped', 'missed', 'failed')),
  -- why it was not started
  reason          text,
  session_id      text COLLATE "C",
  run_id          text COLLATE "C",
  created_at      bigint NOT NULL DEFAULT orchestrator.now_ms(),
  started_at      bigint,
  CONSTRAINT job_start_pkey PRIMARY KEY (start_id),
  CONSTRAINT job_start_job FOREIGN KEY (job_id) REFERENCES orchestrator.job ON DELETE CASCADE,
  CONSTRAINT job_start_started CHECK ((state = 'started') = (run_id IS NOT NULL) AND (run_id IS NULL) = (session_id IS NULL) AND (run_id IS NULL) = (started_at IS NULL))
);
-- INVARIANT (one start a due time): however many replicas look at the clock, and whenever one of them dies.
CREATE UNIQUE INDEX job_start_once ON orchestrator.job_start (job_id, due_at) WHERE NOT by_hand;
CREATE UNIQUE INDEX job_start_asked ON orchestrator.job_start (job_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX job_start_run ON orchestrator.job_start (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX job_start_listed ON orchestrator.job_start (job_id, created_at DESC, start_id DESC);
CREATE INDEX job_start_queued ON orchestrator.job_start (job_id, due_at) WHERE state = 'queued';

-- The job whose runs a session holds: its calls are a scheduled session's, also once the job is gone.
ALTER TABLE orchestrator.session ADD COLUMN job_id text COLLATE "C";

ALTER TABLE orchestrator.job ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.job FORCE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.job_start ENABLE ROW LEVEL SECURITY;
ALTER TABLE orchestrator.job_start FORCE ROW LEVEL SECURITY;
CREATE POLICY job_tenant ON orchestrator.job TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY job_start_tenant ON orchestrator.job_start TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true)) WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For the function below, which runs as the owner: forced row-level security binds it too, and nobody logs in as it.
CREATE POLICY job_due ON orchestrator.job FOR SELECT TO writ_owner USING (true);
CREATE POLICY job_start_due ON orchestrator.job_start FOR SELECT TO writ_owner USING (true);

GRANT SELECT, INSERT, DELETE ON orchestrator.job, orchestrator.job_start TO writ_orchestrator;
GRANT UPDATE (name, state, cron, time_zone, agent_id, workspace_id, capability_token_id, run_token_id, tools, dialect, model, conversation, overlap, missed, rounds_max, tokens_max, cost_max, content, session_id,
  due_at, changed_at, changed_by, principal) ON orchestrator.job TO writ_orchestrator;
GRANT UPDATE (state, reason, session_id, run_id, started_at) ON orchestrator.job_start TO writ_orchestrator;

-- Jobs of all tenants that are due, or have a start in their queue and nothing under way: the one question about them that no tenant asks, answered with ids alone.
CREATE FUNCTION orchestrator.due_jobs(p_rows integer)
RETURNS TABLE (tenant_id text, job_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  SELECT d.tenant_id, d.job_id FROM (
    SELECT j.tenant_id, j.job_id, j.due_at FROM job j WHERE j.due_at <= now_ms()
    UNION
    SELECT s.tenant_id, s.job_id, s.due_at FROM job_start s JOIN job j ON j.job_id = s.job_id
    WHERE s.state = 'queued' AND (j.overlap = 'allow' OR NOT EXISTS (
      SELECT 1 FROM run r JOIN job_start b ON b.run_id = r.run_id WHERE r.state <> 'ended' AND b.job_id = s.job_id))) d
  GROUP BY d.tenant_id, d.job_id ORDER BY min(d.due_at) LIMIT p_rows
$$;

REVOKE ALL ON FUNCTION orchestrator.due_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION orchestrator.due_jobs TO writ_orchestrator;
