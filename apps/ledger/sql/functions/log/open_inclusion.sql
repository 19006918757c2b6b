-- Reads everything for an inclusion proof of a leaf towards the newest checkpoint, except the tiles that the caller has
-- cached.
--
-- p_quorum: with so many cosignatures, an older checkpoint replaces the newest one, if it covers the leaf; 0: never.
-- p_full: levels at which the caller has cached the full tile over the leaf. p_edge: the size of the log of which the
-- caller has cached all partial tiles; 0 for none.
--
-- Returns a first row with the newest root (newest_size, newest_root) and the checkpoint (tree_size, root, note). The
-- note ends with the lines of its witnesses. Further rows are tiles (level, tile_index, width, hashes), at the width
-- that they have in the tree of that checkpoint or wider: those over the leaf, and those on the right edge. Returns no
-- row where the newest root is not signed, and only the first where the checkpoint does not cover the leaf. In both
-- cases the caller cannot make the proof from one query.
--
-- It takes no lock. All that it reads is append-only, and it reads the newest root first. A batch that commits
-- meanwhile adds rows and changes none. Raises no SQLSTATE of its own.
--
-- Plans go by primary keys and without compiling, see ledger.open_batch.
CREATE OR REPLACE FUNCTION ledger.open_inclusion(p_tenant text, p_log text, p_leaf bigint, p_quorum integer, p_full smallint[], p_edge bigint)
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
