-- Removes the payload keys of calls whose content was just erased. A payload key seals the content of several calls.
-- A key that seals no other call is deleted. Any other key is retired: kernel.hold_payload_key admits no further call
-- under it, so the key is deleted with the last call that it seals.
-- Called by kernel.erase_calls, in the transaction that erases.
--
-- Locks: an exclusive advisory lock for each key, ordered by key id, after every other lock of an erasure. There is no
-- deadlock: an admission that holds such a lock waits only for budget rows, which an erasure never locks.
CREATE OR REPLACE FUNCTION kernel.forget_payload_keys(p_ids text[]) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  keys text[];
  v_key text;
BEGIN
  SELECT array_agg(DISTINCT y.key_id ORDER BY y.key_id) INTO keys FROM payload y WHERE y.operation_id = ANY (p_ids) AND y.key_id IS NOT NULL;
  IF keys IS NULL THEN RETURN; END IF;
  -- Locked in order. The DELETE below then sees the calls that admissions wrote while they held the lock.
  FOREACH v_key IN ARRAY keys LOOP PERFORM pg_advisory_xact_lock(hashtextextended('writ.payload-key.' || v_key, 0)); END LOOP;
  DELETE FROM payload_key k WHERE k.key_id = ANY (keys) AND NOT EXISTS (SELECT 1 FROM payload y WHERE y.key_id = k.key_id AND y.erased_at IS NULL);
  UPDATE payload_key k SET until = now_ms() WHERE k.key_id = ANY (keys) AND k.until > now_ms();
END $$;
GRANT EXECUTE ON FUNCTION kernel.forget_payload_keys(text[]) TO writ_kernel;
