-- Stages chunks of a document, numbered from `first`. embeddings: one for each text, or all null. lang: the store's
-- language. As for info_store.stage_document.
CREATE OR REPLACE FUNCTION info_store.stage_chunks(tenant text, store bigint, lang text, change text, document text, first integer, texts text[], embeddings bytea[])
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  INSERT INTO info_store.chunk (tenant_id, change_id, document_id, n, store_key, content, words, embedding)
  SELECT tenant, change, document, first + each.place::integer - 1, store, each.content,
    to_tsvector(('pg_catalog.' || quote_ident(lang))::regconfig, each.content), each.embedding
  FROM unnest(texts, embeddings) WITH ORDINALITY AS each (content, embedding, place);
END $$;
GRANT EXECUTE ON FUNCTION info_store.stage_chunks(text, bigint, text, text, text, integer, text[], bytea[]) TO writ_executor;
