-- Returns what a request of an API key may reach: null where the key is no credential that was exchanged, so that
-- nothing here limits it; true where the operation or the token that the request names is of the capability token that
-- the credential is bound to, or of one that derives from it; else false. One of p_operation and p_token is null, or
-- both are: then the answer is true for each bound credential.
CREATE OR REPLACE FUNCTION kernel.bound_reach(p_tenant text, p_key text, p_operation text, p_token text)
RETURNS boolean LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  v_bound text;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT b.capability_token_id INTO v_bound FROM bound_key b WHERE b.tenant_id = p_tenant AND b.api_key_id = p_key;
  IF v_bound IS NULL THEN RETURN NULL; END IF;
  IF p_operation IS NULL AND p_token IS NULL THEN RETURN true; END IF;
  RETURN EXISTS (
    SELECT FROM token t
    WHERE t.capability_token_id = coalesce(p_token, (SELECT o.capability_token_id FROM operation o WHERE o.operation_id = p_operation))
      AND v_bound = ANY (t.chain));
END $$;
GRANT EXECUTE ON FUNCTION kernel.bound_reach(text, text, text, text) TO writ_kernel;
