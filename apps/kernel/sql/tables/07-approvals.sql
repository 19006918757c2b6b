-- Approvals: calls that wait for people, the votes that people cast, and previews that show what a held call would do.
-- All times are milliseconds since the epoch by this database's clock (kernel.now_ms).

-- A row is one question to people about one held call. The kernel inserts it in the transaction that holds the call,
-- and closes it once. It stays for good; an erasure takes its comment and the words of its reasons.
-- INVARIANT (decided once): kernel.close_approval closes a pending approval only, in the transaction that readmits,
-- commits or ends the call.
-- INVARIANT (effect named): an approval of an effect names the effect by its digest.
-- INVARIANT (superseded named), (session approved): the two columns that name a successor or a token are set only in
-- the state that they belong to.
CREATE TABLE kernel.approval (
  -- Identity.

  approval_id      text PRIMARY KEY, -- `apr_…`, drawn by the kernel
  tenant_id        text NOT NULL, -- the tenant
  -- the call that waits; it may have several approvals in turn, first of its action and then of its effect
  operation_id     text NOT NULL REFERENCES kernel.operation,
  created_at       bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch

  -- What is asked.

  -- what a yes lets pass: the action (it runs), exactly the effect that is shown (it commits), or a value is given
  of               text NOT NULL CHECK (of IN ('action', 'effect', 'value')),
  -- hex SHA-256 of the action without its snapshot, since the workspace moves while the call waits
  action_digest    text NOT NULL,
  effect_digest    text, -- hex SHA-256 of the staged effect; null: the approval is of the action or of a value
  -- how often the question was put: it grows when `of` or the effect changes. A vote counts for one asking only.
  asked            integer NOT NULL DEFAULT 1,
  -- why people are asked, [{code, message}]; each message reads `erased` once the content is erased
  reasons          jsonb NOT NULL,

  -- Who must answer, and until when.

  -- the supervision that it needs: an operator approves a soft_gate, an administrator what is escalated
  autonomy_mode    text NOT NULL,
  -- how many persons must approve; it only grows while the approval is pending
  quorum           integer NOT NULL DEFAULT 1 CHECK (quorum BETWEEN 1 AND 16),
  expires_at       bigint NOT NULL, -- when it expires if nobody decides, in ms since the epoch

  -- What was decided.

  -- superseded: a person edited the arguments, and another call goes on in its place
  state            text NOT NULL
    CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded')),
  decided_at       bigint, -- in ms since the epoch; null: pending
  decided_by       text, -- the API key that decided it, or `kernel` for one that expired; null: pending
  comment          text, -- what the decider wrote; null: nothing, or erased
  superseded_by    text, -- the call that goes on in place of the edited one; null: it was not edited
  session_token_id text, -- the token that a session grant made; null: the yes is for this call alone

  CONSTRAINT effect_named CHECK (of <> 'effect' OR effect_digest IS NOT NULL),
  CONSTRAINT superseded_named CHECK (superseded_by IS NULL OR state = 'superseded'),
  CONSTRAINT session_approved CHECK (session_token_id IS NULL OR state = 'approved')
);
-- a tenant's list, newest first
CREATE INDEX approval_by_tenant ON kernel.approval (tenant_id, created_at DESC, approval_id DESC);
-- the approvals of a call
CREATE INDEX approval_of_operation ON kernel.approval (operation_id);
-- approvals that expired (kernel.overdue_approvals), and how many wait
CREATE INDEX approval_pending ON kernel.approval (expires_at) WHERE state = 'pending';
ALTER TABLE kernel.approval ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.approval FORCE ROW LEVEL SECURITY;
-- The worker looks for expired approvals of all tenants. It has no right to write, so WITH CHECK is never used.
CREATE POLICY all_tenants ON kernel.approval TO writ_kernel_worker USING (true) WITH CHECK (true);
-- The kernel sees and writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.approval TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel asks, changes the question and closes it; nobody deletes one.
GRANT SELECT, INSERT, UPDATE ON kernel.approval TO writ_kernel;
-- The worker finds and counts; the kernel expires, with a signed record.
GRANT SELECT ON kernel.approval TO writ_kernel_worker;

-- A row is what one person said about one approval. kernel.put_vote inserts it, and nothing but its comment changes.
-- It stays for good.
-- INVARIANT (one person, one vote): votes are written under the lock of their operation, and kernel.put_vote first
-- looks for a vote of the same person that still counts.
-- INVARIANT (last vote decides): the vote that completes the quorum is written in the transaction that readmits or
-- commits the call.
-- INVARIANT (own or lent): a vote with another person's right names the delegation, and only such a vote does.
CREATE TABLE kernel.vote (
  vote_id       text PRIMARY KEY, -- `vot_…`, drawn by the kernel
  tenant_id     text NOT NULL, -- the tenant
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch

  -- The question.

  approval_id   text NOT NULL REFERENCES kernel.approval, -- the approval that it answers
  -- kernel.approval.asked at that moment: once the question changes, the vote counts no more
  asked         integer NOT NULL,
  effect_digest text, -- digest of the effect that was approved or denied; null: the action or a value

  -- The answer.

  -- what the person decided; one denial ends the call, whoever approved before
  says          text NOT NULL CHECK (says IN ('approve', 'deny')),
  comment       text, -- what the person wrote; null: nothing, or erased

  -- Who said it, and with which right.

  principal     text NOT NULL, -- the person whose right and vote it is: a name, or the id of a key without one
  role          text NOT NULL CHECK (role IN ('operator', 'admin')), -- the role that gives the right
  cast_by       text NOT NULL, -- the API key that cast it
  cast_as       text NOT NULL, -- the person behind that key
  delegation_id text REFERENCES kernel.delegation, -- the delegation that lent the right; null: it is the person's own
  record_id     text, -- `rec_…` of the vote; null: the approval's own record covers it

  CONSTRAINT vote_own_or_lent CHECK ((principal = cast_as) = (delegation_id IS NULL))
);
-- the votes of an approval and of one asking
CREATE INDEX vote_of_approval ON kernel.vote (approval_id, asked);
ALTER TABLE kernel.vote ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.vote FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only; the worker has no access.
CREATE POLICY one_tenant ON kernel.vote TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel adds and reads votes. It cannot change what somebody said, nor remove it.
GRANT SELECT, INSERT ON kernel.vote TO writ_kernel;
-- An erasure clears the comment.
GRANT UPDATE (comment) ON kernel.vote TO writ_kernel;

