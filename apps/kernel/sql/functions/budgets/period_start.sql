-- Returns when the period that holds the moment starts, in milliseconds since the epoch. Days and months are of UTC.
-- p_period: `day` or `month`. p_at: milliseconds since the epoch.
CREATE OR REPLACE FUNCTION kernel.period_start(p_period text, p_at bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
  AS $$ SELECT (extract(epoch FROM date_trunc(p_period, to_timestamp(p_at / 1000.0) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') * 1000)::bigint $$;
GRANT EXECUTE ON FUNCTION kernel.period_start(text, bigint) TO writ_kernel;
