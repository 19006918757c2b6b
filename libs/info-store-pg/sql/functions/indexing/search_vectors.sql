-- Returns the visible chunks of an indexed store that are nearest to the query by the index, best first, with the
-- cosines. query: the text of a vector, `[0.1,0.2]`. path, vars, most: see info_store.search_text.
--
-- The index has the vectors of all stores, so it is read on until enough rows of this store are found, or 20,000 were
-- looked at (hnsw.max_scan_tuples). So a store that is a small part of the index may miss some. The planner reads and
-- sorts the store instead where it takes that for cheaper. The tenant is set. It runs with the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.search_vectors(tenant text, store bigint, dims integer, query text, path text, vars jsonb, most integer)
RETURNS TABLE (chunk_id bigint, score real) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.set_config('hnsw.iterative_scan', 'relaxed_order', true), pg_catalog.set_config('hnsw.ef_search', greatest(most, 100)::text, true);
  RETURN QUERY EXECUTE format('SELECT near.chunk_id, (1 - near.distance)::real FROM (
      SELECT v.chunk_id, v.embedding::%1$I.halfvec(%2$s) OPERATOR(%1$I.<=>) $3::%1$I.halfvec(%2$s) AS distance
      FROM info_store.chunk_vector AS v
      WHERE v.dimensions = %2$s AND v.tenant_id = $1 AND v.store_key = $2 AND EXISTS (
        SELECT FROM info_store.document AS d
        JOIN info_store.document_version AS w ON w.tenant_id = $1 AND w.change_id = d.change_id AND w.document_id = d.document_id
        WHERE d.tenant_id = $1 AND d.store_key = $2 AND d.document_id = v.document_id AND d.change_id = v.change_id
          AND coalesce(jsonb_path_match(w.metadata, $4::jsonpath, $5, true), false))
      ORDER BY v.embedding::%1$I.halfvec(%2$s) OPERATOR(%1$I.<=>) $3::%1$I.halfvec(%2$s) LIMIT $6) AS near
    ORDER BY near.distance, near.chunk_id', info_store.vector_home(), dims) USING tenant, store, query, path, vars, most;
END $$;
GRANT EXECUTE ON FUNCTION info_store.search_vectors(text, bigint, integer, text, text, jsonb, integer) TO writ_executor;
