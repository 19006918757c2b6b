-- Returns the time in milliseconds since the epoch, by this database's clock. All times of the kernel are of this one
-- clock: leases, expiries and records. It moves on within a transaction.
CREATE OR REPLACE FUNCTION kernel.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
GRANT EXECUTE ON FUNCTION kernel.now_ms() TO writ_kernel, writ_kernel_worker;
