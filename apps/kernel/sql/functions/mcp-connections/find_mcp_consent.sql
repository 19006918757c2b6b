-- Returns {tenant_id, connection_id} of the consent with this hash of its handle, or of the state that is out for it;
-- null where there is none. Whoever has the handle or the state names no tenant. Called as the worker's role.
CREATE OR REPLACE FUNCTION kernel.find_mcp_consent(p_handle bytea, p_state bytea, p_connection text) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = kernel, pg_temp AS $$
  SELECT jsonb_build_object('tenant_id', c.tenant_id, 'connection_id', c.connection_id) FROM mcp_connection c
  WHERE c.handle_hash = p_handle OR c.state_hash = p_state OR c.connection_id = p_connection
$$;
GRANT EXECUTE ON FUNCTION kernel.find_mcp_consent(bytea, bytea, text) TO writ_kernel_worker;
