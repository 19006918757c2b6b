-- Reserves budget. p_reserve: [{token, dimension, amount}].
--
-- Raises WR001 `budget` where a token's budget doesn't have the amount left; the caller reads the facts and decides
-- again.
--
-- Locks: budgets, row by row, in byte order of token and dimension, so that two calls never deadlock. Callers call it
-- last in their transaction. A kernel sends the rows in this order; this function sorts those that come in another.
CREATE OR REPLACE FUNCTION kernel.reserve(p_reserve jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = kernel, pg_temp AS $$
DECLARE
  r jsonb;
BEGIN
  FOR i IN 1 .. jsonb_array_length(p_reserve) - 1 LOOP
    IF (p_reserve -> i ->> 'token' COLLATE "C", p_reserve -> i ->> 'dimension' COLLATE "C") < (p_reserve -> (i - 1) ->> 'token', p_reserve -> (i - 1) ->> 'dimension') THEN
      p_reserve := (SELECT jsonb_agg(x.value ORDER BY x.value ->> 'token' COLLATE "C", x.value ->> 'dimension' COLLATE "C") FROM jsonb_array_elements(p_reserve) AS x);
      EXIT;
    END IF;
  END LOOP;
  FOR i IN 0 .. jsonb_array_length(p_reserve) - 1 LOOP
    r := p_reserve -> i;
    UPDATE budget b SET reserved = b.reserved + (r ->> 'amount')::bigint
    WHERE b.capability_token_id = r ->> 'token' AND b.dimension = r ->> 'dimension' AND b.reserved + b.used + (r ->> 'amount')::bigint <= b.bound;
    IF NOT FOUND THEN PERFORM decide_again('budget'); END IF;
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION kernel.reserve(jsonb) TO writ_kernel;
