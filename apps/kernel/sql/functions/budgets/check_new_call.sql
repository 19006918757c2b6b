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
