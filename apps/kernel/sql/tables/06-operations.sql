-- Operations: each proposed tool call, what the kernel decided about it, and how it ended. This file
-- also has the permitted changes of state, claimed idempotency keys, labels of sessions and workspaces, and effect
-- series. All times are milliseconds since the epoch by this database's clock (kernel.now_ms).

-- A row is one proposed tool call, refused ones included. kernel.admit inserts it with its decision. Later only the
-- kernel's functions change it. It stays for good; an erasure deletes its content and keeps ids, hashes and states.
-- INVARIANT (lifecycle): the state changes only by a pair of kernel.transition; triggers operation_born and
-- operation_moves refuse all others.
-- INVARIANT (tool in force): a decision names the tool definition in force; kernel.admit checks it at the insert, and
-- trigger tool_in_force_at_decision at each later decision.
-- INVARIANT (resolved whole): a resolution has all of its columns or none, and only an ambiguous call has one.
CREATE TABLE kernel.operation (
  -- Identity: which call it is.

  -- `op_…`; the proposer chooses it, so a proposal that is sent twice is one call
  operation_id           text PRIMARY KEY,
  -- No foreign key: each insert would lock the tenant's one row. No tenant is ever deleted.
  tenant_id              text NOT NULL,
  agent_id               text NOT NULL, -- the agent that the call acts for
  created_at             bigint NOT NULL DEFAULT kernel.now_ms(), -- when it was decided first, in ms since the epoch
  -- when its state or an answer about it changed last, in ms since the epoch
  updated_at             bigint NOT NULL DEFAULT kernel.now_ms(),
  traceparent            text, -- W3C `traceparent` header of the proposal; null: it came without one

  -- The proposal.

  proposed_by            text NOT NULL, -- the API key that proposed it
  -- persons who proposed or edited it, none of whom may approve it; empty in old rows, where proposed_by counts instead
  proposers              text[] NOT NULL DEFAULT '{}',
  -- pseudonym of the person on whose behalf it is made; null: none is known. orchestrator.person tells whose it is
  person                 text,
  -- the person whose data the call holds, by an id of the caller's; null: none was named (the call counts as its
  -- agent's), or its content is erased
  data_subject           text,
  -- where the call comes from: {source, dialect, session_id, run_id, turn, parent_operation_id, model}, all optional
  provenance             jsonb NOT NULL,
  -- hex SHA-256 of the proposal without its deadline: another content under the same operation_id is refused;
  -- `erased` once the content is, since it is not salted and a guess of the arguments could be checked against it
  proposal_digest        text NOT NULL,
  tool_id                text NOT NULL, -- the name of the tool
  -- hex SHA-256 of salt and RFC 8785 arguments (kernel.payload has both); null: the arguments could not be read
  args_hash              text,
  -- the token whose authority the call uses: the one that the caller named, or the token of a session grant
  capability_token_id    text NOT NULL,
  -- the workspace that it reads and changes; a proposal must name one, so null is not expected
  workspace_id           text,
  session_id             text, -- the caller's name of the session; null: the call belongs to none
  -- the session that its history and labels count for: its own, else its token's id. A column, not an expression:
  -- under row-level security Postgres uses an index on an expression only if all of it is leakproof.
  session_key            text NOT NULL GENERATED ALWAYS AS (coalesce(session_id, capability_token_id)) STORED,
  session_mode           text NOT NULL, -- interactive, gateway or scheduled
  task_class             text NOT NULL, -- the kind of task, as the caller names it; policies may depend on it
  -- when it is served among the waiting calls of its tenant: what task class and session mode give, or what the job's
  -- definition names. Rows from before this column are interactive.
  scheduling_class       text NOT NULL DEFAULT 'interactive'
    CHECK (scheduling_class IN ('interactive', 'background', 'maintenance')),
  -- what must hold when it commits, [{kind: snapshot | path | external_version, ref, version}]; [] once erased
  precondition_refs      jsonb NOT NULL,
  -- the caller's key in kernel.idempotency; null: none was sent, which is refused for a tool that changes something
  idempotency_key        text,
  deadline               bigint, -- when the call must have ended, in ms since the epoch; null: no such moment

  -- What was decided. A new decision about the same call (approval, rerun, other image) replaces these.

  policy_hash            text NOT NULL, -- hash of the policy set that it was decided under
  tool_definition_digest text, -- hex SHA-256 of the tool's definition; null: there is no such tool
  -- ids of the registered resources that it was decided on, in the order in which its arguments name them
  resource_ids           text[] NOT NULL DEFAULT '{}',
  -- whether the tool changes something; true also for a tool that does not exist
  mutating               boolean NOT NULL,
  -- the queue that it waits in: inline, sandboxed or broker for our executors; function for workers of the tenant;
  -- caller for its proposer, who runs it. Null: it was refused or was a dry run, so nothing runs.
  lane                   text,
  -- supervision, from least to most: autopilot, soft_gate (an operator approves), escalated (an administrator), no_go
  autonomy_mode          text NOT NULL,
  risk_score             numeric(4, 3) NOT NULL, -- from 0 to 1
  risk_basis             text[] NOT NULL, -- ids of the risk rules that apply to it
  -- why it was decided so, [{code, message}] for the caller; each message reads `erased` once the content is erased
  reasons                jsonb NOT NULL,
  -- what is redacted of its result, by the rules that it was decided by: [{rule, pointers}]; null: nothing
  redactions             jsonb,
  -- `snap_…`: the workspace state that it was decided on and runs on; null: the token gave no access to one
  state_snapshot_id      text,
  image_digest           text, -- `sha256:…` of the image that a sandboxed call runs in; null for all others
  -- hex SHA-256 over tool, definition, arguments hash, token, policy, snapshot and image: what its permit binds to
  action_digest          text,
  -- what one attempt may use at most, {dimension: amount}, and of a command `output_bytes`; null: the call was refused
  -- before limits were set
  limits                 jsonb,
  -- what budgets along the token's chain hold for it, {dimension: amount}; {} when nothing is reserved. An ambiguous
  -- call keeps its reservation until a person resolves it.
  reserved               jsonb NOT NULL DEFAULT '{}',
  -- the approval that it waits or waited for, of its action or later of its effect; null: it needed none
  approval_id            text,
  -- approvals that its records cite: those that it runs under, and one that ended it
  approval_refs          text[] NOT NULL DEFAULT '{}',
  approvers              integer NOT NULL DEFAULT 0, -- how many persons approved what it runs as
  -- what its policy demanded of their groups, and they met: `ApproverDemand[]` of libs/contract; null: nothing
  demands_met            jsonb,
  decision_record_id     text NOT NULL, -- `rec_…` of the newest decision
  -- hex SHA-256 of that decision's Statement bytes: the outcome's record repeats it, so the two can be matched
  decision_hash          text NOT NULL,

  -- Its state, and the run of the current attempt.

  -- admitted, refused, held, dispatched, performing, performed, committed, rolled_back, no_op or ambiguous; a row never
  -- has the state `proposed`, which only names the start in kernel.transition
  state                  text NOT NULL,
  -- number of the attempt, which each permit increments; 0: none was issued. With executor_id and nonce these are the
  -- attempt credentials (fencing token): a report that has others is rejected.
  attempt                integer NOT NULL DEFAULT 0,
  -- the executor that redeemed the permit; null: none has. In the lanes function and caller: the API key that took it.
  executor_id            text,
  -- chosen by that executor for this redemption, so that a repeated redemption gets the same answer; null as above
  nonce                  text,
  -- until when the permit may be redeemed, in ms since the epoch; null: no permit is issued
  permit_until           bigint,
  -- until when the executor holds the attempt, in ms since the epoch; it renews the lease. Null: not redeemed.
  lease_until            bigint,
  leases_lost            integer NOT NULL DEFAULT 0, -- executors that were lost while they ran it; bounds the retries
  -- times that it was decided anew and queued again, because another call changed its files or its image was replaced
  reruns                 integer NOT NULL DEFAULT 0,
  -- what earlier attempts used that met a conflict with another call, {dimension: amount}
  spent                  jsonb NOT NULL DEFAULT '{}',
  -- true: an effect outside the workspace may have begun. It is written before the effect starts. From then on the
  -- call is not retried; it commits or ends ambiguous.
  effect_started         boolean NOT NULL DEFAULT false,
  -- true: its end was requested; its executor must stop, and a report is rolled back
  cancel_requested       boolean NOT NULL DEFAULT false,
  killed_by              text, -- who killed its container: an API key or `platform`; null: not killed
  -- true: the API key that proposed it was revoked before it ended; cancel_requested is set with it
  key_revoked            boolean NOT NULL DEFAULT false,

  -- Outcome: how it ended. All are null while it is not over, except those whose line has "set while held", for a call
  -- held for its effect.

  tx_outcome             text, -- what the caller reads: committed, rolled_back, no_op or ambiguous
  fault_code             text, -- code of the fault that ended it; null: none
  fault_message          text, -- the fault in words; null: none, or erased
  fault_hint             text, -- what would have helped; null: none, or erased
  result_hash            text, -- hex SHA-256 of the result's RFC 8785 JSON, set while held; null: there is no result
  -- {sha256, size, sealed: {attempt, mode}} of a result that is a blob, a root of garbage collection; null: the result
  -- is in kernel.payload, there is none, or it is erased. Without `sealed` the blob is stored in clear.
  result_ref             jsonb,
  effect_digest          text, -- hex SHA-256 of the effect that was checked, set while held; null: no effect was read
  -- `delta_…` that it committed, empty if it only did something outside; null: it committed nothing
  commit_delta_id        text,
  new_snapshot_id        text, -- `snap_…`, the head that its commit made; null: the workspace stayed as it was
  -- what was settled in the budgets, {dimension: amount}, set while held; null: nothing is settled (yet)
  budget_delta           jsonb,
  -- who counted the use in the sandbox: host (outside of it) or agent (inside, so weaker evidence). Set for a call
  -- whose effect waits for an approval; null for all others, whose report has it.
  usage_counted_by       text CHECK (usage_counted_by IN ('host', 'agent')),
  -- about the full output in kernel.kept_output, {attempt, stdout: {bytes, cut}, stderr: {bytes, cut}, expires_at}.
  -- kernel.keep_output sets it while the attempt performs; it outlives the output. expires_at null: there was no room.
  -- Null: no attempt had a longer output than its result shows, or the content is erased.
  whole_output           jsonb,
  -- `rec_…` of the outcome; null as well where the decision itself ended the call (refusal, dry run)
  outcome_record_id      text,

  -- Resolution: what a person found out about an ambiguous call. The state stays `ambiguous`. Set once, all together.

  -- whether the effect outside happened; null: not resolved
  resolution             text CHECK (resolution IN ('committed', 'rolled_back')),
  resolution_note        text, -- how that person knows, in words; `erased` once the content is
  resolved_at            bigint, -- in ms since the epoch
  resolved_by            text, -- the API key of that person
  resolution_record_id   text, -- `rec_…` of the resolution

  -- Content: what seals it, and whether it is gone.

  -- kernel.payload_key that seals its content; null: the row is older than such keys, and the tenant's data key does
  payload_key            text,
  -- what stays of its content after its end: full, as long as the tenant keeps it; hashes, nothing else. The stricter of
  -- what the call asked for and of the tenant's payload_mode when it was admitted
  retention              text NOT NULL DEFAULT 'full' CHECK (retention IN ('full', 'hashes')),
  -- {at, erasure_id, record_id} of the erasure of its content; null: the content was not erased
  erased                 jsonb,

  CONSTRAINT resolved_whole CHECK (CASE
    WHEN resolution IS NULL THEN num_nonnulls(resolution_note, resolved_at, resolved_by, resolution_record_id) = 0
    ELSE state = 'ambiguous' AND num_nulls(resolution_note, resolved_at, resolved_by, resolution_record_id) = 0
  END)
-- A row changes several times in its life; free room in its page lets these updates stay there.
) WITH (fillfactor = 60);

