-- Policies: the rules that a tenant's calls are decided under. A tenant stores policy sets and activates one of them.
-- Freezes are the emergency stop beside them.
--
-- INVARIANT (wholly before or wholly after): a decision locks the tenant's rules shared until its COMMIT
-- (kernel.hold_rules); a change of the rules locks them exclusively (kernel.change_rules). So no call is decided under
-- a policy set that is no longer in force, and none is admitted or committed past a freeze.
--
-- Row-level security binds writ_kernel to the tenant of its transaction (kernel.tenant()); FORCE binds the owner, too.
-- Times are milliseconds since the epoch, by the clock of this database.

-- A row is a policy set of a tenant. Administrators store sets; activating a shipped set stores it as well. A set
-- decides nothing until it is activated. It is never changed or deleted, because operations name it by its hash.
CREATE TABLE kernel.policy_set (
  tenant_id   text NOT NULL REFERENCES kernel.tenant,
  policy_hash text NOT NULL CHECK (policy_hash ~ '^[0-9a-f]{64}$'), -- hex SHA-256 of document and schema version

  name     text NOT NULL, -- as the document says it
  version  integer NOT NULL CHECK (version > 0), -- counts the tenant's sets of that name, from 1
  document jsonb NOT NULL, -- the whole set, with what its author left out filled in

  created_by text NOT NULL, -- the API key that stored it; of a shipped set, the one that first activated it
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  -- One document is stored once, and `name@version` names one set.
  PRIMARY KEY (tenant_id, policy_hash),
  UNIQUE (tenant_id, name, version)
);

-- Which sets does the tenant have? Lists are newest first.
CREATE INDEX policy_set_by_tenant ON kernel.policy_set (tenant_id, created_at, policy_hash);

ALTER TABLE kernel.policy_set ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.policy_set FORCE ROW LEVEL SECURITY;
-- A transaction reaches sets of its own tenant only. The worker decides nothing, so it has no grant.
CREATE POLICY one_tenant ON kernel.policy_set TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A set is immutable, so there is no UPDATE and no DELETE.
GRANT SELECT, INSERT ON kernel.policy_set TO writ_kernel;

-- A row says that a policy set was put into force. Administrators activate and roll back; both append a row, and nobody
-- changes or deletes one. The newest row is in force; a tenant without a row has the default set.
-- INVARIANT (one at a time): an activation is written under the exclusive lock of the tenant's rules, and only where no
-- other was written since its author looked (kernel.activate_policy).
CREATE TABLE kernel.policy_activation (
  tenant_id text NOT NULL,
  seq       bigint NOT NULL CHECK (seq > 0), -- counts the tenant's activations, from 1

  policy_hash  text NOT NULL, -- the set that it put into force
  at           bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch
  activated_by text NOT NULL, -- the API key
  -- The person behind that key; null: not recorded. This person cannot alone approve an edited call under the set.
  activated_as text,
  note         text, -- why, in that person's words; null: none

  PRIMARY KEY (tenant_id, seq),
  FOREIGN KEY (tenant_id, policy_hash) REFERENCES kernel.policy_set
);

ALTER TABLE kernel.policy_activation ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.policy_activation FORCE ROW LEVEL SECURITY;
-- A transaction reaches activations of its own tenant only. The worker decides nothing, so it has no grant.
CREATE POLICY one_tenant ON kernel.policy_activation TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The history of what was in force only grows, so there is no UPDATE and no DELETE.
GRANT SELECT, INSERT ON kernel.policy_activation TO writ_kernel;

-- A row is a freeze. While it stands, no call that it covers is admitted, dispatched, redeemed or committed.
-- Administrators and operators place freezes of their tenant, and administrators lift them; the platform key does both
-- for the deployment. An agent that is granted another one freezes it by a call, and lifts what it placed itself. A row is never deleted; it stands until it expires or is lifted.
CREATE TABLE kernel.freeze (
  freeze_id text PRIMARY KEY,
  tenant_id text NOT NULL, -- `*`: of the whole deployment, and every tenant sees it

  -- tenant: all calls of the tenant; tool: all calls of a tool; all: all calls of the deployment.
  -- agent: all calls of an agent, and of whomever it delegated tokens to.
  scope   text NOT NULL CHECK (scope IN ('tenant', 'agent', 'tool', 'all')),
  subject text NOT NULL, -- the agent or the tool; of the other scopes, the row's own tenant_id

  reason     text NOT NULL, -- why; callers that are refused read it
  placed_by  text NOT NULL, -- the API key, `platform`, or the agent that placed it by a call
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  expires_at bigint, -- ms since the epoch; placing it again may put it later. Null: it stands until it is lifted.
  lifted_at  bigint, -- ms since the epoch; null: it was not lifted. It is set only while the freeze stands.
  lifted_by  text, -- the API key, the agent or `platform`; null: nobody lifted it

  -- Only the deployment freezes everything, and it freezes nothing less.
  CONSTRAINT all_is_the_deployments CHECK ((scope = 'all') = (tenant_id = '*')),
  -- A freeze that names no agent and no tool names whom it covers.
  CONSTRAINT wide_names_itself CHECK (scope IN ('agent', 'tool') OR subject = tenant_id)
);

-- Which freezes does a tenant, or the deployment, have? Lists are newest first.
CREATE INDEX freeze_by_tenant ON kernel.freeze (tenant_id, created_at, freeze_id);
-- Which freezes may stand? Every decision asks it; mostly there is none.
CREATE INDEX freeze_unlifted ON kernel.freeze (tenant_id) WHERE lifted_at IS NULL;

ALTER TABLE kernel.freeze ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.freeze FORCE ROW LEVEL SECURITY;
-- A tenant sees its own freezes and those of the deployment, since both stop its calls.
CREATE POLICY own_and_everybodys ON kernel.freeze FOR SELECT TO writ_kernel
  USING (tenant_id IN (kernel.tenant(), '*'));
-- It places its own only.
CREATE POLICY own_new ON kernel.freeze FOR INSERT TO writ_kernel WITH CHECK (tenant_id = kernel.tenant());
-- It extends and lifts its own only. The platform key's transactions have the tenant `*`.
CREATE POLICY own_changed ON kernel.freeze FOR UPDATE TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The worker dispatches for all tenants, so it sees every freeze.
CREATE POLICY all_tenants ON kernel.freeze FOR SELECT TO writ_kernel_worker USING (true);
-- The kernel places, extends and lifts. Nobody can change what a freeze covers, or who placed it and why.
GRANT SELECT, INSERT ON kernel.freeze TO writ_kernel;
GRANT UPDATE (expires_at, lifted_at, lifted_by) ON kernel.freeze TO writ_kernel;
-- The worker reads freezes, to skip the calls that they cover. It can lift none.
GRANT SELECT ON kernel.freeze TO writ_kernel_worker;
