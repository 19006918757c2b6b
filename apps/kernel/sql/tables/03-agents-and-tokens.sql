-- Agents and the capability tokens that say what they may do, with the budgets that tokens bound. Beside them stand
-- delegations, by which one person lends another the right to approve.
--
-- Row-level security binds writ_kernel to the tenant of its transaction (kernel.tenant()); FORCE binds the owner, too.
-- Times are milliseconds since the epoch, by the clock of this database.

-- A row is an agent of a tenant. Administrators create it; it is never changed or deleted.
CREATE TABLE kernel.agent (
  agent_id   text PRIMARY KEY,
  tenant_id  text NOT NULL REFERENCES kernel.tenant,
  name       text NOT NULL,
  created_at bigint DEFAULT kernel.now_ms() NOT NULL -- ms since the epoch
);

-- Which agents does the tenant have? Lists are newest first.
CREATE INDEX agent_by_tenant ON kernel.agent (tenant_id, created_at, agent_id);

ALTER TABLE kernel.agent ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.agent FORCE ROW LEVEL SECURITY;
-- A transaction reaches agents of its own tenant only. The worker needs no agent, so it has no grant.
CREATE POLICY one_tenant ON kernel.agent TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- An agent stays as it was created: tokens and records name it.
GRANT SELECT, INSERT ON kernel.agent TO writ_kernel;

-- A row is a capability token: what it grants to which agent. Administrators issue tokens, and they and agents derive
-- narrower ones. Session grants, sub-agents and jobs get tokens of their own. A row is never deleted.
-- INVARIANT (immutable): only revoked_at changes, and it is set once. The grants below permit no other change.
-- INVARIANT (children only narrow): a child grants no more than its parent. The kernel checks it when it makes one.
-- INVARIANT (one sub-agent a call): a call of `agent.spawn` makes one token, however often it is asked for.
CREATE TABLE kernel.token (
  capability_token_id text PRIMARY KEY,
  tenant_id           text NOT NULL REFERENCES kernel.tenant,
  agent_id            text NOT NULL REFERENCES kernel.agent, -- who holds it

  parent_id text REFERENCES kernel.token, -- the token that it was made of; null: an administrator issued it as a root
  chain     text[] NOT NULL, -- the way from the root to this token, both included: no query has to recurse

  -- What it grants: tools, paths, hosts, secrets, profiles, effects, budgets, and from when until when it is valid
  -- (not_before, expires_at). The type is `Grant` of libs/contract.
  grant_json   jsonb NOT NULL,
  workspace_id text REFERENCES kernel.workspace, -- the only workspace that it reaches; null: any of the tenant

  issuer     text NOT NULL, -- the API key that issued it
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch
  -- When it was revoked, in ms since the epoch; null: it was not. What derives from a revoked token is revoked with it.
  revoked_at bigint,

  -- What it was made for. Each of the four is set when the token is made, if at all.
  -- A session grant: which calls of a session count as approved under it, `SessionApproval` of libs/contract.
  -- Null: it is no session grant.
  session_approval jsonb,
  -- A sub-agent: the committed call of `agent.spawn` that it was made for. Ids compare as bytes.
  -- Null: it was made otherwise.
  spawned_by       text COLLATE "C",
  -- A job: the tools that an administrator listed for its runs, `JobListing` of libs/contract.
  -- Null: nothing was listed for this token.
  job              jsonb,
  -- A credential: whether it was made for one that was exchanged (kernel.bound_key), which alone uses it.
  exchanged        boolean DEFAULT false NOT NULL
);

-- Which tokens does the tenant have, or does one agent hold? Lists are newest first.
CREATE INDEX token_by_tenant ON kernel.token (tenant_id, created_at, capability_token_id);
CREATE INDEX token_by_agent ON kernel.token (tenant_id, agent_id, created_at, capability_token_id);
-- Which tokens derive from this one? A list of children and a revocation ask it.
CREATE INDEX token_by_chain ON kernel.token USING gin (chain);
-- Which session grants were made of this token for this session? A call that needs a person asks it.
CREATE INDEX token_of_session ON kernel.token (parent_id, (session_approval ->> 'session_id'))
  WHERE session_approval IS NOT NULL;
