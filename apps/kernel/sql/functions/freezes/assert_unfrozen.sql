-- Asserts that no freeze covers a call. Where the caller holds the rules (kernel.hold_rules) it stays so until COMMIT,
-- since placing a freeze takes the rules exclusively.
--
-- Raises WR001 `freeze`; the caller reads the facts and decides again.
CREATE OR REPLACE FUNCTION kernel.assert_unfrozen(p_tenant text, p_agent text, p_tool text, p_token text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF freeze_on(p_tenant, p_agent, p_tool, p_token) IS NOT NULL THEN PERFORM decide_again('freeze'); END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_unfrozen(text, text, text, text) TO writ_kernel;
