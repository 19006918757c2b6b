-- What there is of a device: the number that it sends next; frames that are younger than `since`, their bytes of samples,
-- and their first start and last end (null if there are none); and the end of the newest frame that retention has
-- removed, or that is older than `since`. No row for a device that is not open. Times are in milliseconds since 1970.
-- Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.device_extent(tenant text, device text, since bigint)
RETURNS TABLE (next_seq bigint, frames integer, bytes bigint, oldest_ms bigint, newest_ms bigint, removed_ms bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT d.next_seq, n.frames, n.bytes, n.oldest, n.newest,
      greatest(d.removed_until_ms, (SELECT max(s.end_ms) FROM audio.ingest_segment AS s
        WHERE s.tenant_id = tenant AND s.device_id = device AND s.end_ms < since))
    FROM audio.ingest_device AS d, LATERAL (
      SELECT count(*)::integer AS frames, coalesce(sum(octet_length(s.sealed) - 28), 0)::bigint AS bytes,
        min(s.start_ms) AS oldest, max(s.end_ms) AS newest
      FROM audio.ingest_segment AS s
      WHERE s.tenant_id = tenant AND s.device_id = device AND s.end_ms >= since
    ) AS n
    WHERE d.tenant_id = tenant AND d.device_id = device;
END $$;
GRANT EXECUTE ON FUNCTION audio.device_extent(text, text, bigint) TO writ_orchestrator;
