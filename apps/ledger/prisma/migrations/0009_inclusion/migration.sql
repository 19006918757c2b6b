-- All that a proof of a leaf towards the newest checkpoint is made of, in one statement: first the newest root and the checkpoint with the lines of its witnesses, then the tiles that lie over the leaf
-- or on the right edge of its tree, at the width that they have there or wider. p_quorum: cosignatures of a checkpoint that is shown in the place of a newer one, if it has the leaf; 0
-- for none. p_full: levels at which the caller has the full tile over the leaf already, which never changes.
-- No row where the newest root isn't signed, and only the first where the checkpoint doesn't have the leaf. What it reads is append-only, and the root is read first: a batch that
-- commits meanwhile adds to it and changes nothing.
CREATE FUNCTION ledger.open_inclusion(p_tenant text, p_log text, p_leaf bigint, p_quorum integer, p_full smallint[])
RETURNS TABLE (newest_size bigint, newest_root bytea, tree_size bigint, root bytea, note text, level smallint, tile_index bigint, width smallint, hashes bytea) LANGUAGE plpgsql
SET search_path = ledger, pg_temp AS $$
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
        l.level = ANY (p_full) AND l.hashes >= (p_leaf / l.leaves + 1) * 256)
      UNION
      SELECT l.level, l.hashes / 256, l.hashes % 256 FROM levels l)
    SELECT NULL::bigint, NULL::bytea, NULL::bigint, NULL::bytea, NULL::text, w.level, w.tile_index, t.width, t.hashes FROM wanted w
      CROSS JOIN LATERAL (
        SELECT tile.width, tile.hashes FROM tile WHERE tile.log_id = p_log AND tile.level = w.level AND tile.tile_index = w.tile_index AND tile.width >= w.width
        ORDER BY tile.width LIMIT 1) t
      WHERE w.width > 0;
END $$;

GRANT EXECUTE ON FUNCTION ledger.open_inclusion TO writ_ledger;
