-- Returns the tenant's budgets of a measure that bound what an agent, a person and an API key do, by id. One with
-- another kind of subject, such as a group, belongs here.
-- p_currency: of the measure `cost`; else null.
-- It sets no search_path, so that the planner can inline it.
CREATE OR REPLACE FUNCTION kernel.period_budgets_of(
  p_tenant text, p_measure text, p_currency text, p_agent text, p_person text, p_key text
) RETURNS SETOF kernel.period_budget LANGUAGE sql STABLE AS $$
  SELECT b.* FROM kernel.period_budget b
  WHERE b.tenant_id = p_tenant AND b.measure = p_measure AND b.currency IS NOT DISTINCT FROM p_currency
    AND (b.subject_kind, b.subject) IN (('tenant', p_tenant), ('agent', p_agent), ('person', p_person), ('api_key', p_key))
  ORDER BY b.budget_id
$$;
GRANT EXECUTE ON FUNCTION kernel.period_budgets_of(text, text, text, text, text, text) TO writ_kernel;
