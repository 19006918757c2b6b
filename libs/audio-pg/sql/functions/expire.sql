-- Removes frames of a device that ended before `since`, a time in milliseconds since 1970. Returns how many. Raises no
-- SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.expire(tenant text, device text, since bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE freed bigint; last_end bigint; removed integer;
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  -- As audio.append: the row of the device comes first.
  PERFORM 1 FROM audio.ingest_device AS d WHERE d.tenant_id = tenant AND d.device_id = device FOR UPDATE;
  WITH gone AS (
    DELETE FROM audio.ingest_segment AS s WHERE s.tenant_id = tenant AND s.device_id = device AND s.end_ms < since
    RETURNING octet_length(s.sealed) - 28 AS size, s.end_ms
  )
  SELECT coalesce(sum(size), 0), coalesce(max(end_ms), 0), count(*) INTO freed, last_end, removed FROM gone;
  UPDATE audio.ingest_device AS d SET bytes = d.bytes - freed, removed_until_ms = greatest(d.removed_until_ms, last_end)
    WHERE d.tenant_id = tenant AND d.device_id = device AND removed > 0;
  RETURN removed;
END $$;
GRANT EXECUTE ON FUNCTION audio.expire(text, text, bigint) TO writ_kernel;
