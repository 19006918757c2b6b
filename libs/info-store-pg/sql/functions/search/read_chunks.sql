-- Returns those of the chunks that are visible, with their texts and what is known of their documents. The caller brings
-- them into its order. The tenant is set. It runs with the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.read_chunks(tenant text, store bigint, chunk_ids bigint[])
RETURNS TABLE (chunk_id bigint, document_id text, n integer, content text, source text, metadata jsonb) LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT f.chunk_id, f.document_id, f.n, f.content, v.source, v.metadata
  FROM unnest(chunk_ids) AS wanted (id)
  CROSS JOIN LATERAL (SELECT c.chunk_id, c.change_id, c.document_id, c.n, c.content FROM info_store.chunk AS c
    WHERE c.tenant_id = tenant AND c.store_key = store AND c.chunk_id = wanted.id LIMIT 1) AS f
  CROSS JOIN LATERAL (SELECT d.change_id FROM info_store.document AS d WHERE d.tenant_id = tenant AND d.store_key = store
    AND d.document_id = f.document_id AND d.change_id = f.change_id LIMIT 1) AS head
  CROSS JOIN LATERAL (SELECT w.source, w.metadata FROM info_store.document_version AS w WHERE w.tenant_id = tenant
    AND w.change_id = f.change_id AND w.document_id = f.document_id LIMIT 1) AS v
$$;
GRANT EXECUTE ON FUNCTION info_store.read_chunks(text, bigint, bigint[]) TO writ_executor;
