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