-- Lists and erasures, oldest or newest first by (created_at, operation_id):
-- an agent's calls, for its list and for erasures of calls that named no data subject
CREATE INDEX operation_by_agent ON kernel.operation (tenant_id, agent_id, created_at, operation_id);
-- calls of one tool and agent that waited for a person, whose decisions the next approver sees
CREATE INDEX operation_held ON kernel.operation (tenant_id, agent_id, tool_id, created_at, operation_id)
  WHERE approval_id IS NOT NULL;
-- a session's calls, for its list and for its erasure
CREATE INDEX operation_by_session ON kernel.operation (tenant_id, session_id, created_at, operation_id)
  WHERE session_id IS NOT NULL;
-- a data subject's calls, for their erasure
CREATE INDEX operation_by_subject ON kernel.operation (tenant_id, data_subject, created_at, operation_id)
  WHERE data_subject IS NOT NULL;
-- a tenant's calls, for the list, for retention, and for garbage collection, which reads the blobs that they refer to
CREATE INDEX operation_by_tenant ON kernel.operation (tenant_id, created_at DESC, operation_id DESC);
-- a workspace's calls, for its list
CREATE INDEX operation_by_workspace ON kernel.operation (tenant_id, workspace_id, created_at, operation_id)
  WHERE workspace_id IS NOT NULL;

