-- The log: one Merkle tree (RFC 6962) of signed records per tenant, and the checkpoints that sign its roots.
--
-- INVARIANT (append-only): writ_ledger may insert and read, nothing else. Triggers refuse every other change
-- (ledger.refuse_change). They only catch mistakes, since the owner could drop them: the proof is the log itself.
-- INVARIANT (named tenants): row-level security shows and accepts only rows of the tenants that the transaction
-- names, in writ.tenant_id (one) or writ.tenant_ids (a list, separated by commas). A transaction that names none sees
-- no row. The policies read these settings in their own text, since each statement would plan a call of
-- ledger.named_tenants anew.
-- Rows are never removed. `log_id` is `log_` and what follows `ten_` in the tenant's id.

-- A record at its index in the log: the bytes that the kernel signed. The ledger writes it with ledger.append_batch.
-- INVARIANT (consecutive): the primary key is the fence. Two replicas cannot both write a leaf index.
-- INVARIANT (exactly once): a record that is sent again is found by leaf_by_record and never appended twice.
CREATE TABLE ledger.leaf (
  -- Position.
  log_id       text NOT NULL,
  leaf_index   bigint NOT NULL CHECK (leaf_index >= 0), -- from 0, without gaps
  tenant_id    text NOT NULL,

  -- Members of the record, copied from its payload, so that lists and lookups need not parse it.
  record_id    text NOT NULL,
  kind         text NOT NULL,   -- a member of RECORD_KINDS, such as `tool_call` or `approval`
  operation_id text,            -- null for a record about no operation
  phase        text,            -- `decision` or `outcome` of a tool call; null for other records
  recorded_at  bigint NOT NULL, -- milliseconds since the epoch, by the kernel's database

  -- The signed bytes. The hash of the leaf is SHA-256(0x00 ‖ payload).
  payload      bytea NOT NULL,  -- the bytes of the in-toto Statement, exactly as the kernel signed them
  keyid        text NOT NULL,   -- the kernel's signing key
  sig          bytea NOT NULL,  -- its Ed25519 signature of the DSSE envelope

  CONSTRAINT leaf_pkey PRIMARY KEY (log_id, leaf_index)
);
-- Finds existing records. Enforces (exactly once).
CREATE UNIQUE INDEX leaf_by_record ON ledger.leaf (log_id, record_id);
-- Finds the records of an operation in their order.
CREATE INDEX leaf_by_operation ON ledger.leaf (log_id, operation_id, leaf_index) WHERE operation_id IS NOT NULL;
ALTER TABLE ledger.leaf ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY named_tenants ON ledger.leaf TO writ_ledger
  USING (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''))
  WITH CHECK (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''));
-- No UPDATE, DELETE or TRUNCATE: see (append-only).
GRANT SELECT, INSERT ON ledger.leaf TO writ_ledger;

-- Hashes of the tree, as tiles of the layout C2SP tlog-tiles with height 8. A row is a full tile, or a partial one of
-- level 1 and above; a partial tile that grows is a further, wider row. ledger.append_batch writes it.
-- The partial tile of level 0 is no row: ledger.root.edge_hashes holds it in pieces, and ledger.tile_hashes assembles
-- them. Development versions before 0.1.0 wrote it as rows here, and a log may hold batches of both kinds.
CREATE TABLE ledger.tile (
  log_id     text NOT NULL,
  level      smallint NOT NULL CHECK (level BETWEEN 0 AND 63),  -- 0: hashes of leaves; 1: of 256 leaves each; and so on
  tile_index bigint NOT NULL CHECK (tile_index >= 0),           -- from 0 within its level
  width      smallint NOT NULL CHECK (width BETWEEN 1 AND 256), -- hashes in this row; 256: the tile is full
  tenant_id  text NOT NULL,
  hashes     bytea NOT NULL,                                    -- 32 bytes each, end to end
  CONSTRAINT tile_pkey PRIMARY KEY (log_id, level, tile_index, width),
  CONSTRAINT tile_check CHECK (length(hashes) = 32 * width)
);
ALTER TABLE ledger.tile ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY named_tenants ON ledger.tile TO writ_ledger
  USING (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''))
  WITH CHECK (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''));
