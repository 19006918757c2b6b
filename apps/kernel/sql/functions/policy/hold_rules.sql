-- Holds the rules of a tenant, and those of the deployment, as they are until COMMIT. Every transaction that decides or
-- commits calls this before it locks any row, so that a change of rules (kernel.change_rules) cannot deadlock with it.
-- Locks: two shared advisory locks, the deployment's first.
--
-- The locks are in assignments because plpgsql evaluates such an expression in place, without running a query. Their
-- result carries no information.
CREATE OR REPLACE FUNCTION kernel.hold_rules(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  is_held boolean;
BEGIN
  is_held := pg_advisory_xact_lock_shared(hashtextextended('writ.rules.*', 0)) IS NOT NULL;
  is_held := pg_advisory_xact_lock_shared(hashtextextended('writ.rules.' || p_tenant, 0)) IS NOT NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.hold_rules(text) TO writ_kernel;
