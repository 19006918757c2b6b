-- Removes everything of a device: its frames go with its row. It can't send until it is opened again, with numbers from
-- 0. Returns nothing. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.forget(tenant text, device text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  DELETE FROM audio.ingest_device AS d WHERE d.tenant_id = tenant AND d.device_id = device;
END $$;
GRANT EXECUTE ON FUNCTION audio.forget(text, text) TO writ_kernel;