-- A row is the run of a held call that shows its effect without committing it. The kernel inserts it with the hold, or
-- once the effect of a call that ran went stale. It has its own attempts, permits, leases and reservation. It stays
-- for good; an erasure takes its words.
-- INVARIANT (a preview never commits): its operation stays `held`; only what a person is to see is stored.
CREATE TABLE kernel.preview (
  -- Identity.

  operation_id      text PRIMARY KEY REFERENCES kernel.operation, -- the held call; it has one preview at most
  tenant_id         text NOT NULL, -- the tenant
  created_at        bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch
  updated_at        bigint NOT NULL DEFAULT kernel.now_ms(), -- when it changed last, in ms since the epoch

  -- What runs.

  -- the queue that it waits in; calls of brokers have no preview
  lane              text NOT NULL CHECK (lane IN ('inline', 'sandboxed')),
  -- how often an effect was asked for: once more after the first one went stale
  round             integer NOT NULL DEFAULT 1 CHECK (round BETWEEN 1 AND 2),
  state_snapshot_id text NOT NULL, -- `snap_…`, the workspace state that it runs on
  action_digest     text NOT NULL, -- hex SHA-256 of the action on that snapshot: what its permits bind to
  image_digest      text, -- `sha256:…` of the image; null: the lane is inline
  limits            jsonb NOT NULL, -- what it may use at most, {dimension: amount}
  reserved          jsonb NOT NULL, -- what budgets hold for it, {dimension: amount}; {} once it ended

  -- Where it stands, and the run of the current attempt (as in kernel.operation).

  -- waiting → dispatched → performing → ready (an effect is staged and may be approved) or failed (the approval stays
  -- one of the action); abandoned: the call left `held` first, or goes on without it
  state             text NOT NULL
    CHECK (state IN ('waiting', 'dispatched', 'performing', 'ready', 'failed', 'abandoned')),
  -- number of the attempt, which each permit increments; with executor_id and nonce the attempt credentials
  attempt           integer NOT NULL DEFAULT 0,
  executor_id       text, -- the executor that redeemed the permit; null: nobody has
  nonce             text, -- chosen by that executor for this redemption; null as above
  permit_until      bigint, -- until when the permit may be redeemed, in ms since the epoch; null: no permit is issued
  -- until when the executor holds the attempt unless it renews, in ms since the epoch; null: nobody redeemed
  lease_until       bigint,
  leases_lost       integer NOT NULL DEFAULT 0, -- executors that were lost while they ran it; bounds the retries
  -- when the current attempt was redeemed, in ms since the epoch: an abandoned preview is charged from then. Null: not.
  started_at        bigint,

  -- What it found. All null before it ended.

  fault_code        text, -- why the effect could not commit as it is; null: nothing stands against it
  fault_message     text, -- the same in words; null: no fault, or erased
  effect_digest     text, -- hex SHA-256 of the effect; null: none was read. Its staged content is in kernel.payload.
  -- what it asked for and previews do not get, [{kind: egress | secret, what}]: then the approval is of the action
  would_ask_for     jsonb,
  used              jsonb, -- what was settled in the budgets, {dimension: amount}
  -- `rec_…` of what was found; null as well where it was abandoned
  record_id         text
);
-- the next previews of a lane and tenant (kernel.dispatch_previews)
CREATE INDEX preview_waiting ON kernel.preview (lane, tenant_id, created_at, operation_id) WHERE state = 'waiting';
-- previews under way: how many of a lane and of a tenant, and those that timed out (kernel.requeue_previews,
-- kernel.lost_previews)
CREATE INDEX preview_under_way ON kernel.preview (state, tenant_id) WHERE state IN ('dispatched', 'performing');
ALTER TABLE kernel.preview ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.preview FORCE ROW LEVEL SECURITY;
-- The worker dispatches and sweeps previews of all tenants.
CREATE POLICY all_tenants ON kernel.preview TO writ_kernel_worker USING (true) WITH CHECK (true);
-- The kernel sees and writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.preview TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel begins, redeems and ends previews; nobody deletes one.
GRANT SELECT, INSERT, UPDATE ON kernel.preview TO writ_kernel;
-- The worker finds previews that wait, run or are overdue.
GRANT SELECT ON kernel.preview TO writ_kernel_worker;
-- It moves previews between waiting and dispatched. It ends none: an end takes a signed record.
GRANT UPDATE (state, attempt, leases_lost, executor_id, nonce, permit_until, lease_until, started_at, updated_at)
  ON kernel.preview TO writ_kernel_worker;
