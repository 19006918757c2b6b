-- Gathers the statistics of one table that has at least 100 rows and four times as many as when they were gathered last
-- (ADR 0083). Returns true if it did, and then its caller calls it again. Returns false where no table has grown so, or
-- where another replica is gathering. The process calls it every two seconds.
--
-- Autovacuum gathers statistics too, but only once a minute. Until then the planner estimates every table as small: a
-- plan may use an index by tenant instead of the primary key, and its cost grows with the tenant's rows. A table is
-- analysed about ten times in its life. Each time, all connections plan their statements on it anew, so a smaller
-- factor would cost more.
--
-- It runs as the owner, since only the owner may analyse the tables, and it has no parameters.
CREATE OR REPLACE FUNCTION ledger.refresh_statistics() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE grown regclass;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('writ.statistics.ledger', 0)) THEN RETURN false; END IF;
  -- reltuples is -1 for a table that was never analysed.
  SELECT c.oid INTO grown FROM pg_class c
    WHERE c.relnamespace = 'ledger'::regnamespace AND c.relkind = 'r' AND pg_stat_get_live_tuples(c.oid) >= 4 * greatest(c.reltuples, 25) ORDER BY c.oid LIMIT 1;
  IF grown IS NULL THEN RETURN false; END IF;
  EXECUTE format('ANALYZE (SKIP_LOCKED) %s', grown);
  RETURN true;
END $$;
GRANT EXECUTE ON FUNCTION ledger.refresh_statistics() TO writ_ledger;
