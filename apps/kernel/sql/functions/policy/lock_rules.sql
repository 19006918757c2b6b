-- Holds the rules of a tenant until COMMIT, for a transaction that commits a call: shared, or exclusively where the
-- call itself changes them (a freeze of another agent, its lifting, a cancellation of its calls).
-- p_changes: as kernel.apply_changes takes it; null for none.
-- Locks: the deployment's rules, shared; then the tenant's. An exclusive lock is taken at once and never by an upgrade:
-- two transactions that both upgraded would wait for each other.
CREATE OR REPLACE FUNCTION kernel.lock_rules(p_tenant text, p_changes jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF jsonb_path_exists(coalesce(p_changes, '[]'), '$[*] ? (@.change == "freeze" || @.change == "lift" || @.change == "cancel")') THEN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('writ.rules.*', 0));
    PERFORM change_rules(p_tenant);
  ELSE
    PERFORM hold_rules(p_tenant);
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.lock_rules(text, jsonb) TO writ_kernel;
