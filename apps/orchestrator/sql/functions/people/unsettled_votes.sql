-- Returns members of all tenants of whom the kernel is still to be told whether their votes count: at most p_rows, in an
-- order that differs, so that none waits behind others that fail. Every replica calls it every few seconds, and tells the
-- kernel. It may be told again, by any number of replicas.
--
-- It runs as the owner, because it reads rows of all tenants. The policies member_votes_unsettled and member_refused let
-- it see only such members and those who aren't active. Raises no SQLSTATE of its own.
CREATE OR REPLACE FUNCTION orchestrator.unsettled_votes(p_rows integer) RETURNS TABLE (tenant_id text, member_id text)
LANGUAGE sql SECURITY DEFINER SET search_path = orchestrator, pg_temp AS $$
  SELECT m.tenant_id, m.member_id FROM member m WHERE m.votes_unsettled ORDER BY random() LIMIT p_rows
$$;
GRANT EXECUTE ON FUNCTION orchestrator.unsettled_votes(integer) TO writ_orchestrator;
