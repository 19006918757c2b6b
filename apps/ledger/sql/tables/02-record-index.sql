-- The search index of records. The ledger's indexer fills it from committed leaves, after the appends (ADR 0046). It
-- proves nothing: a row refers to its leaf by (log_id, leaf_index), and the leaf has the signature.

-- The row of one leaf. The indexer inserts it, and it never changes; it exists as long as its leaf. fsck compares every
-- row with its leaf.
-- INVARIANT (append-only) and INVARIANT (named tenants): as for the log, see 01-log.sql.
-- INVARIANT (no gaps): the holder of a log's lock inserts its rows in the order of the leaves
-- (ledger.leaves_to_index). So the largest leaf_index of a log tells how far it is indexed.
CREATE TABLE ledger.record_index (
  -- The leaf.
  log_id       text NOT NULL,
  leaf_index   bigint NOT NULL CHECK (leaf_index >= 0),
  tenant_id    text NOT NULL,

  -- Copied from the leaf's own columns. `kind` and `phase` are cut to 64 characters.
  record_id    text NOT NULL,
  kind         text NOT NULL,
  operation_id text,             -- null: the leaf has none, or none of the form of an operation's id
  phase        text,             -- null: the leaf has none
  recorded_at  bigint NOT NULL,  -- milliseconds since the epoch

  -- False: this version of the ledger cannot read the payload. Then all columns below are null or empty.
  is_drawn     boolean NOT NULL,

  -- Read from the payload. Null: the record has no such value.
  agent_id     text,
  tool_id      text,
  session_id   text,
  verdict      text,             -- `admitted`, `refused` or `held`
  tx_outcome   text,             -- `committed`, `rolled_back`, `no_op` or `ambiguous`
  fault_code   text,
  risk_score   double precision, -- from 0 to 1
  -- Ids that the record refers to: workspace, token, policy, image, snapshot, delta, approvals, subject of the change.
  -- Each id is one lexeme, so that a prefix finds it too.
  resources    tsvector NOT NULL,
  -- Words of the rule ids, the risk basis, the fault code and the verb of the change. Ids of several words are also
  -- stored as one lexeme, in lower case.
  words        tsvector NOT NULL,

  CONSTRAINT record_index_pkey PRIMARY KEY (log_id, leaf_index)
) PARTITION BY HASH (log_id);

-- All rows of a log are in one partition, so a query for one tenant reads one. Their number is fixed, since the role of
-- the ledger may create no table. No role has a grant on a partition: rows are only reachable through the parent table.
CREATE TABLE ledger.record_index_0 PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER 0);
CREATE TABLE ledger.record_index_1 PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER 1);
CREATE TABLE ledger.record_index_2 PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER 2);
CREATE TABLE ledger.record_index_3 PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER 3);
CREATE TABLE ledger.record_index_4 PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER 4);
CREATE TABLE ledger.record_index_5 PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER 5);
CREATE TABLE ledger.record_index_6 PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER 6);
CREATE TABLE ledger.record_index_7 PARTITION OF ledger.record_index FOR VALUES WITH (MODULUS 8, REMAINDER 7);

-- The frequency of a word decides between its index and the order of time. The planner estimates a word that is missing
-- in the statistics as half as frequent as the rarest one in them. With a small sample that is one in two thousand, and
-- the planner would scan all records for a word that is far rarer. This applies to the partitions too.
ALTER TABLE ledger.record_index
  ALTER COLUMN words SET STATISTICS 1000,
  ALTER COLUMN resources SET STATISTICS 1000;

-- Each index begins with the log and ends in the order of the pages. So a page is read from the index, starting where
-- the last one ended. Where a column is often null, only the other rows are in its index.
CREATE INDEX record_index_by_time ON ledger.record_index (log_id, recorded_at, leaf_index);
CREATE INDEX record_index_by_agent ON ledger.record_index (log_id, agent_id, recorded_at, leaf_index)
  WHERE agent_id IS NOT NULL;
CREATE INDEX record_index_by_agent_tool ON ledger.record_index (log_id, agent_id, tool_id, recorded_at, leaf_index)
  WHERE agent_id IS NOT NULL AND tool_id IS NOT NULL;
CREATE INDEX record_index_by_tool ON ledger.record_index (log_id, tool_id, recorded_at, leaf_index)
  WHERE tool_id IS NOT NULL;
CREATE INDEX record_index_by_session ON ledger.record_index (log_id, session_id, recorded_at, leaf_index)
  WHERE session_id IS NOT NULL;
CREATE INDEX record_index_by_operation ON ledger.record_index (log_id, operation_id, recorded_at, leaf_index)
  WHERE operation_id IS NOT NULL;
CREATE INDEX record_index_by_kind ON ledger.record_index (log_id, kind, recorded_at, leaf_index);
CREATE INDEX record_index_by_verdict ON ledger.record_index (log_id, verdict, recorded_at, leaf_index)
  WHERE verdict IS NOT NULL;
CREATE INDEX record_index_by_outcome ON ledger.record_index (log_id, tx_outcome, recorded_at, leaf_index)
  WHERE tx_outcome IS NOT NULL;
-- A range of scores gives no order. The planner finds a rare score here and sorts it, and a common one by time.
CREATE INDEX record_index_by_risk ON ledger.record_index (log_id, risk_score, recorded_at, leaf_index)
  WHERE risk_score > 0;
-- These indexes find lexemes, and give no order either.
CREATE INDEX record_index_by_resource ON ledger.record_index USING gin (resources);
CREATE INDEX record_index_by_word ON ledger.record_index USING gin (words);

ALTER TABLE ledger.record_index ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index_0 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index_1 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index_2 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index_3 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index_4 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index_5 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index_6 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.record_index_7 ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY named_tenants ON ledger.record_index TO writ_ledger
  USING (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''))
  WITH CHECK (tenant_id IN (SELECT n FROM unnest(string_to_array(current_setting('writ.tenant_ids', true), ',')
    || current_setting('writ.tenant_id', true)) AS named(n) WHERE n <> ''));
-- For ledger.find_records, which runs as the owner and checks the tenant itself. Nobody logs in as the owner.
CREATE POLICY finder ON ledger.record_index FOR SELECT TO writ_owner USING (true);
-- No UPDATE, DELETE or TRUNCATE: see (append-only).
GRANT SELECT, INSERT ON ledger.record_index TO writ_ledger;
