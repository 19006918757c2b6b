-- Payloads: what calls were given and what they returned, encrypted, with the keys that seal it; the full output of
-- commands; and values that people gave to sessions. An erasure takes all of it (functions/erasure).
-- All times are milliseconds since the epoch by this database's clock (kernel.now_ms).

-- A row is a key that seals the content of calls: those of one data subject, or of one session where none was named.
-- kernel.admit inserts it with the first call that brings it; the erasure of its last call deletes it, in the same
-- transaction. Keep this table in no backup for longer than content may live: without its key, a copy of content is
-- noise.
-- INVARIANT (one key a call): all that is kept of a call is under the key that it was admitted with.
CREATE TABLE kernel.payload_key (
  -- 128 random bits, base64url, drawn by a kernel process; neither it nor the row names the subject or session
  key_id     text PRIMARY KEY,
  tenant_id  text NOT NULL, -- the tenant whose calls it seals
  sealed     bytea NOT NULL, -- the key, encrypted under the tenant's data key: nonce ‖ ciphertext ‖ tag
  created_at bigint NOT NULL DEFAULT kernel.now_ms(), -- in ms since the epoch
  -- from then on no call is admitted under it, in ms since the epoch: a day after its insert, or the moment when one of
  -- its calls is erased
  until      bigint NOT NULL
);
ALTER TABLE kernel.payload_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.payload_key FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only; the worker reads no key.
CREATE POLICY one_tenant ON kernel.payload_key TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel stores, reads and deletes keys; it cannot replace the sealed bytes.
GRANT SELECT, INSERT, DELETE ON kernel.payload_key TO writ_kernel;
-- An erasure ends admissions under the keys that it leaves.
GRANT UPDATE (until) ON kernel.payload_key TO writ_kernel;

-- A row is the content of one call. kernel.admit inserts it with the operation; the kernel adds the result at the end.
-- The row stays for good; an erasure empties it. Each bytea is AES-256-GCM under the call's key and bound to tenant,
-- call and column: `writ:ck1` ‖ key id ‖ nonce ‖ ciphertext ‖ tag, or from the nonce on under the tenant's data key.
-- args_ref refers to a blob, which makes it a root of garbage collection.
CREATE TABLE kernel.payload (
  operation_id text PRIMARY KEY, -- the call, a row of kernel.operation
  tenant_id    text NOT NULL, -- the tenant

  -- What the call was given.

  args         bytea, -- RFC 8785 JSON of the arguments; null: they came by reference, could not be read, or are erased
  -- {sha256, size, sealed_key} of long arguments in a blob; sealed_key is the blob's own key, sealed under the call's,
  -- in base64. Without it the blob is stored in clear. Null: the arguments are inline, or are erased.
  args_ref     jsonb,
  salt         bytea, -- 32 random bytes that salt args_hash of the operation; null: erased

  -- What it returned and did.

  -- RFC 8785 JSON of the result; null: there is none yet, it is a blob (result_ref of the operation), or it is erased
  result       bytea,
  -- JSON of the effect that waits for an approval: its result, digest and use, and references to its blobs, which are
  -- roots of garbage collection. Null: nothing waits.
  staged       bytea,
  -- RFC 8785 JSON of the network requests that asked to leave: of the attempt that ended the call, after those that
  -- were announced in attempts without a report. Null: there were none, no attempt has ended, or they are erased.
  requests     bytea,
  -- pieces of these lists as they came during attempts, each RFC 8785 JSON of {attempt, seq, from, items}; emptied by
  -- trigger forget_announced once `requests` is set
  announced    bytea[] NOT NULL DEFAULT '{}',

  -- What seals it, and whether it is gone.

  -- kernel.payload_key, as operation.payload_key has it; null: the row is older than such keys, and the tenant's data
  -- key seals it. No foreign key: the row outlives its key.
  key_id       text,
  -- when its content was erased, in ms since the epoch; null: it was not
  erased_at    bigint
);
-- whether a key still seals content (kernel.forget_payload_keys)
CREATE INDEX payload_by_key ON kernel.payload (key_id) WHERE key_id IS NOT NULL AND erased_at IS NULL;
ALTER TABLE kernel.payload ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.payload FORCE ROW LEVEL SECURITY;
-- The kernel sees and writes the tenant of its transaction only; the worker has no access to content.
CREATE POLICY one_tenant ON kernel.payload TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel writes and empties rows; nobody deletes one.
GRANT SELECT, INSERT, UPDATE ON kernel.payload TO writ_kernel;

