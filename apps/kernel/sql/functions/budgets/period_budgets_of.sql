-- Returns the tenant's budgets of a measure that bound what an agent, a person and an API key do, by id: those of the
-- groups that the person is a member of now, too. One with another kind of subject belongs here.
-- p_currency: of the measure `cost`; else null.
-- It sets no search_path, so that the planner can inline it.
CREATE OR REPLACE FUNCTION kernel.period_budgets_of(
  p_tenant text, p_measure text, p_currency text, p_agent text, p_person text, p_key text
) RETURNS SETOF kernel.period_budget LANGUAGE sql STABLE AS $$
  SELECT b.* FROM (
    VALUES ('tenant', p_tenant), ('agent', p_agent), ('person', p_person), ('api_key', p_key)
    UNION ALL
    SELECT 'group', m.group_name FROM kernel.approver_group_member m WHERE m.tenant_id = p_tenant AND m.principal = p_person
  ) s (kind, id)
  JOIN kernel.period_budget b ON b.tenant_id = p_tenant AND b.measure = p_measure AND b.subject_kind = s.kind AND b.subject = s.id
    AND b.currency IS NOT DISTINCT FROM p_currency
  ORDER BY b.budget_id
$$;
GRANT EXECUTE ON FUNCTION kernel.period_budgets_of(text, text, text, text, text, text) TO writ_kernel;
