-- As kernel.claim_mcp_server_of, for kernels of the version before: their executors list servers over HTTP alone.
--
-- Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.claim_mcp_server(p_executor text, p_lease_ms integer, p_each integer) RETURNS jsonb
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  RETURN claim_mcp_server_of(p_executor, p_lease_ms, p_each, ARRAY['http']);
END $$;
GRANT EXECUTE ON FUNCTION kernel.claim_mcp_server(text, integer, integer) TO writ_kernel_worker;
