-- Makes the table of indexed vectors and an HNSW index (Malkov and Yashunin 2016) for each of the lengths. It can be
-- repeated, with other lengths too. The extension pgvector is installed. The owner calls it; no role has a grant on it.
--
-- The index holds numbers of 16 bits: half the size, and cosines that differ in the fourth digit. A row goes with its
-- chunk, by the foreign key, which row-level security doesn't apply to.
CREATE OR REPLACE FUNCTION info_store.enable_vector_index(lengths integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE home text := info_store.vector_home(); length integer;
BEGIN
  EXECUTE format('CREATE TABLE IF NOT EXISTS info_store.chunk_vector (
    tenant_id text COLLATE "C" NOT NULL CHECK (tenant_id <> ''''), change_id text COLLATE "C" NOT NULL, document_id text COLLATE "C" NOT NULL, n integer NOT NULL,
    store_key bigint NOT NULL, chunk_id bigint NOT NULL, dimensions integer NOT NULL, embedding %I.halfvec NOT NULL,
    CONSTRAINT chunk_vector_pkey PRIMARY KEY (tenant_id, change_id, document_id, n),
    CONSTRAINT chunk_vector_chunk FOREIGN KEY (tenant_id, change_id, document_id, n) REFERENCES info_store.chunk ON DELETE CASCADE)', home);
  ALTER TABLE info_store.chunk_vector ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
  DROP POLICY IF EXISTS chunk_vector_read ON info_store.chunk_vector;
  CREATE POLICY chunk_vector_read ON info_store.chunk_vector FOR SELECT TO writ_executor USING (tenant_id = current_setting('writ.tenant_id', true));
  DROP POLICY IF EXISTS chunk_vector_stage ON info_store.chunk_vector;
  CREATE POLICY chunk_vector_stage ON info_store.chunk_vector FOR INSERT TO writ_executor
    WITH CHECK (tenant_id = current_setting('writ.tenant_id', true) AND EXISTS (
      SELECT FROM info_store.change AS c WHERE c.tenant_id = chunk_vector.tenant_id AND c.change_id = chunk_vector.change_id
        AND c.store_key = chunk_vector.store_key AND c.sealed_at IS NULL AND NOT c.is_discarded));
  GRANT SELECT, INSERT ON info_store.chunk_vector TO writ_executor;
  FOREACH length IN ARRAY lengths LOOP
    EXECUTE format('CREATE INDEX IF NOT EXISTS chunk_vector_%1$s ON info_store.chunk_vector USING hnsw ((embedding::%2$I.halfvec(%1$s)) %2$I.halfvec_cosine_ops) WHERE dimensions = %1$s', length, home);
  END LOOP;
END $$;
