-- Erasures of what was said in sessions, as the orchestrator carries them out. The kernel orders them.

-- One round of an erasure: what it takes, by ids alone. The orchestrator commits it before it tells the kernel, and the
-- kernel records it before anything goes. Rows stay.
-- INVARIANT (no way back): no run begins in a session of an open round, and no session is forked from it. Whoever would
-- begin one locks the session and then looks here.
CREATE TABLE orchestrator.erasure (
  erasure_id  text COLLATE "C" NOT NULL,           -- the kernel's id
  round       integer NOT NULL CHECK (round > 0),  -- from 1
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  session_ids text[] NOT NULL,                     -- sessions that go whole
  run_ids     text[] NOT NULL,                     -- runs that go, of sessions that stay
  fork_ids    text[] NOT NULL,                     -- forks that stay, and lose the conversation that they began with
  marked_at   bigint DEFAULT orchestrator.now_ms() NOT NULL, -- when the round was settled
  gone_at     bigint,                              -- when all of it was gone; null: the round is open
  CONSTRAINT erasure_pkey PRIMARY KEY (erasure_id, round)
);
-- Open rounds of a tenant: whoever begins a run or a fork looks at them.
CREATE INDEX erasure_open ON orchestrator.erasure (tenant_id) WHERE gone_at IS NULL;
ALTER TABLE orchestrator.erasure ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY erasure_tenant ON orchestrator.erasure TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.forget_runs, which runs as the owner.
CREATE POLICY erasure_due ON orchestrator.erasure FOR SELECT TO writ_owner USING (true);
-- What a round takes never changes.
GRANT SELECT, INSERT, UPDATE (gone_at) ON orchestrator.erasure TO writ_orchestrator;
