-- Reads the leaves that the record index of several logs lacks, and locks these logs until the transaction ends. The
-- caller inserts their rows into ledger.record_index in the same transaction. One call for many logs costs some index
-- lookups each, instead of a transaction each.
--
-- p_tenants, p_logs: the logs, each with its tenant, in the order in which they are read. p_leaves, p_bytes: the
-- largest number of leaves and of payload bytes over all logs.
--
-- Returns leaves in order (`state` is null), and after those of each log one row with its result (leaf_index is
-- null):
--   done   the log has no further leaf
--   more   it has further ones
--   waits  it was not read, because p_leaves or p_bytes was reached before
--   taken  another replica has its lock
--
-- At least one leaf is returned of the first log that has any, however many bytes it has.
--
-- The lock is another one than that of appends (20261, not 20260), and no caller waits for it. A log continues after
-- the largest leaf_index in its index. Raises no SQLSTATE of its own.
--
-- Plans go by primary keys and without compiling, see ledger.open_batch.
CREATE OR REPLACE FUNCTION ledger.leaves_to_index(p_tenants text[], p_logs text[], p_leaves integer, p_bytes bigint)
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
    -- Another lock than that of appends; this function never waits for it.
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
GRANT EXECUTE ON FUNCTION ledger.leaves_to_index(text[], text[], integer, bigint) TO writ_ledger;
