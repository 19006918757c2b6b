-- When the frames of a device from a number on were recorded, `most` of them, by rising number: the first ones, or the
-- newest where `from_seq` is null. What ended before `since` is not among them. Times are in milliseconds since 1970.
-- Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.times(tenant text, device text, from_seq bigint, since bigint, most integer)
RETURNS TABLE (seq bigint, start_ms bigint, end_ms bigint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  IF from_seq IS NULL THEN
    RETURN QUERY SELECT n.seq, n.start_ms, n.end_ms FROM (
        SELECT s.seq, s.start_ms, s.end_ms FROM audio.ingest_segment AS s
        WHERE s.tenant_id = tenant AND s.device_id = device AND s.end_ms >= since ORDER BY s.seq DESC LIMIT most
      ) AS n ORDER BY n.seq;
  ELSE
    RETURN QUERY SELECT s.seq, s.start_ms, s.end_ms FROM audio.ingest_segment AS s
      WHERE s.tenant_id = tenant AND s.device_id = device AND s.seq >= from_seq AND s.end_ms >= since
      ORDER BY s.seq LIMIT most;
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION audio.times(text, text, bigint, bigint, integer) TO writ_executor, writ_orchestrator;
