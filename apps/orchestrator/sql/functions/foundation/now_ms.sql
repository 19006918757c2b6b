-- The time of this database in milliseconds since the epoch. All times of this schema are by this one clock, so that
-- replicas agree. It is the clock itself and not the begin of the transaction: it moves on within one.
CREATE OR REPLACE FUNCTION orchestrator.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
GRANT EXECUTE ON FUNCTION orchestrator.now_ms() TO writ_orchestrator;
