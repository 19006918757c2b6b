-- Returns whether a call of this API key may use an MCP server under the rights of its person: `connected`,
-- `no_connection`, or `no_person` where the key is no person's OAuth credential.
CREATE OR REPLACE FUNCTION kernel.mcp_consent(p_tenant text, p_key text, p_resource text) RETURNS text
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE subject bytea;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT s.subject_hash INTO subject FROM credential_subject s WHERE s.tenant_id = p_tenant AND s.api_key_id = p_key;
  IF NOT FOUND THEN RETURN 'no_person'; END IF;
  RETURN CASE WHEN EXISTS (
    SELECT FROM mcp_connection c WHERE c.tenant_id = p_tenant AND c.resource_id = p_resource AND c.subject_hash = subject
      AND c.state = 'connected' AND (c.renewable OR c.access_expires_at IS NULL OR c.access_expires_at > now_ms())
  ) THEN 'connected' ELSE 'no_connection' END;
END $$;
GRANT EXECUTE ON FUNCTION kernel.mcp_consent(text, text, text) TO writ_kernel;