-- calls that are over and of which only hashes stay, until their content is erased (kernel.tenants_with_hashes,
-- kernel.calls_to_erase)
CREATE INDEX operation_hashes ON kernel.operation (tenant_id, updated_at)
  WHERE retention = 'hashes' AND erased IS NULL
    AND (state IN ('refused', 'committed', 'rolled_back', 'no_op') OR (state = 'ambiguous' AND resolution IS NOT NULL));

-- What a session did lately, read at each admission:
-- calls of some tools that were allowed to run, for policies that count them (kernel.session_history)
CREATE INDEX operation_history ON kernel.operation (tenant_id, session_key, tool_id, created_at);
-- calls that destroy something by their risk, however they ended (kernel.session_past); few are in it
CREATE INDEX operation_destructive ON kernel.operation (tenant_id, session_key, created_at)
  WHERE kernel.is_destructive(risk_basis);
-- calls that ran and ended without success, for the risk. It is in the order in which they are read, so that the
-- planner does not choose another index of that order.
CREATE INDEX operation_failed ON kernel.operation (tenant_id, session_key, created_at, operation_id)
  WHERE lane IS NOT NULL
    AND (state IN ('rolled_back', 'ambiguous') OR (state IN ('committed', 'no_op') AND fault_code IS NOT NULL));

