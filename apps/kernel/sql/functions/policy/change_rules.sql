-- Locks a tenant's rules exclusively until COMMIT, for a transaction that changes them: policy activations, freezes,
-- revocations, tools, quotas, settings of calls. With `*` it locks those of the deployment.
-- It waits for the decisions under way, and later ones wait for it: each decision comes wholly before the change or
-- wholly after it. Called by SQL functions and by the kernel's transactions (revokeToken, revokeKey, withQuota).
-- Lock: exclusive; kernel.hold_rules takes it shared. Take it before locks on rows.
CREATE OR REPLACE FUNCTION kernel.change_rules(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('writ.rules.' || p_tenant, 0));
END $$;
GRANT EXECUTE ON FUNCTION kernel.change_rules(text) TO writ_kernel;
