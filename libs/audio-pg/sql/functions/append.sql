-- Stores frames of a device, all or none, and removes what is beyond its retention. Returns one row: how many it
-- stored; the number that it expects next; the end of the newest frame that was ever stored, 0 if none was; and the
-- number of a frame that begins before that end by more than `overlap` milliseconds, or null. It stores nothing then.
-- Frames below the expected number were sent before, and are ignored. No row for a device that is not open.
--
-- `seqs` rise. `starts` and `ends` are times in milliseconds since 1970, `sizes` the lengths in bytes, and `body` the
-- sealed samples end to end, all in the same order: an array of bytea would travel as text of twice the length. `most` is the
-- limit on the bytes of the device, without the 28 of each seal. What ended before `since` is removed.
--
-- Uploads of one device wait for each other: whoever comes first has its row. Raises no SQLSTATE of its own. The checks
-- of the table (23514) are for bugs of the caller.
CREATE OR REPLACE FUNCTION audio.append(tenant text, device text, seqs bigint[], starts bigint[], ends bigint[], sizes integer[], body bytea, overlap integer, most bigint, since bigint)
RETURNS TABLE (stored integer, expected bigint, until_ms bigint, too_early bigint) LANGUAGE plpgsql AS $$
DECLARE first_new bigint; have bigint; first_start bigint; added bigint; freed bigint; last_end bigint; total bigint; last_gone bigint := -1; old record;
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  SELECT d.next_seq, d.bytes, d.removed_until_ms INTO first_new, have, until_ms FROM audio.ingest_device AS d
    WHERE d.tenant_id = tenant AND d.device_id = device FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;

  -- Times rise with the numbers. The caller compares its frames with each other, and this the first new one with those
  -- that are there.
  SELECT greatest(until_ms, max(s.end_ms)) INTO until_ms FROM audio.ingest_segment AS s
    WHERE s.tenant_id = tenant AND s.device_id = device;
  SELECT f.seq, f.start_ms INTO too_early, first_start FROM unnest(seqs, starts) AS f (seq, start_ms)
    WHERE f.seq >= first_new ORDER BY f.seq LIMIT 1;
  IF first_start < until_ms - overlap THEN
    stored := 0;
    expected := first_new;
    RETURN NEXT;
    RETURN;
  END IF;
  too_early := NULL;

  WITH frame AS (
    SELECT f.seq, f.start_ms, f.end_ms, f.size, (sum(f.size) OVER (ORDER BY f.n))::integer AS upto
    FROM unnest(seqs, starts, ends, sizes) WITH ORDINALITY AS f (seq, start_ms, end_ms, size, n)
  ), new AS (
    INSERT INTO audio.ingest_segment (tenant_id, device_id, seq, start_ms, end_ms, sealed)
    SELECT tenant, device, f.seq, f.start_ms, f.end_ms, substring(body FROM f.upto - f.size + 1 FOR f.size)
    FROM frame AS f WHERE f.seq >= first_new
    RETURNING seq, end_ms, octet_length(sealed) - 28 AS size
  )
  SELECT count(*), coalesce(sum(size), 0), coalesce(max(seq) + 1, first_new), greatest(until_ms, max(end_ms))
    INTO stored, added, expected, until_ms FROM new;

  -- The oldest numbers, until the rest is within the limit: it reads no more rows than it removes, and a few.
  total := have + added;
  FOR old IN SELECT s.seq, octet_length(s.sealed) - 28 AS size FROM audio.ingest_segment AS s
    WHERE s.tenant_id = tenant AND s.device_id = device ORDER BY s.seq
  LOOP
    EXIT WHEN total <= most;
    total := total - old.size;
    last_gone := old.seq;
  END LOOP;
  -- And what is too old, which its own index finds.
  WITH gone AS (
    DELETE FROM audio.ingest_segment AS s WHERE s.tenant_id = tenant AND s.device_id = device
      AND (s.seq <= last_gone OR s.end_ms < since)
    RETURNING octet_length(s.sealed) - 28 AS size, s.end_ms
  )
  SELECT coalesce(sum(size), 0), coalesce(max(end_ms), 0) INTO freed, last_end FROM gone;

  UPDATE audio.ingest_device AS d SET next_seq = expected, bytes = have + added - freed,
      removed_until_ms = greatest(d.removed_until_ms, last_end)
    WHERE d.tenant_id = tenant AND d.device_id = device;
  RETURN NEXT;
END $$;
GRANT EXECUTE ON FUNCTION audio.append(text, text, bigint[], bigint[], bigint[], integer[], bytea, integer, bigint, bigint) TO writ_orchestrator;
