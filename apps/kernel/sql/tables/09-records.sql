-- Records on their way out: signed audit records that the ledger has not confirmed yet, and notices for webhooks.
-- Both tables are queues: a row is written in the transaction that makes it true, and deleted once its receiver has it.
-- All times are milliseconds since the epoch by this database's clock (kernel.now_ms).

-- A row is a signed record that the ledger has not confirmed. The kernel inserts it in the transaction that it records;
-- the worker deletes it when the ledger has answered for it, mostly within a second.
-- INVARIANT (a row goes last): a row is deleted only after the ledger answered for it. A record may be sent twice; the
-- ledger drops duplicates by record_id.
CREATE TABLE kernel.outbox (
  record_id     text PRIMARY KEY, -- `rec_…`, inside the signed payload as well
  tenant_id     text NOT NULL, -- whose log it goes into; the deployment's own log for what concerns all tenants
  payload       bytea NOT NULL, -- the in-toto Statement, exactly as it was signed; some 2 KB
  keyid         text NOT NULL, -- id of the kernel's key that signed it
  sig           bytea NOT NULL, -- the signature over the payload
  -- in ms since the epoch; admission stops once the oldest record waits too long
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(),
  -- until when one sender has it to itself, in ms since the epoch, so that replicas do not send the same rows; 0: free
  claimed_until bigint NOT NULL DEFAULT 0
) WITH (
  -- A record lives for a second: it is not worth compressing, and stays in its row up to the size of a page.
  toast_tuple_target = 8160,
  -- The table is small and changes wholly each second: a vacuum comes by count, takes milliseconds and does not pause.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
-- the oldest records, for whoever resends them (kernel.claim_records) and for the age of the backlog
CREATE INDEX outbox_by_age ON kernel.outbox (created_at, record_id);
-- the oldest record of a tenant, asked at each admission (kernel.facts)
CREATE INDEX outbox_of_tenant ON kernel.outbox (tenant_id, created_at);
ALTER TABLE kernel.outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.outbox FORCE ROW LEVEL SECURITY;
-- The worker sends the records of all tenants.
CREATE POLICY all_tenants ON kernel.outbox TO writ_kernel_worker USING (true) WITH CHECK (true);
-- The kernel sees and writes the log of its transaction only.
CREATE POLICY one_tenant ON kernel.outbox TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel adds records and sees which still wait. It cannot change one. Only specs use its DELETE.
GRANT SELECT, INSERT, DELETE ON kernel.outbox TO writ_kernel;
-- The worker reads, claims and deletes what the ledger has; it can neither add a record nor change its bytes.
GRANT SELECT, DELETE ON kernel.outbox TO writ_kernel_worker;
GRANT UPDATE (claimed_until) ON kernel.outbox TO writ_kernel_worker;

-- A row says that something happened which people and their systems may want to know. Triggers insert it in the
-- transaction that makes it true (note_approval, note_vote, note_operation). The orchestrator takes it, turns it into
-- webhook deliveries, and has the worker delete it.
-- INVARIANT (ids only): a notice holds ids and digests, never arguments, results, diffs, comments or notes.
CREATE TABLE kernel.notice (
  -- Identity.

  notice_id     text PRIMARY KEY DEFAULT kernel.new_id('ntc'), -- `ntc_…`, drawn by this database
  tenant_id     text NOT NULL, -- the tenant
  -- approval.pending, approval.voted, approval.approved, approval.denied, approval.expired, approval.cancelled,
  -- approval.superseded, operation.ambiguous or operation.resolved
  kind          text NOT NULL,
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch

  -- What it is about.

  operation_id  text NOT NULL, -- the call
  approval_id   text, -- null: the notice is about the operation, not about an approval
  agent_id      text NOT NULL, -- the agent that the call acts for
  tool_id       text NOT NULL, -- the name of its tool
  workspace_id  text, -- null: as in the operation
  session_id    text, -- null: the call belongs to no session
  action_digest text, -- of an approval: what its decision binds to, else that of the call
  autonomy_mode text NOT NULL, -- the supervision of the approval or of the call
  expires_at    bigint, -- until when a pending approval may be decided, in ms since the epoch; null: nothing is pending
  resolution    text, -- of a resolved operation: committed or rolled_back; null for all others

  -- Its delivery.

  -- until when one taker has it to itself, in ms since the epoch, so that replicas do not take the same rows; 0: free
  claimed_until bigint NOT NULL DEFAULT 0
);
-- the oldest notices (kernel.take_notices)
CREATE INDEX notice_by_age ON kernel.notice (created_at, notice_id);
ALTER TABLE kernel.notice ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.notice FORCE ROW LEVEL SECURITY;
-- The worker hands out the notices of all tenants.
CREATE POLICY all_tenants ON kernel.notice TO writ_kernel_worker USING (true) WITH CHECK (true);
-- The kernel writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.notice TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Triggers write as the kernel, which reads no notice.
GRANT INSERT ON kernel.notice TO writ_kernel;
-- The worker reads, claims and deletes notices; it writes none.
GRANT SELECT, DELETE ON kernel.notice TO writ_kernel_worker;
GRANT UPDATE (claimed_until) ON kernel.notice TO writ_kernel_worker;
