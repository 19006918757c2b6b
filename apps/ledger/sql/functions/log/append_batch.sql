-- Writes a batch: the leaves, tiles and new root of each of its logs. It writes only if every log still has the size
-- and root that the batch was made for. Returns true if it wrote. Returns false where a log has grown, and then nothing
-- is written.
--
-- It takes the same locks as ledger.open_batch. So the caller may also call it alone, if it has the logs' heads from
-- its last batch.
--
-- Parameters are columns of rows: all arrays with one prefix have the same length.
--   p_…  a log of the batch: its tenant, the size and root that it must have (size 0: it must be new), its size, root
--        and frontier after the batch; p_edge_hashes: what the batch adds to the partial tile of level 0, see
--        ledger.root
--   l_…  a leaf, as in ledger.leaf
--   t_…  a tile, as in ledger.tile: full ones, and partial ones of level 1 and above
--
-- Raises unique_violation (23505) where a record or an index exists already (leaf_by_record, leaf_pkey), and then
-- nothing is written. The caller reads the logs' heads and existing records with ledger.open_batch, and tries again.
--
-- Plans go by primary keys and without compiling, see ledger.open_batch.
CREATE OR REPLACE FUNCTION ledger.append_batch(
  p_logs text[], p_tenants text[], p_sizes bigint[], p_roots bytea[], p_new_sizes bigint[], p_new_roots bytea[], p_frontiers bytea[], p_edge_hashes bytea[],
  l_log text[], l_index bigint[], l_tenant text[], l_record text[], l_kind text[], l_operation text[], l_phase text[], l_payload bytea[], l_keyid text[],
  l_sig bytea[], l_recorded bigint[],
  t_log text[], t_level smallint[], t_index bigint[], t_width smallint[], t_tenant text[], t_hashes bytea[])
RETURNS boolean LANGUAGE plpgsql SET search_path = ledger, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
DECLARE l text;
BEGIN
  PERFORM set_config('writ.tenant_ids', array_to_string(p_tenants, ','), true);
  FOR l IN SELECT DISTINCT unnest(p_logs) ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended(l, 20260));
  END LOOP;
  IF EXISTS (
    SELECT 1 FROM unnest(p_logs, p_sizes, p_roots) AS e(id, size, root)
    LEFT JOIN LATERAL (SELECT r.tree_size, r.root FROM root r WHERE r.log_id = e.id ORDER BY r.tree_size DESC LIMIT 1) s ON true
    WHERE coalesce(s.tree_size, 0) <> e.size OR (e.size > 0 AND s.root <> e.root)) THEN
    RETURN false;
  END IF;
  INSERT INTO leaf (log_id, leaf_index, tenant_id, record_id, kind, operation_id, phase, payload, keyid, sig, recorded_at)
    SELECT * FROM unnest(l_log, l_index, l_tenant, l_record, l_kind, l_operation, l_phase, l_payload, l_keyid, l_sig, l_recorded);
  -- Most batches complete no tile.
  IF cardinality(t_log) > 0 THEN
    INSERT INTO tile (log_id, level, tile_index, width, tenant_id, hashes) SELECT * FROM unnest(t_log, t_level, t_index, t_width, t_tenant, t_hashes);
  END IF;
  INSERT INTO root (log_id, tree_size, tenant_id, root, frontier, edge_hashes) SELECT * FROM unnest(p_logs, p_new_sizes, p_tenants, p_new_roots, p_frontiers, p_edge_hashes);
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION ledger.append_batch(text[], text[], bigint[], bytea[], bigint[], bytea[], bytea[], bytea[], text[], bigint[], text[], text[], text[], text[], text[], bytea[], text[], bytea[], bigint[], text[], smallint[], bigint[], smallint[], text[], bytea[]) TO writ_ledger;
