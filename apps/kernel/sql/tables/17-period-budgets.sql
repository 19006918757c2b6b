-- Budgets of a tenant per day or month: what its calls, and the models of its runs, may use in each period.
--
-- Row-level security binds writ_kernel to the tenant of its transaction; FORCE binds the owner, too. Times are
-- milliseconds since the epoch, by the clock of this database. Periods are calendar days and months in UTC.

-- A row is a budget. Administrators set and delete it, under the tenant's rules, which it locks exclusively: a call is
-- decided wholly before a change or wholly after it.
-- INVARIANT (one of each): a subject has one budget of each period, measure and currency.
CREATE TABLE kernel.period_budget (
  budget_id  text PRIMARY KEY, -- `bgt_…`
  tenant_id  text NOT NULL REFERENCES kernel.tenant,

  -- Whose use it bounds. Another kind of subject is another word here, and a line in kernel.period_budgets_of.
  subject_kind text NOT NULL CHECK (subject_kind IN ('tenant', 'agent', 'person', 'group', 'api_key')),
  -- the tenant, the agent, the person as API keys name them (or the id of a key without one), the approver group, whose
  -- members share the budget, or the API key
  subject      text NOT NULL,

  period   text NOT NULL CHECK (period IN ('day', 'month')),
  -- calls: calls that were admitted. llm_tokens: tokens that models of runs read and wrote. cost: what they cost, in
  -- millionths of the currency.
  measure  text NOT NULL CHECK (measure IN ('calls', 'llm_tokens', 'cost')),
  currency text, -- as the models' prices name it; null unless the measure is cost
  bound    bigint NOT NULL CHECK (bound >= 0), -- the most that one period may use

  created_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch
  created_by text NOT NULL, -- the API key that set it first
  changed_at bigint NOT NULL, -- when its bound was set last, in ms since the epoch
  changed_by text NOT NULL, -- the API key that set it last

  CONSTRAINT currency_of_cost CHECK ((measure = 'cost') = (currency IS NOT NULL))
);

-- Which budgets does the tenant have? Lists are newest first.
CREATE INDEX period_budget_listed ON kernel.period_budget (tenant_id, created_at DESC, budget_id DESC);
-- Enforces one of each. It also tells an admission that its tenant has no budget.
CREATE UNIQUE INDEX period_budget_once
  ON kernel.period_budget (tenant_id, measure, subject_kind, subject, period, coalesce(currency, ''));

ALTER TABLE kernel.period_budget ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.period_budget FORCE ROW LEVEL SECURITY;
-- A transaction reaches budgets of its own tenant only. The worker decides nothing, so it has no grant.
CREATE POLICY one_tenant ON kernel.period_budget TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- Nobody gives a budget another subject, period or measure.
GRANT SELECT, INSERT, DELETE ON kernel.period_budget TO writ_kernel;
GRANT UPDATE (bound, changed_at, changed_by) ON kernel.period_budget TO writ_kernel;

-- A row is a part of what was used of a budget in one period. Calls that are admitted at once count in different parts,
-- so that none waits for another. kernel.count_in_budgets hands the bound out to the parts.
-- INVARIANT (never exceeded): of calls, `used` of a part is within its `granted`, and all `granted` of a period together
-- are within the bound of the budget, or of an earlier one where it was lowered since.
CREATE TABLE kernel.period_use (
  budget_id text NOT NULL REFERENCES kernel.period_budget ON DELETE CASCADE,
  starts_at bigint NOT NULL, -- when the period starts, in ms since the epoch
  part      integer NOT NULL, -- from 0; there are as many as calls were admitted at once
  tenant_id text NOT NULL,

  granted bigint NOT NULL CHECK (granted >= 0), -- handed out to this part
  used    bigint NOT NULL CHECK (used >= 0),

  PRIMARY KEY (budget_id, starts_at, part),
  CONSTRAINT never_exceeded CHECK (used <= granted)
-- Every call updates a row, so pages keep room for new versions of it.
) WITH (fillfactor = 50);

ALTER TABLE kernel.period_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.period_use FORCE ROW LEVEL SECURITY;
-- A transaction reaches the use of its own tenant only.
CREATE POLICY one_tenant ON kernel.period_use TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The kernel counts. It deletes parts of periods that are long over.
GRANT SELECT, INSERT, DELETE ON kernel.period_use TO writ_kernel;
GRANT UPDATE (granted, used) ON kernel.period_use TO writ_kernel;

-- A row says what the models of a run used so far, as the orchestrator reported it, and what its next reply may use. The
-- kernel writes it where its tenant has a budget of tokens or costs. It stays when the run is deleted.
-- INVARIANT (drawn once): figures are absolute, so a draw that is repeated counts nothing again.
CREATE TABLE kernel.period_draw (
  tenant_id text NOT NULL,
  run_id    text NOT NULL,

  -- Whose run it is: the subjects of budgets.
  agent_id   text NOT NULL,
  person     text NOT NULL, -- as API keys name persons, or the id of a key without one
  api_key_id text NOT NULL,
  currency   text, -- of its costs; null: its model has no prices, or none in a currency

  tokens_settled  bigint DEFAULT 0 NOT NULL CHECK (tokens_settled >= 0), -- used in all and counted; it only grows
  tokens_reserved bigint DEFAULT 0 NOT NULL CHECK (tokens_reserved >= 0), -- that its next reply may use
  cost_settled    bigint DEFAULT 0 NOT NULL CHECK (cost_settled >= 0), -- likewise, in millionths of the currency
  cost_reserved   bigint DEFAULT 0 NOT NULL CHECK (cost_reserved >= 0),

  -- The last draw, as in kernel.run_draw.
  fence      bigint NOT NULL,
  place      bigint NOT NULL,
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL, -- ms since the epoch

  PRIMARY KEY (tenant_id, run_id)
-- Every reply of a model updates its run's row, so pages keep room for new versions of it.
) WITH (fillfactor = 70);

-- What do runs of the tenant hold reserved?
CREATE INDEX period_draw_reserved ON kernel.period_draw (tenant_id) WHERE tokens_reserved > 0 OR cost_reserved > 0;

ALTER TABLE kernel.period_draw ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.period_draw FORCE ROW LEVEL SECURITY;
-- A transaction reaches draws of its own tenant only. The worker draws nothing, so it has no grant.
CREATE POLICY one_tenant ON kernel.period_draw TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
-- The figures change, and a currency becomes known. The run and whose it is stay.
GRANT SELECT, INSERT ON kernel.period_draw TO writ_kernel;
GRANT UPDATE (currency, tokens_settled, tokens_reserved, cost_settled, cost_reserved, fence, place, updated_at)
  ON kernel.period_draw TO writ_kernel;
