-- Budgets of approver groups, which their members share (ADR 0162). The table has a thousand rows for a tenant at most.
ALTER TABLE kernel.period_budget DROP CONSTRAINT period_budget_subject_kind_check;
ALTER TABLE kernel.period_budget ADD CONSTRAINT period_budget_subject_kind_check
  CHECK (subject_kind IN ('tenant', 'agent', 'person', 'group', 'api_key'));
