-- Reads the frames of a device that overlap a time, from a number on, by rising number. What ended before `since` is not
-- among them, removed or not. Times are in milliseconds since 1970. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.sealed_segments(tenant text, device text, from_ms bigint, to_ms bigint, from_seq bigint, since bigint)
RETURNS TABLE (seq bigint, start_ms bigint, sealed bytea) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  RETURN QUERY SELECT s.seq, s.start_ms, s.sealed FROM audio.ingest_segment AS s
    WHERE s.tenant_id = tenant AND s.device_id = device AND s.end_ms > from_ms AND s.end_ms >= since AND s.start_ms < to_ms
      AND s.seq >= from_seq
    ORDER BY s.seq;
END $$;
GRANT EXECUTE ON FUNCTION audio.sealed_segments(text, text, bigint, bigint, bigint, bigint) TO writ_executor;
