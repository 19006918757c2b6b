-- Asserts that an API key hasn't been revoked. Where the caller holds the rules (kernel.hold_rules) it stays so until
-- COMMIT, since a revocation takes the rules exclusively.
--
-- Raises WR001 `key`; the caller reads the facts and decides again.
CREATE OR REPLACE FUNCTION kernel.assert_key_valid(p_tenant text, p_key text) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM revoked_key r WHERE r.tenant_id = p_tenant AND r.api_key_id = p_key) THEN
    PERFORM decide_again('key');
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION kernel.assert_key_valid(text, text) TO writ_kernel;
