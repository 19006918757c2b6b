-- Information stores of each tenant: documents in chunks, found by words and by vectors. Executors stage changes and
-- search. The kernel registers stores, and publishes a change in the transaction that commits its call.
--
-- INVARIANT (own tenant): row-level security shows and accepts rows of that tenant alone that writ.tenant_id names.
-- INVARIANT (the head decides): a chunk is visible where info_store.document names its change for its document. Only the
-- kernel writes that table, so nothing that an executor writes is visible before it is published.
-- INVARIANT (sealed stays sealed): no row is added to a change that is sealed, and no row of a change is updated, but for
-- the mark `superseded`.

-- A store. The kernel registers it and removes it.
CREATE TABLE info_store.store (
  tenant_id  text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  -- Names the store in the other tables. A store that is registered again under its old id has another key, so nothing
  -- of the old one shows.
  store_key  bigint GENERATED ALWAYS AS IDENTITY,
  store_id   text COLLATE "C" NOT NULL CHECK (store_id <> ''),
  language   text NOT NULL,  -- a text search configuration of pg_catalog
  model      text,           -- of the vectors; null: texts alone
  dimensions integer CHECK (dimensions BETWEEN 1 AND 4096),
  -- Its vectors are in info_store.chunk_vector too, with an index. Decided when it is registered, for all of its life:
  -- see info_store.enable_vector_index.
  is_indexed boolean DEFAULT false NOT NULL,
  version    bigint DEFAULT 0 NOT NULL, -- of the published changes
  documents  bigint DEFAULT 0 NOT NULL, -- visible ones
  chunks     bigint DEFAULT 0 NOT NULL, -- visible ones
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  removed_at timestamp(3) with time zone, -- null: it exists
  CONSTRAINT store_pkey PRIMARY KEY (tenant_id, store_key),
  CONSTRAINT store_has_model CHECK ((model IS NULL) = (dimensions IS NULL))
);
CREATE UNIQUE INDEX store_by_id ON info_store.store (tenant_id, store_id) WHERE removed_at IS NULL;
-- For info_store.sweep.
CREATE INDEX store_removed ON info_store.store (tenant_id) WHERE removed_at IS NOT NULL;
ALTER TABLE info_store.store ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY store_read ON info_store.store FOR SELECT TO writ_executor
  USING (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY store_write ON info_store.store TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
GRANT SELECT ON info_store.store TO writ_executor;
GRANT SELECT, INSERT (tenant_id, store_id, language, model, dimensions, is_indexed), DELETE,
  UPDATE (version, documents, chunks, removed_at) ON info_store.store TO writ_kernel;

-- A change that an attempt of an operation staged. It is sealed after its last row, and then published or discarded.
CREATE TABLE info_store.change (
  tenant_id    text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  change_id    text COLLATE "C" NOT NULL CHECK (change_id <> ''), -- 128 random bits of the executor
  store_key    bigint NOT NULL,
  operation_id text COLLATE "C" NOT NULL CHECK (operation_id <> ''),
  digest       bytea NOT NULL CHECK (octet_length(digest) = 32),  -- of what it changes, as its executor reports it
  created_at   timestamp(3) with time zone DEFAULT now() NOT NULL,
  sealed_at    timestamp(3) with time zone, -- null: rows are still being staged
  is_discarded boolean DEFAULT false NOT NULL,
  published_version bigint, -- of the store; null: not published
  CONSTRAINT change_pkey PRIMARY KEY (tenant_id, change_id),
  CONSTRAINT change_published_sealed CHECK (published_version IS NULL OR sealed_at IS NOT NULL AND NOT is_discarded)
);
-- For info_store.sweep.
CREATE INDEX change_by_age ON info_store.change (tenant_id, created_at);
CREATE INDEX change_discarded ON info_store.change (tenant_id) WHERE is_discarded;
-- For info_store.forget_changes.
CREATE INDEX change_by_operation ON info_store.change (tenant_id, operation_id);
ALTER TABLE info_store.change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY change_read ON info_store.change FOR SELECT TO writ_executor, writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY change_stage ON info_store.change FOR INSERT TO writ_executor
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- An executor seals a change or discards it. It can't open a sealed one, nor touch one that is published.
CREATE POLICY change_seal ON info_store.change FOR UPDATE TO writ_executor
  USING (tenant_id = current_setting('writ.tenant_id', true) AND published_version IS NULL)
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true) AND (is_discarded OR sealed_at IS NOT NULL));
CREATE POLICY change_publish ON info_store.change FOR UPDATE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY change_sweep ON info_store.change FOR DELETE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true));
GRANT SELECT, INSERT (tenant_id, change_id, store_key, operation_id, digest), UPDATE (sealed_at, is_discarded)
  ON info_store.change TO writ_executor;
GRANT SELECT, DELETE, UPDATE (published_version, is_discarded) ON info_store.change TO writ_kernel;

