-- Returns one page of the visible chunks of a store whose documents match a filter, as info_store.vectors does: `last`
-- and `ids`. path, vars: see info_store.search_text. The tenant is set. It runs with the rights of its caller.
CREATE OR REPLACE FUNCTION info_store.matching_chunks(tenant text, store bigint, path text, vars jsonb, after bigint, most integer)
RETURNS TABLE (last bigint, ids bigint[]) LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT max(page.chunk_id), array_agg(page.chunk_id ORDER BY page.chunk_id) FILTER (WHERE page.is_visible)
  FROM (SELECT c.chunk_id, coalesce((
      SELECT jsonb_path_match(v.metadata, path::jsonpath, vars, true) FROM info_store.document_version AS v
      WHERE v.tenant_id = tenant AND v.document_id = c.document_id AND v.change_id = (
        SELECT d.change_id FROM info_store.document AS d WHERE d.tenant_id = tenant AND d.store_key = store
          AND d.document_id = c.document_id AND d.change_id = c.change_id LIMIT 1) LIMIT 1), false) AS is_visible
    FROM info_store.chunk AS c WHERE c.tenant_id = tenant AND c.store_key = store AND c.chunk_id > after
    ORDER BY c.chunk_id LIMIT most) AS page
$$;
GRANT EXECUTE ON FUNCTION info_store.matching_chunks(text, bigint, text, jsonb, bigint, integer) TO writ_executor;
