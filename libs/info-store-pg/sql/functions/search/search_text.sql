-- Returns the visible chunks of a store whose words match the query, best first: their ids and ranks.
--
-- query: as people write it in search engines, with quotes, `or` and `-`; every text is one (websearch_to_tsquery).
-- path, vars: a filter on metadata, see `filterPath` of libs/info-store. most: limit on the rows. The rank is that of
-- ts_rank_cd, between 0 and 1: how often the words occur, and how close to each other.
--
-- It runs as the owner, past row-level security of the caller. Under a policy no index answers `@@`, because that
-- operator is not leakproof. So it makes the policy's check itself:
-- INVARIANT (named tenant): the tenant must be the one of the transaction. It raises insufficient_privilege (42501)
-- otherwise; for the caller that is a bug. A plan of its own for each query: how many chunks have the words differs too
-- much for one that fits all. Runs until the caller's statement_timeout at most.
CREATE OR REPLACE FUNCTION info_store.search_text(tenant text, store bigint, lang text, query text, path text, vars jsonb, most integer)
RETURNS TABLE (chunk_id bigint, score real)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = info_store, pg_temp SET jit = off SET plan_cache_mode = force_custom_plan SET max_parallel_workers_per_gather = 0 AS $$
DECLARE wanted tsquery := websearch_to_tsquery(('pg_catalog.' || quote_ident(lang))::regconfig, query);
BEGIN
  IF tenant IS NULL OR tenant IS DISTINCT FROM current_setting('writ.tenant_id', true) THEN
    RAISE EXCEPTION 'the transaction names another tenant' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY SELECT c.chunk_id, ts_rank_cd(c.words, wanted, 32) AS rank
    FROM chunk AS c
    JOIN document AS d ON d.tenant_id = tenant AND d.store_key = store AND d.document_id = c.document_id AND d.change_id = c.change_id
    JOIN document_version AS v ON v.tenant_id = tenant AND v.change_id = d.change_id AND v.document_id = d.document_id
    WHERE c.tenant_id = tenant AND c.store_key = store AND c.words @@ wanted
      AND coalesce(jsonb_path_match(v.metadata, path::jsonpath, vars, true), false)
    ORDER BY rank DESC, c.document_id, c.n LIMIT most;
END $$;
GRANT EXECUTE ON FUNCTION info_store.search_text(text, bigint, text, text, text, jsonb, integer) TO writ_executor;
