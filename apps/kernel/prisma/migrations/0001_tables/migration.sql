-- The kernel's tables. Only the kernel's two roles reach them: writ_kernel within one tenant at a time (row-level security, the tenant is
-- set in the transaction), writ_kernel_worker across tenants for dispatching, leases and the outbox, with grants per table.
-- Times are milliseconds since the epoch by this database's clock: one clock for leases, expiries and records.

CREATE FUNCTION kernel.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
CREATE FUNCTION kernel.tenant() RETURNS text LANGUAGE sql STABLE
  AS $$ SELECT current_setting('writ.tenant_id', true) $$;

CREATE TABLE kernel.tenant (
  tenant_id   text PRIMARY KEY,
  name        text NOT NULL,
  -- data key and fingerprint key of the tenant, each wrapped by the master key: nonce ‖ ciphertext ‖ tag
  data_key    bytea NOT NULL,
  finger_key  bytea NOT NULL,
  -- share of the dispatcher's rounds, and most calls that may be dispatched or performing at once
  weight      integer NOT NULL DEFAULT 1 CHECK (weight BETWEEN 1 AND 1000),
  cap         integer NOT NULL DEFAULT 64 CHECK (cap BETWEEN 1 AND 100000),
  created_at  bigint NOT NULL DEFAULT kernel.now_ms()
);

CREATE TABLE kernel.agent (
  agent_id    text PRIMARY KEY,
  tenant_id   text NOT NULL REFERENCES kernel.tenant,
  name        text NOT NULL,
  created_at  bigint NOT NULL DEFAULT kernel.now_ms()
);
CREATE INDEX agent_by_tenant ON kernel.agent (tenant_id, created_at, agent_id);

CREATE TABLE kernel.workspace (
  workspace_id      text PRIMARY KEY,
  tenant_id         text NOT NULL REFERENCES kernel.tenant,
  name              text NOT NULL,
  head_snapshot_id  text NOT NULL,
  head_seq          bigint NOT NULL DEFAULT 0,
  created_at        bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_at        bigint NOT NULL DEFAULT kernel.now_ms()
);
CREATE INDEX workspace_by_tenant ON kernel.workspace (tenant_id, created_at, workspace_id);

-- One row a state that was ever the head; seq 0 is the empty tree.
CREATE TABLE kernel.snapshot (
  workspace_id  text NOT NULL REFERENCES kernel.workspace,
  seq           bigint NOT NULL,
  tenant_id     text NOT NULL,
  snapshot_id   text NOT NULL,
  parent_snapshot_id text,
  delta_id      text,
  operation_id  text,
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (workspace_id, seq)
);
CREATE INDEX snapshot_by_id ON kernel.snapshot (workspace_id, snapshot_id);

-- Immutable but for revoked_at, which is set once.
CREATE TABLE kernel.token (
  capability_token_id text PRIMARY KEY,
  tenant_id    text NOT NULL REFERENCES kernel.tenant,
  agent_id     text NOT NULL REFERENCES kernel.agent,
  parent_id    text REFERENCES kernel.token,
  -- root first, this token last: the whole chain without a recursive query
  chain        text[] NOT NULL,
  workspace_id text REFERENCES kernel.workspace,
  grant_json   jsonb NOT NULL,
  issuer       text NOT NULL,
  created_at   bigint NOT NULL DEFAULT kernel.now_ms(),
  revoked_at   bigint
);
CREATE INDEX token_by_tenant ON kernel.token (tenant_id, created_at, capability_token_id);
CREATE INDEX token_by_chain ON kernel.token USING gin (chain);

-- One row a bounded dimension of a token. reserved: held by calls under way; used: settled.
CREATE TABLE kernel.budget (
  capability_token_id text NOT NULL REFERENCES kernel.token,
  dimension    text NOT NULL,
  tenant_id    text NOT NULL,
  bound        bigint NOT NULL CHECK (bound >= 0),
  reserved     bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  used         bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  PRIMARY KEY (capability_token_id, dimension),
  CONSTRAINT never_overspent CHECK (reserved + used <= bound)
) WITH (fillfactor = 70);