-- What a change makes of one document: a new version, or none.
CREATE TABLE info_store.document_version (
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  change_id   text COLLATE "C" NOT NULL,
  document_id text COLLATE "C" NOT NULL CHECK (document_id <> ''),
  store_key   bigint NOT NULL,
  is_removal  boolean NOT NULL, -- the document is gone once this is published; there are no chunks
  source      text NOT NULL,    -- where the document comes from
  metadata    jsonb NOT NULL CHECK (jsonb_typeof(metadata) = 'object'), -- texts, numbers and booleans
  chunks      integer NOT NULL CHECK (chunks >= 0),
  superseded  boolean DEFAULT false NOT NULL, -- nothing will show it again: info_store.sweep takes it
  CONSTRAINT document_version_pkey PRIMARY KEY (tenant_id, change_id, document_id)
);
-- For info_store.sweep. The second begins with the store: an index that begins with the tenant would serve a search for
-- the rows of a change too, in a plan from when the table was empty.
CREATE INDEX document_version_superseded ON info_store.document_version (tenant_id) WHERE superseded;
CREATE INDEX document_version_by_store ON info_store.document_version (store_key, tenant_id);
ALTER TABLE info_store.document_version ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY document_version_read ON info_store.document_version FOR SELECT TO writ_executor, writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY document_version_stage ON info_store.document_version FOR INSERT TO writ_executor
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true) AND EXISTS (
    SELECT FROM info_store.change AS c WHERE c.tenant_id = document_version.tenant_id
      AND c.change_id = document_version.change_id AND c.store_key = document_version.store_key
      AND c.sealed_at IS NULL AND NOT c.is_discarded));
CREATE POLICY document_version_supersede ON info_store.document_version FOR UPDATE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY document_version_sweep ON info_store.document_version FOR DELETE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true));
-- For info_store.search_text, which runs as the owner and checks the tenant itself. Nobody logs in as the owner.
CREATE POLICY finder ON info_store.document_version FOR SELECT TO writ_owner USING (true);
GRANT SELECT, INSERT (tenant_id, change_id, document_id, store_key, is_removal, source, metadata, chunks)
  ON info_store.document_version TO writ_executor;
GRANT SELECT, DELETE, UPDATE (superseded) ON info_store.document_version TO writ_kernel;

-- A part of a document's text, as a query returns it.
CREATE TABLE info_store.chunk (
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  change_id   text COLLATE "C" NOT NULL,
  document_id text COLLATE "C" NOT NULL,
  n           integer NOT NULL CHECK (n >= 0), -- place in the document, from 0
  store_key   bigint NOT NULL,
  chunk_id    bigint GENERATED ALWAYS AS IDENTITY,
  content     text NOT NULL,
  words       tsvector NOT NULL, -- of the content, in the store's language
  -- Little-endian float32 numbers, as many as the store's dimensions, of length 1. Null: the store has no vectors.
  embedding   bytea CHECK (octet_length(embedding) % 4 = 0),
  CONSTRAINT chunk_pkey PRIMARY KEY (tenant_id, change_id, document_id, n)
);
-- Random bytes don't shrink. Without compression and beside the row, vectors are read without the texts.
ALTER TABLE info_store.chunk ALTER COLUMN embedding SET STORAGE EXTERNAL;
-- In this order, info_store.vectors reads a store page by page. It begins with the store, as the index above.
CREATE UNIQUE INDEX chunk_by_store ON info_store.chunk (store_key, chunk_id);
-- Full text search: info_store.search_text.
CREATE INDEX chunk_by_words ON info_store.chunk USING gin (words);
ALTER TABLE info_store.chunk ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY chunk_read ON info_store.chunk FOR SELECT TO writ_executor, writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY chunk_stage ON info_store.chunk FOR INSERT TO writ_executor
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true) AND EXISTS (
    SELECT FROM info_store.change AS c WHERE c.tenant_id = chunk.tenant_id AND c.change_id = chunk.change_id
      AND c.store_key = chunk.store_key AND c.sealed_at IS NULL AND NOT c.is_discarded));
CREATE POLICY chunk_sweep ON info_store.chunk FOR DELETE TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true));
-- As for info_store.document_version.
CREATE POLICY finder ON info_store.chunk FOR SELECT TO writ_owner USING (true);
GRANT SELECT, INSERT (tenant_id, change_id, document_id, n, store_key, content, words, embedding)
  ON info_store.chunk TO writ_executor;
GRANT SELECT, DELETE ON info_store.chunk TO writ_kernel;

-- The heads: for each visible document the change whose version shows. Publishing a change writes one row for each of
-- its documents.
CREATE TABLE info_store.document (
  tenant_id   text COLLATE "C" NOT NULL CHECK (tenant_id <> ''),
  store_key   bigint NOT NULL,
  document_id text COLLATE "C" NOT NULL,
  change_id   text COLLATE "C" NOT NULL,
  CONSTRAINT document_pkey PRIMARY KEY (tenant_id, store_key, document_id)
);
ALTER TABLE info_store.document ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY document_read ON info_store.document FOR SELECT TO writ_executor
  USING (tenant_id = current_setting('writ.tenant_id', true));
CREATE POLICY document_publish ON info_store.document TO writ_kernel
  USING (tenant_id = current_setting('writ.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('writ.tenant_id', true));
-- As for info_store.document_version.
CREATE POLICY finder ON info_store.document FOR SELECT TO writ_owner USING (true);
GRANT SELECT ON info_store.document TO writ_executor;
GRANT SELECT, INSERT, DELETE, UPDATE (change_id) ON info_store.document TO writ_kernel;
