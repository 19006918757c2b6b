-- Returns offboardings of all tenants that go on: at most p_rows. Those come first that no sweep has tried
-- for longest, so that none waits behind others that fail. Every replica calls it every few
-- seconds, and completes them. Each step may be made again, by any number of replicas.
--
-- It runs as the owner, because it reads rows of all tenants. The policy offboarding_going_on lets it see only
-- offboardings that go on. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.open_offboardings(p_rows integer)
RETURNS TABLE (tenant_id text, member_id text, begun_by text, age_ms bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  SELECT o.tenant_id, o.member_id, o.begun_by, now_ms() - o.begun_at FROM offboarding o
    WHERE o.ended_at IS NULL ORDER BY o.tried_at NULLS FIRST, o.begun_at LIMIT p_rows
$$;
GRANT EXECUTE ON FUNCTION orchestrator.open_offboardings(integer) TO writ_orchestrator;
