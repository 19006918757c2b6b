-- Lets the rows of forgotten persons, of which nothing is left to revoke, say no more whose they were: each has a random
-- hash, and no pseudonym. Returns how many.
CREATE OR REPLACE FUNCTION kernel.forget_mcp_persons(p_tenant text) RETURNS integer
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE n integer;
BEGIN
  -- What is sealed opens for the hash alone.
  UPDATE mcp_connection c SET subject_hash = sha256(convert_to(gen_random_uuid()::text, 'UTF8')), person = NULL,
      forgotten = false
    WHERE c.tenant_id = p_tenant AND c.forgotten AND c.sealed IS NULL AND c.state IN ('failed', 'ended');
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
GRANT EXECUTE ON FUNCTION kernel.forget_mcp_persons(text) TO writ_kernel;