-- Which tokens may a client's call of this agent use? A call that names none asks it.
CREATE INDEX token_of_calls ON kernel.token (tenant_id, agent_id, ((grant_json ->> 'expires_at')::bigint))
  WHERE revoked_at IS NULL AND session_approval IS NULL AND spawned_by IS NULL AND job IS NULL AND NOT exchanged;
-- Enforces one sub-agent a call, and finds its token.
CREATE UNIQUE INDEX token_spawned ON kernel.token (spawned_by) WHERE spawned_by IS NOT NULL;

ALTER TABLE kernel.token ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.token FORCE ROW LEVEL SECURITY;
-- A transaction reaches tokens of its own tenant only.
CREATE POLICY one_tenant ON kernel.token TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The worker follows chains of all tenants, to skip calls whose token derives from a frozen agent's. It also lists
-- containers with the agent that holds their token.
CREATE POLICY chains_of_all ON kernel.token FOR SELECT TO writ_kernel_worker USING (true);
-- The kernel makes tokens and revokes them. Nobody can widen one.
GRANT SELECT, INSERT ON kernel.token TO writ_kernel;
GRANT UPDATE (revoked_at) ON kernel.token TO writ_kernel;
-- The worker sees who holds a token and its chain, and never what it grants.
GRANT SELECT (capability_token_id, tenant_id, agent_id, chain) ON kernel.token TO writ_kernel_worker;

-- A row is the account of one dimension that a token bounds. It is made with the token and never deleted. A call
-- reserves in the accounts of every token of its chain, and its end turns the reservation into use.
-- INVARIANT (never overspent): reserved and used together stay within the bound. llm_tokens are the exception: what a
-- model used is known only afterwards, and is settled whatever is left.
CREATE TABLE kernel.budget (
  capability_token_id text NOT NULL REFERENCES kernel.token,
  -- calls, cpu_ms, wall_ms, disk_write_bytes, egress_bytes or llm_tokens. The name is the unit: ms, bytes, or a number.
  -- A dimension without a row has no bound.
  dimension           text NOT NULL,
  tenant_id           text NOT NULL,

  bound    bigint NOT NULL CHECK (bound >= 0), -- set with the token
  reserved bigint DEFAULT 0 NOT NULL CHECK (reserved >= 0), -- held by calls under way, and by the next replies of runs
  used     bigint DEFAULT 0 NOT NULL CHECK (used >= 0), -- settled

  PRIMARY KEY (capability_token_id, dimension),
  CONSTRAINT never_overspent CHECK (dimension = 'llm_tokens' OR reserved + used <= bound)
-- Every call updates rows, so pages keep room for new versions of them.
) WITH (fillfactor = 70);

ALTER TABLE kernel.budget ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.budget FORCE ROW LEVEL SECURITY;
-- A transaction reaches budgets of its own tenant only. The worker settles nothing, so it has no grant.
CREATE POLICY one_tenant ON kernel.budget TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel reserves and settles. The UPDATE covers all columns; the checks keep the bound.
GRANT SELECT, INSERT, UPDATE ON kernel.budget TO writ_kernel;

-- A row says what a run of an agent drew on the llm_tokens of its token and of each token above. The kernel writes it
-- when the orchestrator draws for the run. It stays when the run is deleted, because budgets were settled by it.
-- INVARIANT (drawn once): figures are absolute, so a draw that is repeated changes nothing.
-- INVARIANT (spent is spent): what a model used is settled, whatever is left and even under a revoked token. What it is
-- to use next is reserved only where every budget has room, under a valid token.
CREATE TABLE kernel.run_draw (
  tenant_id           text NOT NULL,
  run_id              text NOT NULL,
  capability_token_id text NOT NULL, -- the token of the run's session; a draw under another is refused

  settled  bigint DEFAULT 0 NOT NULL CHECK (settled >= 0), -- LLM tokens that the run used in all; it only grows
  reserved bigint DEFAULT 0 NOT NULL CHECK (reserved >= 0), -- LLM tokens that its next reply may use; 0: no reservation

  -- The last draw. One with a lower (fence, place) comes from a process that lost the run, or late, and is refused.
  fence bigint NOT NULL, -- the claim of the run under which the orchestrator drew
  place bigint NOT NULL, -- the number of the draw under that claim

  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- of the first draw, in ms since the epoch
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL, -- of the last draw that changed something, in ms since the epoch

  PRIMARY KEY (tenant_id, run_id)
-- Every reply of a model updates its run's row, so pages keep room for new versions of it.
) WITH (fillfactor = 70);

