-- Statistics of a table that has grown to four times its size since it was looked at. Autovacuum gathers them too, but comes once a minute, and until then the planner takes every table for small: plans made then lead
-- by the tenant where the primary key would do, and cost the more the more a tenant has. Four times as large each time, so a table is looked at some ten times in its life: each time connections plan anew what they ask of it. Never where another replica is at it.
-- Answers whether one was, so that its caller asks again. As the owner, whose the tables are; it takes nothing from its caller.
CREATE FUNCTION kernel.refresh_statistics() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE grown regclass;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('writ.statistics.kernel', 0)) THEN RETURN false; END IF;
  -- reltuples is -1 where nobody has looked yet.
  SELECT c.oid INTO grown FROM pg_class c
    WHERE c.relnamespace = 'kernel'::regnamespace AND c.relkind = 'r' AND pg_stat_get_live_tuples(c.oid) >= 4 * greatest(c.reltuples, 25) ORDER BY c.oid LIMIT 1;
  IF grown IS NULL THEN RETURN false; END IF;
  EXECUTE format('ANALYZE (SKIP_LOCKED) %s', grown);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION kernel.refresh_statistics FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.refresh_statistics TO writ_kernel_worker;
