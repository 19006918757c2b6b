-- Returns one page of a store's vectors, in the order of their ids, as one row: `last`, the id of the last chunk that
-- was looked at, null after the end; `ids` of the visible chunks with vectors of that many dimensions; and their vectors
-- end to end.
--
-- after: `last` of the page before, 0 for the first. most: chunks to look at. Callers read all pages in one transaction
-- of one snapshot, so that they see one version. The tenant is set. It runs with the rights of its caller.
--
-- Each head is looked up by itself, with LIMIT 1: see blobs.get for the plans that this prevents.
CREATE OR REPLACE FUNCTION info_store.vectors(tenant text, store bigint, dims integer, after bigint, most integer)
RETURNS TABLE (last bigint, ids bigint[], vectors bytea) LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT max(page.chunk_id), array_agg(page.chunk_id ORDER BY page.chunk_id) FILTER (WHERE page.is_visible),
    string_agg(page.embedding, ''::bytea ORDER BY page.chunk_id) FILTER (WHERE page.is_visible)
  FROM (SELECT c.chunk_id, c.embedding, coalesce(octet_length(c.embedding), 0) = dims * 4 AND (
      SELECT d.change_id FROM info_store.document AS d WHERE d.tenant_id = tenant AND d.store_key = store
        AND d.document_id = c.document_id LIMIT 1) IS NOT DISTINCT FROM c.change_id AS is_visible
    FROM info_store.chunk AS c WHERE c.tenant_id = tenant AND c.store_key = store AND c.chunk_id > after
    ORDER BY c.chunk_id LIMIT most) AS page
$$;
GRANT EXECUTE ON FUNCTION info_store.vectors(text, bigint, integer, bigint, integer) TO writ_executor;