-- No UPDATE, DELETE or TRUNCATE: see (append-only).
GRANT SELECT, INSERT ON ledger.tile TO writ_ledger;

-- A size that the log had after one batch. The transaction of the batch writes it (ledger.append_batch).
-- INVARIANT (only committed roots): a checkpoint references its root here, so no other root is ever signed and stored.
CREATE TABLE ledger.root (
  log_id      text NOT NULL,
  tree_size   bigint NOT NULL CHECK (tree_size > 0), -- leaves of the log after the batch
  tenant_id   text NOT NULL,
  root        bytea NOT NULL CHECK (length(root) = 32), -- SHA-256 root of the tree of that size
  -- The state that the next batch continues from: the size (8 bytes, big-endian), then the roots of the full subtrees
  -- from left to right (32 bytes each).
  frontier    bytea NOT NULL,
  -- Leaf hashes that the batch added to the partial tile of level 0 (32 bytes each, end to end). Writing only these
  -- takes 32 bytes a record; the whole tile anew would take four kilobytes on average.
  -- Null: a development version before 0.1.0 wrote the batch, with that tile as a row of ledger.tile.
  edge_hashes bytea,
  CONSTRAINT root_pkey PRIMARY KEY (log_id, tree_size),
  CONSTRAINT root_edge_hashes CHECK (length(edge_hashes) % 32 = 0 AND length(edge_hashes) <= 32 * (tree_size % 256))
) WITH (toast_tuple_target = 8160); -- A page holds all hashes of a row.
-- Hashes cannot be compressed.
ALTER TABLE ledger.root ALTER COLUMN edge_hashes SET STORAGE EXTERNAL;
ALTER TABLE ledger.root ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY named_tenants ON ledger.root TO writ_ledger
  USING (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''))
  WITH CHECK (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''));
-- No UPDATE, DELETE or TRUNCATE: see (append-only).
GRANT SELECT, INSERT ON ledger.root TO writ_ledger;

-- A root with the ledger's signature. The ledger stores it after it has signed (ledger.keep_checkpoints). Not every
-- root has one: of several batches that are signed at once, only the newest root of each log is stored.
CREATE TABLE ledger.checkpoint (
  log_id    text NOT NULL,
  tree_size bigint NOT NULL, -- leaves that it covers: those before this index
  tenant_id text NOT NULL,
  note      text NOT NULL,   -- C2SP tlog-checkpoint in a signed note, with the ledger's signature only
  CONSTRAINT checkpoint_pkey PRIMARY KEY (log_id, tree_size),
  CONSTRAINT checkpoint_log_id_tree_size_fkey FOREIGN KEY (log_id, tree_size) REFERENCES ledger.root (log_id, tree_size)
);
ALTER TABLE ledger.checkpoint ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY named_tenants ON ledger.checkpoint TO writ_ledger
  USING (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''))
  WITH CHECK (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''));
-- No UPDATE, DELETE or TRUNCATE: see (append-only).
GRANT SELECT, INSERT ON ledger.checkpoint TO writ_ledger;

-- The signature of one witness under a checkpoint (C2SP tlog-cosignature). The ledger verifies a line before it
-- stores it.
CREATE TABLE ledger.cosignature (
  log_id    text NOT NULL,
  tree_size bigint NOT NULL, -- of the checkpoint
  tenant_id text NOT NULL,
  -- The key of the witness: its name, and the hash that distinguishes keys of one name.
  witness   text NOT NULL,
  key_hash  text NOT NULL,
  line      text NOT NULL,   -- the line below the note, with its newline
  CONSTRAINT cosignature_pkey PRIMARY KEY (log_id, tree_size, witness, key_hash),
  CONSTRAINT cosignature_log_id_tree_size_fkey
    FOREIGN KEY (log_id, tree_size) REFERENCES ledger.checkpoint (log_id, tree_size)
);
ALTER TABLE ledger.cosignature ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY named_tenants ON ledger.cosignature TO writ_ledger
  USING (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''))
  WITH CHECK (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''));
-- No UPDATE, DELETE or TRUNCATE: see (append-only).
GRANT SELECT, INSERT ON ledger.cosignature TO writ_ledger;