-- What waits or runs; each holds only rows in its states:
-- the next calls of a lane, tenant and scheduling class (kernel.dispatch_by_class), and whether a tenant's queue is full
-- (kernel.queue_is_full)
CREATE INDEX operation_waiting ON kernel.operation (lane, tenant_id, scheduling_class, created_at, operation_id)
  WHERE state = 'admitted';
-- calls that waited past their deadline, or past two days (kernel.overdue)
CREATE INDEX operation_overdue ON kernel.operation (kernel.waits_until(deadline, created_at)) WHERE state = 'admitted';
-- permits that were not redeemed in time (kernel.requeue), and how many are issued (kernel.dispatch_by_class)
CREATE INDEX operation_outstanding ON kernel.operation (permit_until) WHERE state = 'dispatched';
-- leases that ran out (kernel.requeue, kernel.overdue)
CREATE INDEX operation_leased ON kernel.operation (lease_until) WHERE state = 'performing';
-- how many calls of a tenant are under way, against its cap and share (kernel.dispatch_by_class)
CREATE INDEX operation_under_way ON kernel.operation (tenant_id) WHERE state IN ('dispatched', 'performing');
-- calls that came back from their first permit: the executor lacked the image or the tool's definition, was lost or
-- never redeemed. No executor may have what they are bound to (kernel.waiting_decided_otherwise). Few calls are in it.
CREATE INDEX operation_left ON kernel.operation (updated_at)
  WHERE (state = 'admitted' AND attempt > 0) OR (state = 'dispatched' AND attempt > 1);