ALTER TABLE kernel.run_draw ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.run_draw FORCE ROW LEVEL SECURITY;
-- A transaction reaches draws of its own tenant only. The worker draws nothing, so it has no grant.
CREATE POLICY one_tenant ON kernel.run_draw TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The figures change. The run and its token stay.
GRANT SELECT, INSERT ON kernel.run_draw TO writ_kernel;
GRANT UPDATE (settled, reserved, fence, place, updated_at) ON kernel.run_draw TO writ_kernel;

-- A row says that an API key is a credential that was exchanged for another key or an access token, and which capability
-- token it may use. The exchange writes it before the credential exists. It is never changed or deleted.
-- INVARIANT (bound): no call of the credential is admitted under another token, unless that derives from this one.
CREATE TABLE kernel.bound_key (
  tenant_id           text NOT NULL,
  api_key_id          text NOT NULL, -- the credential
  capability_token_id text NOT NULL REFERENCES kernel.token, -- made for it
  exchanged_by        text NOT NULL, -- the API key that it was exchanged for, and with which it ends
  created_at          bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  PRIMARY KEY (tenant_id, api_key_id)
);

-- Which credentials end with this API key?
CREATE INDEX bound_key_exchanged ON kernel.bound_key (tenant_id, exchanged_by);

ALTER TABLE kernel.bound_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.bound_key FORCE ROW LEVEL SECURITY;
-- A transaction reaches credentials of its own tenant only. The worker decides nothing, so it has no grant.
CREATE POLICY one_tenant ON kernel.bound_key TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A binding is final, so there is no UPDATE and no DELETE.
GRANT SELECT, INSERT ON kernel.bound_key TO writ_kernel;

-- A row is the right to approve that one person lends another for a while. The lender creates it, and the lender or an
-- administrator revokes it. The revocation of the key that made it ends it, too. It is never deleted: votes name it.
CREATE TABLE kernel.delegation (
  delegation_id text PRIMARY KEY,
  tenant_id     text NOT NULL,

  -- A person is the name that API keys carry, or the id of a key without one.
  from_principal text NOT NULL, -- whose right it is: a vote by it counts as theirs
  to_principal   text NOT NULL, -- who may use it
  role           text NOT NULL CHECK (role IN ('operator', 'admin')), -- the right: the role of the key that lends it

  -- The calls that it is good for.
  tools         text[] DEFAULT '{}' NOT NULL, -- tool ids and globs; empty: every tool
  agent_id      text, -- calls of this agent; null: of every agent
  -- The most supervision that it is good for. escalated: it takes an administrator, so only one lends it.
  autonomy_mode text NOT NULL CHECK (autonomy_mode IN ('soft_gate', 'escalated')),

  note       text NOT NULL, -- why, in the lender's words
  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch
  created_by text NOT NULL, -- the API key that made it

  expires_at bigint NOT NULL, -- ms since the epoch, at most 30 days after created_at
  revoked_at bigint, -- ms since the epoch; null: it was not revoked. It is set only before expires_at.
  revoked_by text, -- the API key that revoked it; null: nobody did

  CONSTRAINT delegation_to_another CHECK (from_principal <> to_principal)
);

-- Which delegations does the tenant have? Lists are newest first.
CREATE INDEX delegation_listed ON kernel.delegation (tenant_id, created_at DESC, delegation_id DESC);
-- Which unrevoked delegations did this API key make? The revocation of the key ends them.
CREATE INDEX delegation_by_key ON kernel.delegation (created_by) WHERE revoked_at IS NULL;

ALTER TABLE kernel.delegation ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.delegation FORCE ROW LEVEL SECURITY;
-- A transaction reaches delegations of its own tenant only. The worker counts no votes, so it has no grant.
CREATE POLICY one_tenant ON kernel.delegation TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- A delegation can be created and revoked. Nobody can widen or extend one.
GRANT SELECT, INSERT ON kernel.delegation TO writ_kernel;
GRANT UPDATE (revoked_at, revoked_by) ON kernel.delegation TO writ_kernel;
