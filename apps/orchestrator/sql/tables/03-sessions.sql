-- Sessions: conversations of agents. 02-runs.sql has the runs of a session, and explains how texts are encrypted.

-- A conversation of one agent in one workspace. The orchestrator inserts it for a caller, for a job, or for a call that
-- starts a sub-agent. It exists until an erasure deletes it.
CREATE TABLE orchestrator.session (
  session_id          text COLLATE "C" PRIMARY KEY,
  tenant_id           text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  name                text CHECK (name <> ''),        -- for people; null: it has none
  created_at          bigint DEFAULT orchestrator.now_ms() NOT NULL,
  created_by          text COLLATE "C" NOT NULL,      -- the API key that made it

  -- Its agent, workspace, token and model.
  agent_id            text COLLATE "C" NOT NULL,
  workspace_id        text COLLATE "C" NOT NULL,
  capability_token_id text COLLATE "C" NOT NULL,      -- the token under which its calls are made
  dialect             text NOT NULL,                  -- how calls are written: `native`, or a dialect of text
  model               text NOT NULL,                  -- name of the model as it is configured
  -- the session mode of its calls, unless a job makes it `scheduled`: whether a person can be asked
  session_mode        text DEFAULT 'interactive' NOT NULL,
  content             bytea NOT NULL,                 -- sealed: its layer of the prompt, and its initial conversation

  -- Its origin. The run that it was forked from, and after how many of that run's events. Null: it was not forked, or
  -- an erasure has removed its origin.
  forked_run          text COLLATE "C",
  forked_after        integer,
  -- For a sub-agent: its parent run, and the call that it works for. Null: it is not a sub-agent's. It is deleted with
  -- that run, because its texts are part of that run's texts. A turn's call starts a sub-agent without a parent run,
  -- because the client drives the agent above it.
  parent_run          text COLLATE "C",
  parent_operation    text COLLATE "C",
  -- The job whose runs it holds; null for none. There is no foreign key: its calls keep the session mode `scheduled`
  -- even after the job is deleted.
  job_id              text COLLATE "C",
  -- The scheduling class that the job's definition names; null: task class and session mode of a call give its class.
  scheduling_class    text CHECK (scheduling_class IN ('interactive', 'background', 'maintenance')),

  -- Its data subject, as an id that the caller chose, so that an erasure can find it. No view shows it. Null: none was
  -- given, and the agent counts instead.
  data_subject        text COLLATE "C",

  CONSTRAINT session_parent FOREIGN KEY (parent_run) REFERENCES orchestrator.run (run_id) ON DELETE CASCADE,
  CONSTRAINT session_forked CHECK ((forked_run IS NULL) = (forked_after IS NULL)),
  CONSTRAINT session_modes CHECK (session_mode IN ('interactive', 'gateway', 'scheduled')),
  CONSTRAINT session_spawned CHECK (parent_run IS NULL OR parent_operation IS NOT NULL)
);
-- Sessions of a run's sub-agents.
CREATE INDEX session_below ON orchestrator.session (parent_run) WHERE parent_run IS NOT NULL;
-- Sessions of a data subject, for erasures.
CREATE INDEX session_by_subject ON orchestrator.session (tenant_id, data_subject) WHERE data_subject IS NOT NULL;
-- Forks of a run, for erasures.
CREATE INDEX session_forked ON orchestrator.session (forked_run) WHERE forked_run IS NOT NULL;
-- Pages of a tenant's sessions, newest first.
CREATE INDEX session_listed ON orchestrator.session (tenant_id, created_at DESC, session_id DESC);
-- INVARIANT (one sub-agent a call): a call starts one session. Another replica that drives the parent run finds it.
CREATE UNIQUE INDEX session_of_operation ON orchestrator.session (parent_operation) WHERE parent_operation IS NOT NULL;
ALTER TABLE orchestrator.session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY session_tenant ON orchestrator.session TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
GRANT SELECT, INSERT, DELETE ON orchestrator.session TO writ_orchestrator;
-- `content` and the fork's columns: a fork that outlives its origin loses the copied conversation. Locking a session
-- while a run is added to it also requires the right to update a column.
GRANT UPDATE (name, content, forked_run, forked_after) ON orchestrator.session TO writ_orchestrator;

-- Here, because runs and sessions reference each other.
ALTER TABLE orchestrator.run
  ADD CONSTRAINT run_session FOREIGN KEY (session_id) REFERENCES orchestrator.session (session_id) ON DELETE CASCADE;
