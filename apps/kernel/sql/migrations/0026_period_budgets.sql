-- Budgets per day and month (ADR 0162).
CREATE TABLE kernel.period_budget (
  budget_id  text PRIMARY KEY,
  tenant_id  text NOT NULL REFERENCES kernel.tenant,
  subject_kind text NOT NULL CHECK (subject_kind IN ('tenant', 'agent', 'person', 'api_key')),
  subject      text NOT NULL,
  period   text NOT NULL CHECK (period IN ('day', 'month')),
  measure  text NOT NULL CHECK (measure IN ('calls', 'llm_tokens', 'cost')),
  currency text,
  bound    bigint NOT NULL CHECK (bound >= 0),
  created_at bigint DEFAULT kernel.now_ms() NOT NULL,
  created_by text NOT NULL,
  changed_at bigint NOT NULL,
  changed_by text NOT NULL,
  CONSTRAINT currency_of_cost CHECK ((measure = 'cost') = (currency IS NOT NULL))
);
CREATE INDEX period_budget_listed ON kernel.period_budget (tenant_id, created_at DESC, budget_id DESC);
CREATE UNIQUE INDEX period_budget_once
  ON kernel.period_budget (tenant_id, measure, subject_kind, subject, period, coalesce(currency, ''));
ALTER TABLE kernel.period_budget ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.period_budget FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.period_budget TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE ON kernel.period_budget TO writ_kernel;
GRANT UPDATE (bound, changed_at, changed_by) ON kernel.period_budget TO writ_kernel;
CREATE TABLE kernel.period_use (
  budget_id text NOT NULL REFERENCES kernel.period_budget ON DELETE CASCADE,
  starts_at bigint NOT NULL,
  part      integer NOT NULL,
  tenant_id text NOT NULL,
  granted bigint NOT NULL CHECK (granted >= 0),
  used    bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (budget_id, starts_at, part),
  CONSTRAINT never_exceeded CHECK (used <= granted)
) WITH (fillfactor = 50);
ALTER TABLE kernel.period_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.period_use FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.period_use TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT, DELETE ON kernel.period_use TO writ_kernel;
GRANT UPDATE (granted, used) ON kernel.period_use TO writ_kernel;
CREATE TABLE kernel.period_draw (
  tenant_id text NOT NULL,
  run_id    text NOT NULL,
  agent_id   text NOT NULL,
  person     text NOT NULL,
  api_key_id text NOT NULL,
  currency   text,
  tokens_settled  bigint DEFAULT 0 NOT NULL CHECK (tokens_settled >= 0),
  tokens_reserved bigint DEFAULT 0 NOT NULL CHECK (tokens_reserved >= 0),
  cost_settled    bigint DEFAULT 0 NOT NULL CHECK (cost_settled >= 0),
  cost_reserved   bigint DEFAULT 0 NOT NULL CHECK (cost_reserved >= 0),
  fence      bigint NOT NULL,
  place      bigint NOT NULL,
  updated_at bigint DEFAULT kernel.now_ms() NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
) WITH (fillfactor = 70);
CREATE INDEX period_draw_reserved ON kernel.period_draw (tenant_id) WHERE tokens_reserved > 0 OR cost_reserved > 0;
ALTER TABLE kernel.period_draw ENABLE ROW LEVEL SECURITY;
ALTER TABLE kernel.period_draw FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON kernel.period_draw TO writ_kernel
  USING (tenant_id = kernel.tenant()) WITH CHECK (tenant_id = kernel.tenant());
GRANT SELECT, INSERT ON kernel.period_draw TO writ_kernel;
GRANT UPDATE (currency, tokens_settled, tokens_reserved, cost_settled, cost_reserved, fence, place, updated_at)
  ON kernel.period_draw TO writ_kernel;

-- What its triggers call. The other functions are those of functions/budgets.
-- Checks a call that is inserted and not refused. Refuses one of a credential that was exchanged, unless its capability
-- token is the one that the credential is bound to, or derives from it: raises WR012. Counts an admitted call in the
-- budgets that bound it: raises what kernel.count_in_budgets does.
-- A trigger of kernel.operation: it holds for every version of the kernel that runs. One statement finds out that
-- nothing has to be done, since each one costs its set-up.
CREATE OR REPLACE FUNCTION kernel.check_new_call() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_bound text;
  v_counts boolean;
BEGIN
  SELECT (SELECT k.capability_token_id FROM bound_key k WHERE k.tenant_id = new.tenant_id AND k.api_key_id = new.proposed_by),
    new.state = 'admitted' AND EXISTS (SELECT FROM period_budget b WHERE b.tenant_id = new.tenant_id AND b.measure = 'calls')
    INTO v_bound, v_counts;
  IF v_bound IS NOT NULL AND NOT EXISTS (
    SELECT FROM token t WHERE t.capability_token_id = new.capability_token_id AND v_bound = ANY (t.chain))
  THEN
    RAISE EXCEPTION 'the credential is bound to another capability token' USING ERRCODE = 'WR012';
  END IF;
  IF v_counts THEN PERFORM count_in_budgets(new); END IF;
  RETURN new;
END $$;
GRANT EXECUTE ON FUNCTION kernel.check_new_call() TO writ_kernel;

-- Counts a held call that is admitted, or whose shown effect is about to be committed, in the budgets that bound it:
-- raises what kernel.count_in_budgets does. A trigger of kernel.operation: it holds for every version of the kernel.
CREATE OR REPLACE FUNCTION kernel.count_approved_call() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM period_budget b WHERE b.tenant_id = new.tenant_id AND b.measure = 'calls') THEN
    PERFORM count_in_budgets(new);
  END IF;
  RETURN new;
END $$;
GRANT EXECUTE ON FUNCTION kernel.count_approved_call() TO writ_kernel;

DROP TRIGGER operation_of_bound_key ON kernel.operation;
CREATE TRIGGER operation_checked BEFORE INSERT ON kernel.operation
  FOR EACH ROW WHEN (new.state <> 'refused')
  EXECUTE FUNCTION kernel.check_new_call();
CREATE TRIGGER operation_approved BEFORE UPDATE OF decision_record_id ON kernel.operation
  FOR EACH ROW WHEN (
    old.attempt = 0 AND new.decision_record_id IS DISTINCT FROM old.decision_record_id
    AND ((old.state = 'held' AND new.state = 'admitted') OR (old.state = new.state AND new.state IN ('committed', 'no_op')))
  )
  EXECUTE FUNCTION kernel.count_approved_call();
DROP FUNCTION kernel.refuse_unbound_call();
-- It has one more parameter.
DROP FUNCTION IF EXISTS kernel.facts_of_call(text, text, text, text, text, text, text, integer, text, jsonb, jsonb, text);
