-- Stages the vectors of chunks that info_store.stage_chunks brought, for the index: those from `first` on, each as the
-- text of a vector, `[0.1,0.2]`. For stores that are indexed, see info_store.find_store. As for
-- info_store.stage_document.
CREATE OR REPLACE FUNCTION info_store.stage_vectors(tenant text, store bigint, change text, document text, first integer, dims integer, vectors text[])
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM pg_catalog.set_config('writ.tenant_id', tenant, true);
  EXECUTE format('INSERT INTO info_store.chunk_vector (tenant_id, change_id, document_id, n, store_key, chunk_id, dimensions, embedding)
    SELECT c.tenant_id, c.change_id, c.document_id, c.n, c.store_key, c.chunk_id, $6, each.vector::%1$I.halfvec(%2$s)
    FROM unnest($7) WITH ORDINALITY AS each (vector, place)
    JOIN info_store.chunk AS c ON c.tenant_id = $1 AND c.store_key = $2 AND c.change_id = $3 AND c.document_id = $4 AND c.n = $5 + each.place::integer - 1',
    info_store.vector_home(), dims) USING tenant, store, change, document, first, dims, vectors;
END $$;
GRANT EXECUTE ON FUNCTION info_store.stage_vectors(text, bigint, text, text, integer, integer, text[]) TO writ_executor;
