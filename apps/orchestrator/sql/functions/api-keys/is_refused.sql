-- Returns whether the keys of a member are refused: it is suspended or offboarded. False for null, and for a member that
-- isn't there.
--
-- It runs as its caller. A policy shows the owner members that are not active, of all tenants. Raises no SQLSTATE of its
-- own.
CREATE OR REPLACE FUNCTION orchestrator.is_refused(p_member text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM orchestrator.member AS m WHERE m.member_id = p_member AND m.state <> 'active')
$$;
GRANT EXECUTE ON FUNCTION orchestrator.is_refused(text) TO writ_orchestrator;
