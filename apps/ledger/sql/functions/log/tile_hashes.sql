-- Returns the hashes of a tile (32 bytes each, end to end) at this width or a wider one; the caller truncates them.
-- Null where the tile is not stored, or where hashes of a batch are missing between others.
--
-- A tile of exactly this width may not exist, if one batch grew past it. A wider one begins with the same hashes. The
-- partial tile of level 0 is assembled from the widest row of ledger.tile, which development versions before 0.1.0
-- wrote, and from the hashes of later batches (root.edge_hashes).
--
-- Plans go by primary keys and without compiling, see ledger.open_batch.
CREATE OR REPLACE FUNCTION ledger.tile_hashes(p_log text, p_level integer, p_index bigint, p_width integer) RETURNS bytea LANGUAGE plpgsql STABLE
SET search_path = ledger, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_hashes bytea;
  v_added bytea;
  v_size bigint;
BEGIN
  SELECT t.hashes INTO v_hashes FROM tile t WHERE t.log_id = p_log AND t.level = p_level AND t.tile_index = p_index AND t.width >= p_width ORDER BY t.width LIMIT 1;
  IF v_hashes IS NOT NULL OR p_level > 0 THEN RETURN v_hashes; END IF;
  -- The part that an earlier version wrote, and the hashes that batches added since.
  SELECT t.hashes INTO v_hashes FROM tile t WHERE t.log_id = p_log AND t.level = 0 AND t.tile_index = p_index AND t.width < p_width ORDER BY t.width DESC LIMIT 1;
  v_hashes := coalesce(v_hashes, ''::bytea);
  SELECT string_agg(r.edge_hashes, ''::bytea ORDER BY r.tree_size), max(r.tree_size) FILTER (WHERE r.edge_hashes IS NOT NULL) INTO v_added, v_size FROM root r
    WHERE r.log_id = p_log AND r.tree_size > p_index * 256 + length(v_hashes) / 32 AND r.tree_size < (p_index + 1) * 256;
  v_hashes := v_hashes || v_added;
  RETURN CASE WHEN length(v_hashes) >= 32 * p_width AND length(v_hashes) = 32 * (v_size - p_index * 256) THEN v_hashes END;
END $$;
GRANT EXECUTE ON FUNCTION ledger.tile_hashes(text, integer, bigint, integer) TO writ_ledger;