CREATE TABLE kernel.operation (
  operation_id        text PRIMARY KEY,
  -- No foreign key: each would lock the tenant's one row, and calls of a tenant come by the hundred a second. No tenant is ever deleted.
  tenant_id           text NOT NULL,
  agent_id            text NOT NULL,
  tool_id             text NOT NULL,
  capability_token_id text NOT NULL,
  workspace_id        text,
  session_id          text,
  session_mode        text NOT NULL,
  proposed_by         text NOT NULL,
  -- digest of the proposed call as it came: the same operation_id with another content is refused
  proposal_digest     text NOT NULL,
  state               text NOT NULL,
  mutating            boolean NOT NULL,
  lane                text,
  task_class          text NOT NULL,
  autonomy_mode       text NOT NULL,
  risk_score          numeric(4,3) NOT NULL,
  risk_basis          text[] NOT NULL,
  reasons             jsonb NOT NULL,
  provenance          jsonb NOT NULL,
  precondition_refs   jsonb NOT NULL,
  idempotency_key     text,
  state_snapshot_id   text,
  policy_hash         text NOT NULL,
  tool_definition_digest text,
  args_hash           text,
  action_digest       text,
  image_digest        text,
  -- limits of this call and what is reserved for it along the chain, by dimension
  limits              jsonb,
  reserved            jsonb NOT NULL DEFAULT '{}',
  deadline            bigint,
  approval_id         text,
  approval_refs       text[] NOT NULL DEFAULT '{}',
  -- the current attempt: fenced by (attempt, executor_id, nonce) and the lease
  attempt             integer NOT NULL DEFAULT 0,
  executor_id         text,
  nonce               text,
  permit_until        bigint,
  lease_until         bigint,
  effect_started      boolean NOT NULL DEFAULT false,
  cancel_requested    boolean NOT NULL DEFAULT false,
  -- the end
  tx_outcome          text,
  fault_code          text,
  fault_message       text,
  fault_hint          text,
  result_hash         text,
  result_ref          jsonb,
  effect_digest       text,
  commit_delta_id     text,
  new_snapshot_id     text,
  budget_delta        jsonb,
  decision_record_id  text NOT NULL,
  decision_hash       text NOT NULL,
  outcome_record_id   text,
  traceparent         text,
  created_at          bigint NOT NULL DEFAULT kernel.now_ms(),
  updated_at          bigint NOT NULL DEFAULT kernel.now_ms()
) WITH (fillfactor = 60);
CREATE INDEX operation_by_tenant ON kernel.operation (tenant_id, created_at DESC, operation_id DESC);
CREATE INDEX operation_waiting ON kernel.operation (tenant_id, created_at, operation_id) WHERE state = 'admitted';
CREATE INDEX operation_outstanding ON kernel.operation (permit_until) WHERE state = 'dispatched';
CREATE INDEX operation_leased ON kernel.operation (lease_until) WHERE state = 'performing';

-- What may be erased: arguments, salts, results; encrypted under the tenant's data key (nonce ‖ ciphertext ‖ tag).
CREATE TABLE kernel.payload (
  operation_id text PRIMARY KEY,
  tenant_id    text NOT NULL,
  args         bytea,
  args_ref     jsonb,
  salt         bytea,
  result       bytea,
  -- the staged effect of a held operation: its delta and result, until it is decided
  staged       bytea,
  erased_at    bigint
);

CREATE TABLE kernel.idempotency (
  tenant_id        text NOT NULL,
  agent_id         text NOT NULL,
  tool_id          text NOT NULL,
  idempotency_key  text NOT NULL,
  operation_id     text NOT NULL,
  -- HMAC of the arguments under the tenant's fingerprint key; null once erased (a tombstone)
  args_fingerprint bytea,
  capability_token_id text NOT NULL,
  created_at       bigint NOT NULL DEFAULT kernel.now_ms(),
  PRIMARY KEY (tenant_id, agent_id, tool_id, idempotency_key)
);

CREATE TABLE kernel.approval (
  approval_id   text PRIMARY KEY,
  tenant_id     text NOT NULL,
  operation_id  text NOT NULL REFERENCES kernel.operation,
  action_digest text NOT NULL,
  autonomy_mode text NOT NULL,
  of            text NOT NULL CHECK (of IN ('action', 'effect')),
  state         text NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'cancelled')),
  reasons       jsonb NOT NULL,
  created_at    bigint NOT NULL DEFAULT kernel.now_ms(),
  expires_at    bigint NOT NULL,
  decided_at    bigint,
  decided_by    text,
  comment       text
);
CREATE INDEX approval_by_tenant ON kernel.approval (tenant_id, created_at DESC, approval_id DESC);
CREATE INDEX approval_pending ON kernel.approval (expires_at) WHERE state = 'pending';

-- Signed records on their way to the ledger; a row goes only when the ledger has answered for it.
CREATE TABLE kernel.outbox (
  record_id   text PRIMARY KEY,
  tenant_id   text NOT NULL,
  payload     bytea NOT NULL,
  keyid       text NOT NULL,
  sig         bytea NOT NULL,
  created_at  bigint NOT NULL DEFAULT kernel.now_ms()
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX outbox_by_age ON kernel.outbox (created_at, record_id);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['tenant','agent','workspace','snapshot','token','budget','operation','payload','idempotency','approval','outbox'] LOOP
    EXECUTE format('ALTER TABLE kernel.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE kernel.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY one_tenant ON kernel.%I TO writ_kernel USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant())', t);
  END LOOP;
  -- The worker serves all tenants and therefore gets only what its verbs need.
  FOREACH t IN ARRAY ARRAY['tenant','operation','approval','outbox'] LOOP
    EXECUTE format('CREATE POLICY all_tenants ON kernel.%I TO writ_kernel_worker USING (true) WITH CHECK (true)', t);
  END LOOP;
END $$;

GRANT USAGE ON SCHEMA kernel TO writ_kernel, writ_kernel_worker;
GRANT SELECT, INSERT ON kernel.tenant, kernel.agent, kernel.snapshot, kernel.idempotency TO writ_kernel;
GRANT UPDATE (args_fingerprint) ON kernel.idempotency TO writ_kernel;
GRANT SELECT, INSERT, UPDATE ON kernel.workspace, kernel.budget, kernel.operation, kernel.payload, kernel.approval TO writ_kernel;
GRANT SELECT, INSERT, DELETE ON kernel.outbox TO writ_kernel;
GRANT SELECT, INSERT ON kernel.token TO writ_kernel;
GRANT UPDATE (revoked_at) ON kernel.token TO writ_kernel;
GRANT SELECT (tenant_id, weight, cap) ON kernel.tenant TO writ_kernel_worker;
GRANT SELECT, UPDATE ON kernel.operation TO writ_kernel_worker;
GRANT SELECT ON kernel.approval TO writ_kernel_worker;
GRANT SELECT, DELETE ON kernel.outbox TO writ_kernel_worker;
