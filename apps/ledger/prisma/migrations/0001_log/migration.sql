-- One Merkle log per tenant. The ledger's role inserts and selects, nothing else; triggers refuse the rest as a tripwire (an owner could
-- drop them: the log is the proof, not the triggers). Every table is append-only: partial tiles and roots of each batch are rows of their own.

CREATE FUNCTION ledger.visible(p_tenant text) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT p_tenant = current_setting('writ.tenant_id', true)
            OR p_tenant = ANY (string_to_array(current_setting('writ.tenant_ids', true), ',')) $$;

CREATE TABLE ledger.leaf (
  log_id       text NOT NULL,
  leaf_index   bigint NOT NULL CHECK (leaf_index >= 0),
  tenant_id    text NOT NULL,
  record_id    text NOT NULL,
  kind         text NOT NULL,
  operation_id text,
  phase        text,
  -- the bytes that the kernel signed, and its signature; the leaf hash is SHA-256(0x00 ‖ payload)
  payload      bytea NOT NULL,
  keyid        text NOT NULL,
  sig          bytea NOT NULL,
  recorded_at  bigint NOT NULL,
  -- the fence: two replicas can't both write an index
  PRIMARY KEY (log_id, leaf_index)
);
-- Exactly once: a record sent again is found, never appended twice.
CREATE UNIQUE INDEX leaf_by_record ON ledger.leaf (log_id, record_id);
CREATE INDEX leaf_by_operation ON ledger.leaf (log_id, operation_id, leaf_index) WHERE operation_id IS NOT NULL;

-- Tiles of the C2SP tlog-tiles layout, height 8; a partial one is a row, the next one that is wider another.
CREATE TABLE ledger.tile (
  log_id     text NOT NULL,
  level      smallint NOT NULL CHECK (level BETWEEN 0 AND 63),
  tile_index bigint NOT NULL CHECK (tile_index >= 0),
  width      smallint NOT NULL CHECK (width BETWEEN 1 AND 256),
  tenant_id  text NOT NULL,
  hashes     bytea NOT NULL CHECK (length(hashes) = 32 * width),
  PRIMARY KEY (log_id, level, tile_index, width)
);

-- One row a batch: the size and root that its transaction committed, and the frontier from which the next one goes on.
CREATE TABLE ledger.root (
  log_id     text NOT NULL,
  tree_size  bigint NOT NULL CHECK (tree_size > 0),
  tenant_id  text NOT NULL,
  root       bytea NOT NULL CHECK (length(root) = 32),
  frontier   bytea NOT NULL,
  PRIMARY KEY (log_id, tree_size)
);

-- Only a root that stands in ledger.root is ever signed.
CREATE TABLE ledger.checkpoint (
  log_id     text NOT NULL,
  tree_size  bigint NOT NULL,
  tenant_id  text NOT NULL,
  note       text NOT NULL,
  PRIMARY KEY (log_id, tree_size),
  FOREIGN KEY (log_id, tree_size) REFERENCES ledger.root
);

CREATE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN RAISE EXCEPTION 'the log is append-only: % of ledger.% is refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege'; END $$;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['leaf', 'tile', 'root', 'checkpoint'] LOOP
    EXECUTE format('ALTER TABLE ledger.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE ledger.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY named_tenants ON ledger.%I TO writ_ledger USING (ledger.visible(tenant_id)) WITH CHECK (ledger.visible(tenant_id))', t);
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger.%I FOR EACH ROW EXECUTE FUNCTION ledger.refuse_change()', t);
    EXECUTE format('CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ledger.%I FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', t);
    EXECUTE format('GRANT SELECT, INSERT ON ledger.%I TO writ_ledger', t);
  END LOOP;
END $$;
GRANT USAGE ON SCHEMA ledger TO writ_ledger;