-- A row refers to the full output of a command whose result shows only its beginning. kernel.keep_output inserts it
-- while the attempt performs. kernel.sweep_outputs deletes it once it expires; then its blobs are unreachable.
-- INVARIANT (output quota): the rows of a tenant that have not expired hold no more bytes than its outputs_bytes_max.
CREATE TABLE kernel.kept_output (
  operation_id text PRIMARY KEY, -- the call that the command belongs to
  tenant_id    text NOT NULL, -- the tenant, whose quota the output counts against
  attempt      integer NOT NULL CHECK (attempt > 0), -- the attempt that said it; a later attempt replaces the row
  -- {sha256, size, cut, sealed: {attempt, mode}} of a blob, a root of garbage collection; size in bytes, cut: the
  -- executor itself dropped the end
  stdout_ref   jsonb NOT NULL,
  stderr_ref   jsonb NOT NULL, -- as stdout_ref
  -- when it may be deleted, in ms since the epoch: WRIT_OUTPUT_KEPT_MS after its insert, or the tenant's output_days if
  -- that is sooner
  expires_at   bigint NOT NULL,
  -- in ms since the epoch
  created_at   bigint NOT NULL DEFAULT kernel.now_ms()
);
-- rows that expired (kernel.sweep_outputs)
CREATE INDEX kept_output_ends ON kernel.kept_output (expires_at);
-- what a tenant's outputs hold together (kernel.outputs_held)
CREATE INDEX kept_output_of_tenant ON kernel.kept_output (tenant_id);
ALTER TABLE kernel.kept_output ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.kept_output FORCE ROW LEVEL SECURITY;
-- The worker deletes what expired, of all tenants.
CREATE POLICY all_tenants ON kernel.kept_output TO writ_kernel_worker USING (true);
-- The kernel sees and writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.kept_output TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel keeps and serves outputs; an erasure deletes them.
GRANT SELECT, INSERT, DELETE ON kernel.kept_output TO writ_kernel;
-- A later attempt replaces what an earlier one kept.
GRANT UPDATE (attempt, stdout_ref, stderr_ref, expires_at) ON kernel.kept_output TO writ_kernel;
-- The worker finds and deletes what expired; it cannot read which blobs a row refers to.
GRANT SELECT (operation_id, tenant_id, expires_at) ON kernel.kept_output TO writ_kernel_worker;
GRANT DELETE ON kernel.kept_output TO writ_kernel_worker;

-- A row is a value that a person gave to a call that waited for it, for one use or for the session. kernel.put_value
-- inserts it when the approval closes. kernel.sweep_values deletes it once it expires or its one use has ended.
CREATE TABLE kernel.session_value (
  approval_id text PRIMARY KEY, -- the approval that the value answered
  tenant_id   text NOT NULL, -- the tenant

  -- Which call may have it: one of this agent and session that asks for this name.

  agent_id    text NOT NULL, -- the agent that asked for it
  session_id  text NOT NULL, -- the session as kernel.operation.session_key has it
  name        text NOT NULL, -- the name that calls ask for or refer to

  -- The value.

  -- true: the call that asks gets a reference, and tools get the value where their arguments refer to it; false: the
  -- call that asks gets the value itself
  secret      boolean NOT NULL,
  -- once: the first call that takes it keeps it; session: every call of the session may take it
  scope       text NOT NULL CHECK (scope IN ('once', 'session')),
  -- AES-256-GCM under the tenant's data key, bound to tenant, approval and name: nonce ‖ ciphertext ‖ tag
  sealed      bytea NOT NULL,
  key_id      text NOT NULL, -- which data key sealed it (a hash of the key, not a row of kernel.payload_key)

  -- Its use and its end.

  -- the call that has the one use; null: nobody yet, or the value is for the session. A value for one use that is no
  -- secret belongs to the call that asked from the start.
  taken_by    text,
  expires_at  bigint NOT NULL, -- when it may no longer be used, in ms since the epoch
  -- in ms since the epoch
  created_at  bigint NOT NULL DEFAULT kernel.now_ms()
);
-- the newest value of a name in a session (kernel.take_value, kernel.value_known)
CREATE INDEX session_value_by_name ON kernel.session_value (tenant_id, agent_id, session_id, name, created_at);
-- rows that expired (kernel.sweep_values)
CREATE INDEX session_value_ends ON kernel.session_value (expires_at);
-- rows whose one use is taken, to find those whose call is over (kernel.sweep_values)
CREATE INDEX session_value_taken ON kernel.session_value (taken_by) WHERE taken_by IS NOT NULL;
ALTER TABLE kernel.session_value ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.session_value FORCE ROW LEVEL SECURITY;
-- The worker deletes what is over, of all tenants.
CREATE POLICY all_tenants ON kernel.session_value TO writ_kernel_worker USING (true);
-- The kernel sees and writes the tenant of its transaction only.
CREATE POLICY one_tenant ON kernel.session_value TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel stores and opens values; an erasure deletes them.
GRANT SELECT, INSERT, DELETE ON kernel.session_value TO writ_kernel;
-- A call takes a value for one use; the value itself never changes.
GRANT UPDATE (taken_by) ON kernel.session_value TO writ_kernel;
-- The worker finds and deletes what is over; it cannot read a value, its name or its session.
GRANT SELECT (approval_id, tenant_id, taken_by, expires_at) ON kernel.session_value TO writ_kernel_worker;
GRANT DELETE ON kernel.session_value TO writ_kernel_worker;
