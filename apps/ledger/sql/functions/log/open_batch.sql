-- Opens a batch whose log heads the caller has not cached. It locks the logs and returns the head of each one. The
-- caller then compares it with the root that it signed last, and writes with ledger.append_batch in the same
-- transaction.
--
-- p_tenants: tenants of the batch; row-level security shows their rows. p_logs, p_signed: the logs, and the size at
-- which the caller signed each one last, 0 for never. p_record_logs, p_records: records of the batch, each with its
-- log.
--
-- Returns rows of four kinds, by `what`. Columns that are not named are null:
--   log     a log that has records: `at` is its size, with `root` and `frontier`
--   tile    a partial tile on the right edge of a log: `at` is its index in `level`, and `frontier` has its hashes;
--           their length gives the width
--   signed  the root that a log had at the size in p_signed: `at` is that size; no row where the log has no such root
--   record  a record that the log has already: `at` is its leaf index
-- A log without records has no row. A tile that is missing has none either, and then the caller cannot append.
--
-- The locks last until the transaction ends. They are taken in the order of the logs' ids, so that two replicas never
-- wait for each other in a circle. Raises no SQLSTATE of its own.
--
-- The plans go by primary keys, whatever the statistics say. A plan is made at a connection's first batches, when
-- tables are small, and then kept (ADR 0083). Compiling is off because none of these statements is worth it.
CREATE OR REPLACE FUNCTION ledger.open_batch(p_tenants text[], p_logs text[], p_signed bigint[], p_record_logs text[], p_records text[])
RETURNS TABLE (what text, log_id text, record_id text, at bigint, level smallint, root bytea, frontier bytea) LANGUAGE plpgsql
SET search_path = ledger, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE l text;
BEGIN
  PERFORM set_config('writ.tenant_ids', array_to_string(p_tenants, ','), true);
  FOR l IN SELECT DISTINCT unnest(p_logs) ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended(l, 20260));
  END LOOP;
  RETURN QUERY
    WITH stand AS MATERIALIZED (
      SELECT r.log_id, r.tree_size, r.root, r.frontier FROM unnest(p_logs) AS ids(id)
      CROSS JOIN LATERAL (SELECT * FROM root WHERE root.log_id = ids.id ORDER BY tree_size DESC LIMIT 1) r)
    SELECT 'log', s.log_id, NULL::text, s.tree_size, NULL::smallint, s.root, s.frontier FROM stand s
    UNION ALL
    -- The length of the hashes gives the width.
    SELECT 'tile', s.log_id, NULL, e.tile_index, e.level::smallint, NULL, t.hashes
      FROM stand s
      CROSS JOIN LATERAL (
        SELECT n AS level, (s.tree_size / (256::bigint ^ n)::bigint) / 256 AS tile_index, ((s.tree_size / (256::bigint ^ n)::bigint) % 256)::integer AS width
        FROM generate_series(0, 6) n WHERE s.tree_size >= (256::bigint ^ n)::bigint) e
      CROSS JOIN LATERAL tile_hashes(s.log_id, e.level, e.tile_index, e.width) AS t(hashes)
      WHERE e.width > 0 AND t.hashes IS NOT NULL;
  RETURN QUERY
    SELECT 'signed', r.log_id, NULL::text, r.tree_size, NULL::smallint, r.root, NULL::bytea
      FROM unnest(p_logs, p_signed) AS ids(id, size) JOIN root r ON r.log_id = ids.id AND r.tree_size = ids.size;
  RETURN QUERY
    SELECT 'record', leaf.log_id, leaf.record_id, leaf.leaf_index, NULL::smallint, NULL::bytea, NULL::bytea
      FROM unnest(p_record_logs, p_records) AS sent(log_id, record_id)
      JOIN leaf ON leaf.log_id = sent.log_id AND leaf.record_id = sent.record_id;
END $$;
GRANT EXECUTE ON FUNCTION ledger.open_batch(text[], text[], bigint[], text[], text[]) TO writ_ledger;
