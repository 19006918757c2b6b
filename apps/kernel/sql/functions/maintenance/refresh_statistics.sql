-- Gathers the statistics of one table of this schema that has grown to four times its size since they were gathered.
-- Returns whether there was one, so that the caller calls it again. Runs as the owner of the tables; it takes nothing
-- from its caller. Only the worker's role may call it.
--
-- Autovacuum gathers statistics too, but only once a minute. Until then the planner assumes that every table is small.
-- Its plans then filter by tenant where the primary key would do, and they get slower the more rows a tenant has. The
-- factor four keeps this rare, some ten times in a table's life, since every connection plans its queries anew
-- afterwards.
--
-- Locks: an advisory lock. Where another replica has it, the function returns false at once.
CREATE OR REPLACE FUNCTION kernel.refresh_statistics() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE grown regclass;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('writ.statistics.kernel', 0)) THEN RETURN false; END IF;
  -- reltuples is -1 where no statistics were gathered yet.
  SELECT c.oid INTO grown FROM pg_class c
    WHERE c.relnamespace = 'kernel'::regnamespace AND c.relkind = 'r' AND pg_stat_get_live_tuples(c.oid) >= 4 * greatest(c.reltuples, 25) ORDER BY c.oid LIMIT 1;
  IF grown IS NULL THEN RETURN false; END IF;
  EXECUTE format('ANALYZE (SKIP_LOCKED) %s', grown);
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION kernel.refresh_statistics() TO writ_kernel_worker;
