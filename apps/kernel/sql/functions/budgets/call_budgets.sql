-- Returns the budgets per period that bound a call, by id, each with what is used of it now: [{budget_id, subject_kind,
-- subject, period, measure, currency, bound, used, resets_at}]. Null where the tenant has no budget of calls.
-- It takes no locks: kernel.count_in_budgets asserts the bound when the call is admitted.
CREATE OR REPLACE FUNCTION kernel.call_budgets(p_tenant text, p_agent text, p_person text, p_key text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = kernel, pg_temp AS $$
DECLARE
  t bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM period_budget b WHERE b.tenant_id = p_tenant AND b.measure = 'calls') THEN RETURN NULL; END IF;
  t := now_ms();
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('budget_id', b.budget_id, 'subject_kind', b.subject_kind, 'subject', b.subject,
      'period', b.period, 'measure', b.measure, 'currency', b.currency, 'bound', b.bound, 'resets_at', period_end(b.period, t),
      'used', (SELECT coalesce(sum(u.used), 0)::bigint FROM period_use u
        WHERE u.budget_id = b.budget_id AND u.starts_at = period_start(b.period, t))) ORDER BY b.budget_id), '[]')
    FROM period_budgets_of(p_tenant, 'calls', NULL, p_agent, p_person, origin_of_key(p_tenant, p_key)) b);
END $$;
GRANT EXECUTE ON FUNCTION kernel.call_budgets(text, text, text, text) TO writ_kernel;
