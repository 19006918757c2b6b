-- Returns erasures of all tenants whose texts aren't gone yet: [{tenant_id, erasure_id, selector, session_ids, until}].
-- They are p_rows at most, with 10000 session ids together at most, so that they fit into one message. Called as the
-- worker's role; the orchestrator fetches them.
--
-- The order is random, so that an erasure that can't go on doesn't block the others.
CREATE OR REPLACE FUNCTION kernel.text_orders(p_rows integer) RETURNS jsonb
LANGUAGE sql VOLATILE SET search_path = kernel, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('tenant_id', e.tenant_id, 'erasure_id', e.erasure_id, 'selector', e.selector, 'session_ids', e.session_ids, 'until', e.until)), '[]')
  FROM (SELECT d.*, sum(cardinality(d.session_ids)) OVER (ORDER BY d.place) AS ids
    FROM (SELECT x.tenant_id, x.erasure_id, x.selector, x.session_ids, x.until, row_number() OVER (ORDER BY random()) AS place FROM erasure x WHERE x.texts IN ('ordered', 'told')) d ORDER BY d.place LIMIT p_rows) e
  WHERE e.ids <= 10000
$$;
GRANT EXECUTE ON FUNCTION kernel.text_orders(integer) TO writ_kernel_worker;
