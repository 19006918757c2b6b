-- The leaves that come next in the index of several logs, with the locks of those logs held until the transaction ends: each log costs some steps into indexes in the place of a transaction of its own.
-- Answers the leaves, log by log in the order given and those of one log in theirs, and behind them what becomes of the log (leaf_index null, said by `state`): `taken`, another replica is at it; `done`, all that
-- it has came; `more` has it; `waits`, it wasn't looked at, since as many leaves or bytes were found before. Of the first log with any there is one at least, however many bytes it has.
CREATE FUNCTION ledger.leaves_to_index(p_tenants text[], p_logs text[], p_leaves integer, p_bytes bigint)
RETURNS TABLE (log_id text, tenant_id text, state text, leaf_index bigint, record_id text, kind text, operation_id text, phase text, payload bytea, recorded_at bigint) LANGUAGE plpgsql
SET search_path = ledger, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  l record;
  next record;
  v_from bigint;
  v_leaves integer := p_leaves;
  v_bytes bigint := p_bytes;
  v_state text;
BEGIN
  PERFORM set_config('writ.tenant_ids', array_to_string(p_tenants, ','), true);
  FOR l IN SELECT x.id, x.tenant FROM unnest(p_logs, p_tenants) WITH ORDINALITY AS x(id, tenant, place) ORDER BY x.place LOOP
    v_state := 'done';
    IF v_leaves <= 0 OR v_bytes <= 0 THEN
      v_state := 'waits';
    -- Told apart from the lock of appends, and never waited for.
    ELSIF NOT pg_try_advisory_xact_lock(hashtextextended(l.id, 20261)) THEN
      v_state := 'taken';
    ELSE
      SELECT coalesce(max(r.leaf_index) + 1, 0) INTO v_from FROM record_index r WHERE r.log_id = l.id;
      FOR next IN
        SELECT f.leaf_index, f.record_id, f.kind, f.operation_id, f.phase, f.payload, f.recorded_at FROM leaf f
        WHERE f.log_id = l.id AND f.leaf_index >= v_from ORDER BY f.leaf_index LIMIT v_leaves + 1
      LOOP
        IF v_leaves <= 0 OR v_bytes <= 0 THEN
          v_state := 'more';
          EXIT;
        END IF;
        v_leaves := v_leaves - 1;
        v_bytes := v_bytes - length(next.payload);
        RETURN QUERY SELECT l.id, l.tenant, NULL::text, next.leaf_index, next.record_id, next.kind, next.operation_id, next.phase, next.payload, next.recorded_at;
      END LOOP;
    END IF;
    RETURN QUERY SELECT l.id, l.tenant, v_state, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::text, NULL::bytea, NULL::bigint;
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION ledger.leaves_to_index TO writ_ledger;
