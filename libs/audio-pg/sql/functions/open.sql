-- Lets a device send, and sets how long its frames are kept, in milliseconds. Keeps the frames of one that may already.
-- Returns nothing. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.open(tenant text, device text, keep bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  INSERT INTO audio.ingest_device AS d (tenant_id, device_id, next_seq, bytes, removed_until_ms, keep_ms)
    VALUES (tenant, device, 0, 0, 0, keep)
    ON CONFLICT ON CONSTRAINT ingest_device_pkey DO UPDATE SET keep_ms = keep WHERE d.keep_ms <> keep;
END $$;
GRANT EXECUTE ON FUNCTION audio.open(text, text, bigint) TO writ_kernel;
