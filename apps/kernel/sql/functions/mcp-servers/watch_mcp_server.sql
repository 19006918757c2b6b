-- Keeps kernel.mcp_server like the resources of that kind, whoever writes those. Trigger of kernel.resource. A server that
-- is new or has other settings is due at once, and an attempt that is under way with the earlier settings doesn't count.
-- The tools of a removed server go with it. The caller takes them out of force.
CREATE OR REPLACE FUNCTION kernel.watch_mcp_server() RETURNS trigger
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO mcp_server (resource_id, tenant_id, transport)
      VALUES (new.resource_id, new.tenant_id, new.settings ->> 'transport');
  ELSIF new.removed_at IS NOT NULL THEN
    DELETE FROM mcp_tool t WHERE t.tenant_id = new.tenant_id AND t.resource_id = new.resource_id;
    DELETE FROM mcp_server s WHERE s.resource_id = new.resource_id;
  ELSIF new.digest <> old.digest THEN
    UPDATE mcp_server s SET due_at = now_ms(), claim_until = NULL, failures = 0, transport = new.settings ->> 'transport'
      WHERE s.resource_id = new.resource_id;
  END IF;
  RETURN NULL;
END $$;
GRANT EXECUTE ON FUNCTION kernel.watch_mcp_server() TO writ_kernel;
