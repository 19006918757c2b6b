-- A batch keeps the hashes that it adds to the partial tile of the leaves, beside its root, and no longer the whole tile anew: with one record a batch that was four kilobytes a record on average, and most of what an append
-- cost. A partial tile of the leaves is read by putting the batches' hashes together; full tiles, and those of higher levels, which change with every 256th leaf, are rows of their own as before.
-- Null in a root of an earlier version, which wrote the partial tile as a row of `tile`. Both may stand in one log, in any order, while replicas of both versions run.
ALTER TABLE ledger.root ADD COLUMN edge_hashes bytea,
  ADD CONSTRAINT root_edge_hashes CHECK (length(edge_hashes) % 32 = 0 AND length(edge_hashes) <= 32 * (tree_size % 256)) NOT VALID;
-- Hashes can't be compressed; a page holds them all.
ALTER TABLE ledger.root ALTER COLUMN edge_hashes SET STORAGE EXTERNAL;
ALTER TABLE ledger.root SET (toast_tuple_target = 8160);

-- The hashes of a tile, at that width or wider: callers cut it. Null where they aren't stored, or a batch's are missing between others. A tile of that very width may never have been written, if a batch grew past it: then a wider one begins with it.
CREATE FUNCTION ledger.tile_hashes(p_log text, p_level integer, p_index bigint, p_width integer) RETURNS bytea LANGUAGE plpgsql STABLE
SET search_path = ledger, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_hashes bytea;
  v_added bytea;
  v_size bigint;
BEGIN
  SELECT t.hashes INTO v_hashes FROM tile t WHERE t.log_id = p_log AND t.level = p_level AND t.tile_index = p_index AND t.width >= p_width ORDER BY t.width LIMIT 1;
  IF v_hashes IS NOT NULL OR p_level > 0 THEN RETURN v_hashes; END IF;
  -- As far as an earlier version wrote it, and what batches added since.
  SELECT t.hashes INTO v_hashes FROM tile t WHERE t.log_id = p_log AND t.level = 0 AND t.tile_index = p_index AND t.width < p_width ORDER BY t.width DESC LIMIT 1;
  v_hashes := coalesce(v_hashes, ''::bytea);
  SELECT string_agg(r.edge_hashes, ''::bytea ORDER BY r.tree_size), max(r.tree_size) FILTER (WHERE r.edge_hashes IS NOT NULL) INTO v_added, v_size FROM root r
    WHERE r.log_id = p_log AND r.tree_size > p_index * 256 + length(v_hashes) / 32 AND r.tree_size < (p_index + 1) * 256;
  v_hashes := v_hashes || v_added;
  RETURN CASE WHEN length(v_hashes) >= 32 * p_width AND length(v_hashes) = 32 * (v_size - p_index * 256) THEN v_hashes END;
END $$;
GRANT EXECUTE ON FUNCTION ledger.tile_hashes TO writ_ledger;

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
    -- The width is told by the length of the hashes.
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

-- Writes a batch as ledger.write_batch does, which earlier versions go on calling, with each log's hashes for its partial tile in the place of that tile.
CREATE FUNCTION ledger.append_batch(
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
  -- Most batches fill none.
  IF cardinality(t_log) > 0 THEN
    INSERT INTO tile (log_id, level, tile_index, width, tenant_id, hashes) SELECT * FROM unnest(t_log, t_level, t_index, t_width, t_tenant, t_hashes);
  END IF;
  INSERT INTO root (log_id, tree_size, tenant_id, root, frontier, edge_hashes) SELECT * FROM unnest(p_logs, p_new_sizes, p_tenants, p_new_roots, p_frontiers, p_edge_hashes);
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION ledger.append_batch TO writ_ledger;

-- What a proof needs beside what the asker remembers: the full tiles over the leaf at these levels, and all partial tiles of the log at this size, 0 for none.
CREATE FUNCTION ledger.open_inclusion(p_tenant text, p_log text, p_leaf bigint, p_quorum integer, p_full smallint[], p_edge bigint)
RETURNS TABLE (newest_size bigint, newest_root bytea, tree_size bigint, root bytea, note text, level smallint, tile_index bigint, width smallint, hashes bytea) LANGUAGE plpgsql
SET search_path = ledger, pg_temp SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  newest record;
  signed bigint;
  witnessed bigint;
BEGIN
  PERFORM set_config('writ.tenant_id', p_tenant, true);
  SELECT r.tree_size, r.root INTO newest FROM root r WHERE r.log_id = p_log ORDER BY r.tree_size DESC LIMIT 1;
  SELECT c.tree_size INTO signed FROM checkpoint c WHERE c.log_id = p_log ORDER BY c.tree_size DESC LIMIT 1;
  IF newest.tree_size IS NULL OR signed IS NULL OR signed < newest.tree_size THEN RETURN; END IF;
  IF p_quorum > 0 THEN
    SELECT c.tree_size INTO witnessed FROM cosignature c WHERE c.log_id = p_log GROUP BY c.tree_size HAVING count(*) >= p_quorum ORDER BY c.tree_size DESC LIMIT 1;
    IF p_leaf < witnessed THEN signed := witnessed; END IF;
  END IF;
  RETURN QUERY
    SELECT newest.tree_size, newest.root, r.tree_size, r.root, c.note || coalesce((
             SELECT string_agg(s.line, '' ORDER BY s.witness, s.key_hash) FROM cosignature s WHERE s.log_id = p_log AND s.tree_size = signed), ''),
           NULL::smallint, NULL::bigint, NULL::smallint, NULL::bytea
      FROM checkpoint c JOIN root r ON r.log_id = p_log AND r.tree_size = signed WHERE c.log_id = p_log AND c.tree_size = signed;
  IF p_leaf >= signed THEN RETURN; END IF;
  RETURN QUERY
    WITH levels AS (SELECT n::smallint AS level, signed / (256::bigint ^ n)::bigint AS hashes, (256::bigint ^ n)::bigint * 256 AS leaves FROM generate_series(0, 6) n),
    wanted AS (
      SELECT l.level, p_leaf / l.leaves AS tile_index, least(256, l.hashes - p_leaf / l.leaves * 256) AS width FROM levels l WHERE NOT (
        l.level = ANY (p_full) AND l.hashes >= (p_leaf / l.leaves + 1) * 256) AND NOT (signed = p_edge AND l.hashes < (p_leaf / l.leaves + 1) * 256)
      UNION
      SELECT l.level, l.hashes / 256, l.hashes % 256 FROM levels l WHERE signed <> p_edge)
    SELECT NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::text, w.level, w.tile_index, (length(t.hashes) / 32)::smallint, t.hashes FROM wanted w
      CROSS JOIN LATERAL tile_hashes(p_log, w.level, w.tile_index, w.width::integer) AS t(hashes)
      WHERE w.width > 0 AND t.hashes IS NOT NULL;
END $$;
GRANT EXECUTE ON FUNCTION ledger.open_inclusion(text, text, bigint, integer, smallint[], bigint) TO writ_ledger;

-- As earlier versions ask, which remember no edge.
CREATE OR REPLACE FUNCTION ledger.open_inclusion(p_tenant text, p_log text, p_leaf bigint, p_quorum integer, p_full smallint[])
RETURNS TABLE (newest_size bigint, newest_root bytea, tree_size bigint, root bytea, note text, level smallint, tile_index bigint, width smallint, hashes bytea) LANGUAGE sql
AS $$ SELECT * FROM ledger.open_inclusion(p_tenant, p_log, p_leaf, p_quorum, p_full, 0) $$;