-- calls that an interrupted revocation of their API key left open (kernel.calls_of_revoked_keys); mostly none
CREATE INDEX operation_of_revoked_key ON kernel.operation (updated_at)
  WHERE key_revoked AND state IN ('admitted', 'held', 'dispatched');
-- ambiguous calls that are not resolved, for operators
CREATE INDEX operation_unresolved ON kernel.operation (tenant_id, created_at, operation_id)
  WHERE state = 'ambiguous' AND resolution IS NULL;

ALTER TABLE kernel.operation ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.operation FORCE ROW LEVEL SECURITY;
-- The worker dispatches and sweeps calls of all tenants.
CREATE POLICY all_tenants ON kernel.operation TO writ_kernel_worker USING (true) WITH CHECK (true);
-- The kernel sees and writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.operation TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel decides and ends calls; no role deletes one.
GRANT SELECT, INSERT, UPDATE ON kernel.operation TO writ_kernel;
-- The worker finds calls that wait, run or are overdue.
GRANT SELECT ON kernel.operation TO writ_kernel_worker;
-- It moves calls between waiting and dispatched. It ends none: an end needs a signed record, which the kernel writes.
GRANT UPDATE (state, attempt, executor_id, nonce, permit_until, lease_until, updated_at, leases_lost)
  ON kernel.operation TO writ_kernel_worker;

-- A row is one permitted change of an operation's state. It is data of the schema: it is never written at run time.
-- INVARIANT (one table): it has the pairs of libs/lifecycle, each once; a spec compares the two.
CREATE TABLE kernel.transition (
  from_state text NOT NULL, -- the state before; `proposed` for an insert
  to_state   text NOT NULL, -- the state after; a state without a row of its own as from_state is final
  PRIMARY KEY (from_state, to_state)
);
INSERT INTO kernel.transition (from_state, to_state) VALUES
  ('proposed', 'admitted'),
  ('proposed', 'refused'),
  ('proposed', 'held'),
  ('proposed', 'no_op'),
  ('admitted', 'dispatched'),
  ('admitted', 'refused'),
  ('admitted', 'rolled_back'),
  ('admitted', 'ambiguous'),
  ('held', 'admitted'),
  ('held', 'refused'),
  ('held', 'performed'),
  ('held', 'rolled_back'),
  ('held', 'ambiguous'),
  ('dispatched', 'performing'),
  ('dispatched', 'admitted'),
  ('dispatched', 'rolled_back'),
  ('dispatched', 'ambiguous'),
  ('performing', 'performed'),
  ('performing', 'admitted'),
  ('performing', 'rolled_back'),
  ('performing', 'ambiguous'),
  ('performed', 'committed'),
  ('performed', 'rolled_back'),
  ('performed', 'no_op'),
  ('performed', 'held'),
  ('performed', 'admitted'),
  ('performed', 'ambiguous');
-- No row-level security: it holds nothing of a tenant. Both roles read it, since triggers run as the role that writes.
GRANT SELECT ON kernel.transition TO writ_kernel, writ_kernel_worker;

-- A row says which call claimed an idempotency key. kernel.admit inserts it with a call that is admitted or held;
-- refused calls and dry runs claim none. It stays for good. After an erasure it is a tombstone: a call with that key
-- is refused `idempotency.expired`.
-- INVARIANT (one claim): the index idempotency_of_agent lets one call claim a key of an agent, whatever its tool, however
-- many arrive at once.
CREATE TABLE kernel.idempotency (
  -- The key, as its agent uses it.

  tenant_id           text NOT NULL, -- the tenant
  agent_id            text NOT NULL, -- the agent that the call acts for
  tool_id             text NOT NULL, -- the name of the tool
  idempotency_key     text NOT NULL, -- as the caller sent it
  -- Whether it names the call only for its tool: of a version that let an agent use a key once for each tool, each claim
  -- but the oldest.
  tool_scoped         boolean NOT NULL DEFAULT false,

  -- The call that claimed it.

  operation_id        text NOT NULL, -- the call
  -- HMAC of the arguments under the tenant's fingerprint key: other arguments with the key are refused; null: erased
  args_fingerprint    bytea,
  capability_token_id text NOT NULL, -- the token that the caller named, even if the call uses that of a session grant
  created_at          bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch
  PRIMARY KEY (tenant_id, agent_id, tool_id, idempotency_key)
);
-- Enforces one claim of a key, and finds it for a call of any tool.
CREATE UNIQUE INDEX idempotency_of_agent ON kernel.idempotency (tenant_id, agent_id, idempotency_key)
  WHERE NOT tool_scoped;
