-- Erasures of texts of sessions, as the orchestrator carries them out. The kernel orders them.

-- One round of an erasure: the ids of the rows that it deletes. The orchestrator commits it before it reports it to the
-- kernel, and the kernel records it before anything is deleted. Rows of this table are never deleted.
-- INVARIANT (no additions): no run begins in a session of an open round, and no session is forked from it. A
-- transaction that adds a run or a fork locks the session and then checks this table.
CREATE TABLE orchestrator.erasure (
  erasure_id  text COLLATE "C" NOT NULL,           -- the kernel's id
  round       integer NOT NULL CHECK (round > 0),  -- from 1
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  session_ids text[] NOT NULL,                     -- sessions that are deleted as a whole
  run_ids     text[] NOT NULL,                     -- runs that are deleted, of sessions that remain
  fork_ids    text[] NOT NULL,                     -- forks that remain, and lose the conversation that they began with
  marked_at   bigint DEFAULT orchestrator.now_ms() NOT NULL, -- when the round was fixed
  gone_at     bigint,                              -- when all of it was deleted; null: the round is open
  CONSTRAINT erasure_pkey PRIMARY KEY (erasure_id, round)
);
-- Open rounds of a tenant, checked before a run or a fork begins.
CREATE INDEX erasure_open ON orchestrator.erasure (tenant_id) WHERE gone_at IS NULL;
ALTER TABLE orchestrator.erasure ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY erasure_tenant ON orchestrator.erasure TO writ_orchestrator
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- For orchestrator.forget_runs, which runs as the owner.
CREATE POLICY erasure_due ON orchestrator.erasure FOR SELECT TO writ_owner USING (true);
-- The rows that a round deletes never change.
GRANT SELECT, INSERT, UPDATE (gone_at) ON orchestrator.erasure TO writ_orchestrator;
