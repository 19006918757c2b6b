-- Devices of all tenants that have frames, `most` of them in the order of their ids, after a tenant and a device, with how
-- long their frames are kept, in milliseconds. Runs as the worker. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.kept(after_tenant text, after_device text, most integer)
RETURNS TABLE (tenant_id text, device_id text, keep_ms bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT d.tenant_id, d.device_id, d.keep_ms FROM audio.ingest_device AS d
    WHERE d.bytes > 0 AND (d.tenant_id, d.device_id) > (after_tenant, after_device)
    ORDER BY d.tenant_id, d.device_id LIMIT most;
END $$;
GRANT EXECUTE ON FUNCTION audio.kept(text, text, integer) TO writ_kernel_worker;
