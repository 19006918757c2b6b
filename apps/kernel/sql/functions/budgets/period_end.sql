-- Returns when the period that holds the moment ends and the next one starts, in milliseconds since the epoch.
-- p_period: `day` or `month`. p_at: milliseconds since the epoch.
CREATE OR REPLACE FUNCTION kernel.period_end(p_period text, p_at bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  AS $$ SELECT (extract(epoch FROM (date_trunc(p_period, to_timestamp(p_at / 1000.0) AT TIME ZONE 'UTC') + ('1 ' || p_period)::interval) AT TIME ZONE 'UTC') * 1000)::bigint $$;
GRANT EXECUTE ON FUNCTION kernel.period_end(text, bigint) TO writ_kernel;
