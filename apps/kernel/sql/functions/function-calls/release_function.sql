-- Takes a permit back that its holder never received: the call is `admitted` again, and the next worker gets it at once
-- (ADR 0136). The parameters are from the permit. p_key: the API key that took it.
--
-- Returns false where the attempt isn't `dispatched` any more, or another key took it. Where the permit did arrive, its
-- attempt is fenced.
--
-- Locks: the call.
CREATE OR REPLACE FUNCTION kernel.release_function(p_tenant text, p_operation text, p_attempt integer, p_key text)
RETURNS boolean
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  UPDATE operation SET state = 'admitted', executor_id = NULL, nonce = NULL, permit_until = NULL, lease_until = NULL, updated_at = now_ms()
    WHERE operation_id = p_operation AND attempt = p_attempt AND executor_id = p_key AND state = 'dispatched' AND lane IN ('function', 'caller');
  RETURN FOUND;
END $$;
GRANT EXECUTE ON FUNCTION kernel.release_function(text, text, integer, text) TO writ_kernel;
