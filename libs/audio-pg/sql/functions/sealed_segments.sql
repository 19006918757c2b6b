-- Reads the frames of a device that overlap a time, from a number on, by rising number. What ended before `since` is not
-- among them, removed or not. `most` is the limit on the bytes of their samples, without the 28 of each seal: the frame
-- that goes beyond it is the last one, and tells the caller that there are more. Times are in milliseconds since 1970.
-- Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION audio.sealed_segments(tenant text, device text, from_ms bigint, to_ms bigint, from_seq bigint, since bigint, most bigint)
RETURNS TABLE (seq bigint, start_ms bigint, sealed bytea) LANGUAGE plpgsql AS $$
DECLARE last bigint;
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  -- Lengths come without the samples, which lie elsewhere.
  SELECT min(s.seq) INTO last FROM (
    SELECT t.seq, sum(octet_length(t.sealed) - 28) OVER (ORDER BY t.seq) AS bytes FROM audio.ingest_segment AS t
    WHERE t.tenant_id = tenant AND t.device_id = device AND t.end_ms > from_ms AND t.end_ms >= since AND t.start_ms < to_ms
      AND t.seq >= from_seq
  ) AS s WHERE s.bytes > most;
  RETURN QUERY SELECT s.seq, s.start_ms, s.sealed FROM audio.ingest_segment AS s
    WHERE s.tenant_id = tenant AND s.device_id = device AND s.end_ms > from_ms AND s.end_ms >= since AND s.start_ms < to_ms
      AND s.seq >= from_seq AND (last IS NULL OR s.seq <= last)
    ORDER BY s.seq;
END $$;
GRANT EXECUTE ON FUNCTION audio.sealed_segments(text, text, bigint, bigint, bigint, bigint, bigint) TO writ_executor;