-- Opens a batch: names its tenants for row-level security, takes the logs' locks in the order of their ids (so that two replicas never wait
-- for each other in a circle), and answers where each log stands, the partial tiles on its right edge, which root it had at the size that the caller
-- signed last, and which of the records are there already. p_signed has 0 where the caller signed nothing yet.
CREATE FUNCTION ledger.open_batch(p_tenants text[], p_logs text[], p_signed bigint[], p_record_logs text[], p_records text[])
RETURNS TABLE (what text, log_id text, record_id text, at bigint, level smallint, root bytea, frontier bytea) LANGUAGE plpgsql
SET search_path = ledger, pg_temp AS $$
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
    -- A tile of that very width may never have been written, if a batch grew past it: then a wider one begins with it. The width is told
    -- by the length of the hashes.
    SELECT 'tile', s.log_id, NULL, e.tile_index, e.level::smallint, NULL, t.hashes
      FROM stand s
      CROSS JOIN LATERAL (
        SELECT n AS level, (s.tree_size / (256::bigint ^ n)::bigint) / 256 AS tile_index, (s.tree_size / (256::bigint ^ n)::bigint) % 256 AS width
        FROM generate_series(0, 6) n WHERE s.tree_size >= (256::bigint ^ n)::bigint) e
      CROSS JOIN LATERAL (
        SELECT tile.hashes FROM tile WHERE tile.log_id = s.log_id AND tile.level = e.level AND tile.tile_index = e.tile_index AND tile.width >= e.width
        ORDER BY tile.width LIMIT 1) t
      WHERE e.width > 0;
  RETURN QUERY
    SELECT 'signed', r.log_id, NULL::text, r.tree_size, NULL::smallint, r.root, NULL::bytea
      FROM unnest(p_logs, p_signed) AS ids(id, size) JOIN root r ON r.log_id = ids.id AND r.tree_size = ids.size;
  RETURN QUERY
    SELECT 'record', leaf.log_id, leaf.record_id, leaf.leaf_index, NULL::smallint, NULL::bytea, NULL::bytea
      FROM unnest(p_record_logs, p_records) AS sent(log_id, record_id)
      JOIN leaf ON leaf.log_id = sent.log_id AND leaf.record_id = sent.record_id;
END $$;

-- Writes a batch: leaves, tiles and the new root of each of its logs, if every log still stands where the batch was made for (size 0: a new one).
-- False, and nothing is written, where one has moved on. Takes the same locks as open_batch, so it may also come alone, when the caller knows
-- from its last batch where the logs stand. A record that is there already violates leaf_by_record, and then too nothing is written.
CREATE FUNCTION ledger.write_batch(
  p_logs text[], p_tenants text[], p_sizes bigint[], p_roots bytea[], p_new_sizes bigint[], p_new_roots bytea[], p_frontiers bytea[],
  l_log text[], l_index bigint[], l_tenant text[], l_record text[], l_kind text[], l_operation text[], l_phase text[], l_payload bytea[], l_keyid text[],
  l_sig bytea[], l_recorded bigint[],
  t_log text[], t_level smallint[], t_index bigint[], t_width smallint[], t_tenant text[], t_hashes bytea[])
RETURNS boolean LANGUAGE plpgsql SET search_path = ledger, pg_temp AS $$
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
  INSERT INTO tile (log_id, level, tile_index, width, tenant_id, hashes) SELECT * FROM unnest(t_log, t_level, t_index, t_width, t_tenant, t_hashes);
  INSERT INTO root (log_id, tree_size, tenant_id, root, frontier) SELECT * FROM unnest(p_logs, p_new_sizes, p_tenants, p_new_roots, p_frontiers);
  RETURN true;
END $$;

-- Keeps checkpoints of roots that are committed; two replicas write the same note.
CREATE FUNCTION ledger.keep_checkpoints(p_logs text[], p_sizes bigint[], p_tenants text[], p_notes text[]) RETURNS void LANGUAGE plpgsql
SET search_path = ledger, pg_temp AS $$
BEGIN
  PERFORM set_config('writ.tenant_ids', array_to_string(p_tenants, ','), true);
  INSERT INTO checkpoint (log_id, tree_size, tenant_id, note)
    SELECT * FROM unnest(p_logs, p_sizes, p_tenants, p_notes) ON CONFLICT DO NOTHING;
END $$;

GRANT EXECUTE ON FUNCTION ledger.visible, ledger.open_batch, ledger.write_batch, ledger.keep_checkpoints TO writ_ledger;