ALTER TABLE kernel.idempotency ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.idempotency FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only; the worker has no access.
CREATE POLICY one_tenant ON kernel.idempotency TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel claims keys and reads claims. It cannot give a key to another call.
GRANT SELECT, INSERT ON kernel.idempotency TO writ_kernel;
-- An erasure clears the fingerprint.
GRANT UPDATE (args_fingerprint) ON kernel.idempotency TO writ_kernel;

-- A row is a label on a session or a workspace: what an admitted call brought in, such as secrets it read.
-- kernel.put_labels inserts it with the decision. It stays for good, since later decisions depend on it.
CREATE TABLE kernel.label (
  tenant_id    text NOT NULL, -- the tenant
  -- what bears the label; a call labels its session, and its workspace only if its tool changes something
  scope        text NOT NULL CHECK (scope IN ('session', 'workspace')),
  id           text NOT NULL, -- the workspace, or the session as kernel.operation.session_key has it
  label        text NOT NULL, -- as the tool's definition names it
  operation_id text NOT NULL, -- the first call that brought it
  at           bigint NOT NULL DEFAULT kernel.now_ms(), -- when it was put, in ms since the epoch
  PRIMARY KEY (tenant_id, scope, id, label)
);
ALTER TABLE kernel.label ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.label FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only; the worker has no access.
CREATE POLICY one_tenant ON kernel.label TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel puts and reads labels. It neither changes nor removes one.
GRANT SELECT, INSERT ON kernel.label TO writ_kernel;

-- A row says that a call is about to commit its effect, or has committed it, so that effects of a series are judged
-- together. kernel.join_series inserts it and deletes rows of the workspace that are older than a day.
-- INVARIANT (seen by the later): effects of a workspace join one after another, so of two at once the later sees the
-- earlier. Whether an effect counts follows from its operation's state.
CREATE TABLE kernel.series_effect (
  operation_id  text PRIMARY KEY, -- the call whose effect it is; it joins again at each attempt to commit
  tenant_id     text NOT NULL REFERENCES kernel.tenant, -- the tenant

  -- The series that it belongs to: of its session, and of all tokens under one issued token, in this workspace.

  workspace_id  text NOT NULL, -- the workspace that the effect changes
  session_id    text NOT NULL, -- the session as kernel.operation.session_key has it
  root_token_id text NOT NULL, -- the token at the root of the chain, which an administrator issued

  -- The effect.

  -- hex SHA-256 of its delta, a blob. It is read only until the commit; then the operation names the delta. It is not
  -- a root of garbage collection, which keeps blobs that were stored just now.
  pending_delta text NOT NULL,
  -- the attempt that is about to commit it; the effect of another attempt does not count
  attempt       integer NOT NULL,
  is_approved   boolean NOT NULL, -- whether persons approved exactly this effect
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(), -- when it joined, in ms since the epoch
  -- the order in which effects joined
  seq           bigint GENERATED BY DEFAULT AS IDENTITY
);
-- the effects of a workspace within the window of a series, and those that are a day old
CREATE INDEX series_effect_by_workspace ON kernel.series_effect (tenant_id, workspace_id, created_at);
ALTER TABLE kernel.series_effect ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.series_effect FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only; the worker has no access.
CREATE POLICY one_tenant ON kernel.series_effect TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel adds effects and removes old ones. Its functions use no UPDATE; a spec does, to set is_approved.
GRANT SELECT, INSERT, UPDATE, DELETE ON kernel.series_effect TO writ_kernel;
