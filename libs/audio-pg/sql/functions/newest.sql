-- The end of a device's newest frame that is younger than `since`, and the end of the newest that retention has removed,
-- or that is older than `since`. The first is null if there is none. No row for a device that is not open. Times are in
-- milliseconds since 1970. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.newest(tenant text, device text, since bigint)
RETURNS TABLE (newest_ms bigint, removed_ms bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT
      (SELECT max(s.end_ms) FROM audio.ingest_segment AS s
        WHERE s.tenant_id = tenant AND s.device_id = device AND s.end_ms >= since),
      greatest(d.removed_until_ms, (SELECT max(s.end_ms) FROM audio.ingest_segment AS s
        WHERE s.tenant_id = tenant AND s.device_id = device AND s.end_ms < since))
    FROM audio.ingest_device AS d WHERE d.tenant_id = tenant AND d.device_id = device;
END $$;
GRANT EXECUTE ON FUNCTION audio.newest(text, text, bigint) TO writ_executor;
